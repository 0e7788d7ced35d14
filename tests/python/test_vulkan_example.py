# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The example of a platform from outside: Vulkan's queues, on whatever driver is here (lavapipe).

lavapipe has one queue a device, so that what is to run apart runs on two VkDevices.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from vulkan_rig import EXAMPLE, need_vulkan, vulkan_child


@pytest.fixture(autouse=True)
def _vulkan() -> None:
    need_vulkan()


def test_the_readme_runs() -> None:
    page = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    [shown] = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    assert vulkan_child(code, prelude="") == shown


def test_the_words_of_the_kernel_are_those_of_its_source(tmp_path: Path) -> None:
    compiler = shutil.which("glslangValidator")
    if compiler is None:
        pytest.skip("glslangValidator is not installed (Debian: glslang-tools)")
    out = tmp_path / "words"
    source = EXAMPLE / "src" / "add.comp"
    subprocess.run([compiler, "-V", "-x", "-o", out, source], check=True, capture_output=True)
    written = (EXAMPLE / "src" / "add_spirv.hpp").read_text(encoding="utf-8")
    made, kept = (re.findall(r"0x[0-9a-f]{8}", text) for text in (out.read_text(), written))
    made[2] = kept[2]  # the number of the compiler that made them
    assert made == kept


def test_two_devices_and_a_queue_that_is_held() -> None:
    out = vulkan_child("""
        p, q = Queue(Device()), Queue(Device())
        x = Array(p, [1.0, 2.0])
        print("alone", read(x, q).tolist())
        p.hold()
        x.add(10.0)
        print("without", read(x, q).tolist())
        y = from_dlpack(x, q)  # returns: the host does not wait
        seen = read(y, q)
        settle()
        print("early", seen.peek(), p.idle(), q.idle())
        p.let_go()
        print("after", seen.tolist())
    """)
    assert out.splitlines() == [
        "alone [1.0, 2.0]",
        "without [1.0, 2.0]",
        "early [-1.0, -1.0] False False",
        "after [11.0, 12.0]",
    ]


def test_it_is_found_by_itself_and_planned() -> None:
    out = vulkan_child("""
        p, q = Queue(Device()), Queue(Device())
        x = Array(p, [1.0])
        plan = anystream.explain(x, stream=q)
        print(plan.producer.what, "|", plan.ordering.what, "|", plan.copy.what)
        print(anystream.explain(x, stream=p).ordering.what)
        print([str(device) for device in anystream.devices() if device.type == 7])
        s = anystream.Stream(p)
        print(s == anystream.Stream(p), s == anystream.Stream(q))
        print(anystream.Stream(q).device, anystream.Stream(q).platform)
    """)
    plan, same, devices, equal, stream = out.splitlines()
    assert plan == "anystream_vulkan | record, wait | view"
    assert same == "nothing"
    assert devices == "['vulkan:0', 'vulkan:1']"
    assert equal == "True False"
    assert stream == "vulkan:1 vulkan_example"


def test_slow_kernels() -> None:
    """Right with anystream in every round, wrong without, and the host does not wait."""
    out = vulkan_child("""
        p, q = Queue(Device()), Queue(Device())
        right = running = wrong = 0
        for number in range(8):
            x = Array(p, [0.0] * COUNT)
            x.add(1.0, rounds=SLOW)
            seen = read(from_dlpack(x, q), q)
            running += not p.idle()
            right += seen.tolist() == [1.0] * COUNT

            x = Array(p, [0.0] * COUNT)
            x.add(1.0, rounds=SLOW)
            wrong += read(x, q).tolist() != [1.0] * COUNT
            p.wait()
        print(right, running, wrong)
    """)
    right, running, wrong = map(int, out.split())
    assert (right, running) == (8, 8)
    assert wrong >= 4  # a read that came late saw the end of the kernel


def test_two_streams_of_one_device() -> None:
    """By a semaphore of the device; they may share a VkQueue, as they do on lavapipe."""
    out = vulkan_child("""
        device = Device()
        p, q = Queue(device), Queue(device)
        x = Array(p, [0.0] * COUNT)
        x.add(1.0, rounds=SLOW)
        y = from_dlpack(x, q)
        print(p.idle(), read(y, q).tolist() == [1.0] * COUNT)
    """)
    assert out == "False True\n"


def test_a_chain_through_three_devices() -> None:
    out = vulkan_child("""
        queues = [Queue(Device()) for _ in range(3)]
        x = Array(queues[0], [0.0])
        queues[0].hold()
        for queue in (*queues, *queues):
            x = from_dlpack(x, queue)
            x.add(1.0)
        settle()
        print(x.peek(), [queue.idle() for queue in queues])
        queues[0].let_go()
        print(x.tolist())
    """)
    assert out == "[0.0] [False, False, False]\n[6.0]\n"


def test_the_host_reads_it_without_a_copy() -> None:
    out = vulkan_child("""
        import numpy, threading
        p = Queue(Device())
        x = Array(p, [1.0, 2.0, 3.0, 4.0], (2, 2))
        x.add(1.0, rounds=SLOW)
        seen = anystream.handoff(x, to="numpy")
        print(seen.tolist())
        x.add(1.0)
        p.wait()
        print(seen.tolist(), "the same memory")
    """)
    assert out == "[[2.0, 3.0], [4.0, 5.0]]\n[[3.0, 4.0], [5.0, 6.0]] the same memory\n"


def test_copies() -> None:
    out = vulkan_child("""
        import numpy
        p, q = Queue(Device()), Queue(Device())
        x = from_dlpack(numpy.arange(6, dtype="float32"), p)
        p.hold()
        x.add(1.0)
        print(x.peek())
        p.let_go()
        y = anystream.from_dlpack(x, device="vulkan:1", copy=True, stream=q)
        host = anystream.handoff(y, to="numpy", device="cpu", copy=True)
        x.add(100.0)
        p.wait()
        print(host.tolist(), y.device)
        numbers = numpy.arange(8, dtype="float32")[4:]
        part = anystream.from_dlpack(numbers, device="vulkan:0", stream=p)
        print(anystream.handoff(part, to="numpy", copy=True).tolist())
    """)
    assert out.splitlines() == [
        "[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]",
        "[1.0, 2.0, 3.0, 4.0, 5.0, 6.0] vulkan:1",
        "[4.0, 5.0, 6.0, 7.0]",
    ]


def test_the_way_back() -> None:
    """What the producer queues after the last use waits for the consumer."""
    out = vulkan_child("""
        p, q = Queue(Device()), Queue(Device())
        x = Array(p, [1.0])
        y = from_dlpack(x, q)
        q.hold()
        seen = read(y, q)
        del y
        x.add(10.0)
        settle()
        print(x.peek(), p.idle())
        q.let_go()
        print(seen.tolist(), x.tolist())
    """)
    assert out == "[1.0] False\n[1.0] [11.0]\n"


WRONG = [
    ("Device(99)", "ValueError", "Device(physical) takes the number of one of "),
    ("Device(0, 99)", "ValueError", "Device(family) takes a queue family of "),
    ("Queue(Device(), 99)", "ValueError", "Queue(index) takes the number of one of "),
    ("Array(p, [1.0], (2,))", "ValueError", "Array(shape) takes 1 elements; got (2,)"),
    (
        "anystream.Stream.from_handle('vulkan:0', 4096)",
        "ValueError",
        "there is no Queue of this handle",
    ),
    (
        "anystream.handoff(anystream.from_pointer(4096, (1,), 'float32', 'vulkan:0'), to='numpy')",
        "ValueError",
        "the array's data is no buffer of anystream_vulkan",
    ),
    ("from_dlpack(x, object())", "TypeError", "got an object"),
    (
        "anystream.from_dlpack(x, stream=object())",
        "TypeError",
        'takes None, -1, an anystream_vulkan.Queue, or a "anystream_vulkan_queue" capsule; got',
    ),
    ("anystream.from_dlpack(x, stream=7)", "TypeError", "an anystream_vulkan.Queue"),
    (
        "from_dlpack(__import__('numpy').arange(3), p)",
        "ValueError",
        "from_dlpack takes float32, row-major; got",
    ),
]


@pytest.mark.parametrize(("code", "error", "words"), WRONG, ids=[code for code, *_ in WRONG])
def test_what_is_refused(code: str, error: str, words: str) -> None:
    out = vulkan_child(f"""
        p = Queue(Device())
        x = Array(p, [1.0])
        try:
            {code}
        except Exception as error:
            print(type(error).__name__, error)
    """)
    assert out.startswith(error + " ")
    assert words in " ".join(out.split())


@pytest.mark.parametrize("function", ["vkQueueSubmit", "vkCreateSemaphore", "vkSignalSemaphore"])
def test_a_call_that_fails(function: str) -> None:
    """It is told of, nothing is half done, and the next hand-off works."""
    out = vulkan_child(f"""
        p, q = Queue(Device()), Queue(Device())
        x = Array(p, [1.0])
        p.hold()
        x.add(1.0)
        av._core.fail_next({function!r})
        try:
            from_dlpack(x, q)
        except anystream.DriverError as error:
            print(error)
        y = from_dlpack(x, q)
        seen = read(y, q)
        settle()
        print(seen.peek())
        p.let_go()
        print(seen.tolist())
    """)
    told, early, after = out.splitlines()
    assert told.startswith('platform "vulkan_example": ')
    assert f"{function} failed: VK_ERROR_DEVICE_LOST (-4)" in told
    assert (early, after) == ("[-1.0]", "[2.0]")


def test_threads_use_one_queue_at_once() -> None:
    out = vulkan_child("""
        import threading
        p, q = Queue(Device()), Queue(Device())
        found = []

        def work(number):
            for i in range(25):
                x = Array(p, [float(number)])
                x.add(float(i))
                found.append(read(from_dlpack(x, q), q).tolist() == [float(number + i)])

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(len(found), all(found))
    """)
    assert out == "200 True\n"


def test_whoever_holds_the_lock_is_alone_with_the_queue() -> None:
    out = vulkan_child("""
        import ctypes, ctypes.util, threading
        vulkan = ctypes.CDLL("libvulkan.so.1")
        p, q = Queue(Device()), Queue(Device())
        x = Array(p, [1.0])
        done = threading.Event()

        def hand_over():
            from_dlpack(x, q)
            done.set()

        with locked(p) as vk_queue:
            handing = threading.Thread(target=hand_over)
            handing.start()
            print(vulkan.vkQueueSubmit(ctypes.c_void_p(vk_queue), 0, None, None))
            print("in between", done.wait(0.3))
        print("after", done.wait(60))
        handing.join()
    """)
    assert out == "0\nin between False\nafter True\n"


@pytest.mark.parametrize("how", ["held", "slow", "held, in a thread", "bridged"])
def test_the_end_comes_with_work_pending(how: str) -> None:
    out = vulkan_child(f"""
        p, q = Queue(Device()), Queue(Device())
        how = {how!r}
        x = Array(p, [0.0] * COUNT)
        if how != "slow":
            p.hold()
        x.add(1.0, rounds=0 if how != "slow" else 10 * SLOW)
        if how == "bridged":
            seen = read(from_dlpack(x, q), q)
        if how == "held, in a thread":
            import threading
            threading.Thread(target=p.wait, daemon=True).start()
            settle()
        print("the end")
    """)
    assert out == "the end\n"


def test_what_pending_work_needs_outlives_its_owners() -> None:
    out = vulkan_child("""
        import gc
        q = Queue(Device())
        p = Queue(Device())
        x = Array(p, [1.0])
        p.hold()
        x.add(1.0)
        y = from_dlpack(x, q)
        seen = read(y, q)
        p.let_go()
        del p, x, y
        gc.collect()
        print(seen.tolist())
    """)
    assert out == "[2.0]\n"
