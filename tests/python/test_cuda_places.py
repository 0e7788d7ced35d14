# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Two CUDA devices, contexts of the user's own, threads without one, devices that are not current.

What is current in the caller's thread is that afterwards, too.
"""

import pytest

from cuda_rig import run

STORY = """
    def current():
        return lab.current()

    def story(x, producer, consumer, given=None):
        '''Hand over while the producer is held, recycle while the consumer is: both are right.'''
        before = current()
        driver.hold(producer)
        write(x, 7, producer)
        array = anystream.from_dlpack(x, producer_stream=producer)
        lent = array.__dlpack__(stream=consumer if given is None else given)
        assert current() == before, "there"
        where = array.data_ptr
        read(where, consumer)
        there = lab.early() == UNREAD, lab.outcome()
        driver.hold(consumer)
        read(where, consumer)
        del array, lent
        gc.collect()
        assert current() == before, "back"
        write(x, 9, producer)
        back = lab.early() == UNREAD, lab.outcome()
        assert current() == before, "after"
        return there, back

    def in_context(context, function, *arguments):
        old = ctypes.c_void_p()
        cuda = driver.library
        assert cuda.cuCtxPushCurrent_v2(ctypes.c_void_p(context)) == 0
        try:
            return function(*arguments)
        finally:
            assert cuda.cuCtxPopCurrent_v2(ctypes.byref(old)) == 0

    def context_of(stream):
        found = ctypes.c_void_p()
        assert driver.library.cuStreamGetCtx(ctypes.c_void_p(handle_of(stream)),
                                             ctypes.byref(found)) == 0
        return found.value

    def write(x, value, stream):
        in_context(context_of(stream), lambda: x.fill(value, stream=stream))

    def read(where, stream):
        in_context(context_of(stream), lab.read, where, stream)

    RIGHT = ((True, 7), (True, 7))
"""

OTHER = """
    first = lab.device
    second = lab.core.Device(1)
    second.set_current()
    other = second.create_stream()
    def on_second(function):
        second.set_current()
        try:
            return function()
        finally:
            first.set_current()
    first.set_current()
"""


@pytest.mark.parametrize("current", ["first", "second"])
@pytest.mark.parametrize(
    "form",
    ["other", "handle_of(other)", 'anystream.Stream.from_handle("cuda:1", handle_of(other))'],
    ids=["object", "number", "ours"],
)
def test_between_two_devices(form: str, current: str) -> None:
    """Whichever of them is current: an event of one is waited for on the other."""
    out = run(
        STORY,
        OTHER,
        f"""
        x = lab.buffer()
        {current}.set_current()
        print(story(x, producer, other, {form}) == RIGHT)
        """,
    )
    assert out == ["True"]


def test_a_producer_on_a_device_that_is_not_current() -> None:
    out = run(
        STORY,
        OTHER,
        """
        x = on_second(lambda: second.allocate(SIZE, stream=other))
        third = on_second(second.create_stream)
        print(x.device_id, story(x, other, third) == RIGHT)
        print(story(x, other, consumer) == RIGHT)
        """,
    )
    assert out == ["1 True", "True"]


OWN = """
    cuda = driver.library
    mine, made = ctypes.c_void_p(), ctypes.c_void_p()
    before = lab.current()
    if hasattr(cuda, "cuCtxCreate_v4"):
        assert cuda.cuCtxCreate_v4(ctypes.byref(mine), None, 0, 0) == 0
    else:
        assert cuda.cuCtxCreate_v2(ctypes.byref(mine), 0, 0) == 0
    assert cuda.cuStreamCreate(ctypes.byref(made), 1) == 0
"""


def test_a_context_of_the_users_own() -> None:
    """Whether it is current or not: streams of it are waited for, and none of another is made."""
    out = run(
        STORY,
        OWN,
        """
        own = lab.core.Stream.from_handle(made.value)
        print(lab.current() == mine.value != before)
        x = in_context(before, lab.buffer)
        print(story(x, producer, own) == RIGHT)
        print(in_context(before, story, x, producer, own) == RIGHT)
        print(in_context(before, story, x, own, producer) == RIGHT)
        print(story(x, own, producer) == RIGHT)
        """,
    )
    assert out == ["True"] * 5


def test_the_context_of_a_number_is_asked_for_while_its_stream_is_there() -> None:
    """What stands for its work, when the array goes, is all work of that one."""
    out = run(
        STORY,
        OWN,
        """
        def lend():
            array = anystream.from_dlpack(lab.buffer(), producer_stream=producer)
            array.record_stream(anystream.Stream.from_handle("cuda:0", made.value))
            driver.clear()
        in_context(before, lend)
        gc.collect()
        [call] = driver.calls("cuCtxRecordEvent")
        print(f"context={mine.value:#x}" in call)
        """,
    )
    assert out == ["True"]


@pytest.mark.parametrize("form", ["consumer", "handle_of(consumer)"])
def test_a_thread_without_a_context(form: str) -> None:
    """It has none afterwards either."""
    out = run(
        STORY,
        f"""
        x = lab.buffer()
        found = []
        def work():
            assert lab.current() == 0
            found.append(story(x, producer, consumer, {form}))
            found.append(lab.current())
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        print(found[0] == RIGHT, found[1])
        """,
    )
    assert out == ["True 0"]


def test_default_streams_of_a_thread_without_a_context() -> None:
    """They are those of the array's device."""
    out = run(
        """
        x = lab.buffer()
        found = []
        def work():
            driver.hold(producer)
            array = anystream.from_dlpack(x, producer_stream=producer)
            driver.clear()
            lent = array.__dlpack__(stream=1)
            found.append(names_of(lab.work()))
            del array, lent
            found.append(lab.current())
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        legacy = driver.pending(1)  # of this thread's context, which is the device's
        print(found, names_of(legacy))
        """,
    )
    assert out[0].startswith("[['cuEventCreate', 'cuEventRecord', 'cuStreamWaitEvent'], 0]"), out
    assert out[0].count("cuStreamWaitEvent") >= 2


def test_what_is_no_stream_and_no_device_is_told_of() -> None:
    out = run(
        """
        def told(function):
            try:
                function()
            except ValueError as error:
                return str(error).splitlines()
        x = lab.buffer()
        call = lambda: anystream.from_dlpack(x, producer_stream=producer, stream=0x1234560)
        print(told(call)[0])
        print(told(lambda: anystream.from_dlpack(np.zeros(3), device="cuda:7")))
        """,
    )
    assert out == [
        (
            "what was given as a CUDA stream is none: "
            "cuStreamGetCtx says CUDA_ERROR_INVALID_HANDLE (400)."
        ),
        "['CUDA has no device 7 here.', '  anystream.devices() lists those that there are.']",
    ]


def test_a_copy_to_a_device_that_is_not_current() -> None:
    out = run(
        OTHER,
        """
        before = lab.current()
        x = np.arange(16, dtype=np.float32)
        there = anystream.from_dlpack(x, device="cuda:1", stream=other)
        print(there.device, lab.current() == before)
        print(anystream.handoff(there, to="numpy").tolist() == x.tolist())
        again = anystream.from_dlpack(there, device="cuda:0", stream=consumer)
        print(again.device, lab.current() == before)
        print(anystream.handoff(again, to="numpy").tolist() == x.tolist())
        del there, again
        gc.collect()
        print(lab.current() == before)
        """,
    )
    assert out == ["cuda:1 True", "True", "cuda:0 True", "True", "True"]
