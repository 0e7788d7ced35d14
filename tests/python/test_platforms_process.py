# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Registered platforms in processes of their own: forks, ends, device types, what is listed."""

import pytest

from process_rig import child, silent_child

LAB = """
import ctypes, gc, os, sys, threading
import anystream
from anystream import _core
from platform_rig import *
"""

# Every device type without a built-in backend, and some that DLPack has not named.
TYPES = [7, 9, 12, 15, 16, 17, 18, 19, 20, 21, 5, 6, 77]

ORACLE = """
kind = int(sys.argv[1])
device = (kind, 0)
def came_to(value):
    return _core.resolve_stream(value, kind, 0, where="f(stream=…)")
class Unknown: pass
unknown = Unknown()
assert came_to(unknown) == ("foreign", unknown)      # nobody knows it, and there is no platform
queue = LabQueue()
assert came_to(queue) == ("foreign", queue)
anystream.register_platform(kind, "lab", **WHOLE)
form, stream = came_to(queue)
assert form == "stream" and stream.platform == "lab" and stream.device == anystream.Device(device)
assert came_to(None)[0] == "default" and came_to(-1)[0] == "unordered"
assert came_to(stream)[0] == "stream"
def refused(value, error):
    try:
        came_to(value)
    except error as caught:
        assert type(caught) is error
        assert " takes None, -1, or a platform_rig.LabQueue; got " in str(caught), caught
    else:
        raise AssertionError(value)
another = anystream.testing.SimulatedDevice().stream()
for value in (unknown, True, 1, 2, 4096, 2.0, "s", b"s", another):
    refused(value, TypeError)
for value in (-2, 2**64):
    refused(value, ValueError)

array, view = lab_array(kind)
producer, consumer = LabQueue(), LabQueue()
producer.hold()
fill(producer, view, 3)
plan = anystream.explain(array, producer_stream=producer, stream=consumer)
assert plan.ordering.what == "record, wait" and "platform lab" in plan.device.why, plan
result = anystream.from_dlpack(array, producer_stream=producer, stream=consumer)
seen = read(consumer, view)
assert seen == []
producer.resume()
consumer.drain()
assert seen == [3] * 8
try:
    anystream.explain(array, producer_stream=LabQueue(in_order=False), stream=object())
except TypeError as error:
    assert "got an object" in str(error)
del result
gc.collect()
anystream.synchronize()
# None from a consumer: the host waits.
producer.hold()
inner = anystream.from_pointer(4096, (1,), "int32", device, stream=producer)
fill(producer, view, 4)
threading.Timer(0.1, producer.resume).start()
inner.__dlpack__()
assert view[0] == 4
print("done")
"""


@pytest.mark.parametrize("kind", TYPES)
def test_a_platform_on_every_device_type(kind: int) -> None:
    assert child(LAB, ORACLE, arguments=(str(kind),)) == "done\n"


def test_an_unknown_stream_reaches_a_producer_that_may_know_it() -> None:
    script = """
    array, _ = lab_array(7)
    unknown = object()
    anystream.from_dlpack(array, stream=unknown)
    assert array.sent is unknown
    """
    child(LAB, script)


def test_several_platforms_share_a_device_type() -> None:
    script = """
    class Second(LabQueue): pass
    class Third(LabQueue): pass
    anystream.register_platform("ext_dev", "own", **WHOLE)
    anystream.register_platform("ext_dev", "second", **{**WHOLE, "stream": Second},
                                owns=lambda pointer: pointer % 64 == 0 and pointer < 8192)
    anystream.register_platform("ext_dev", "third", **{**WHOLE, "stream": Third},
                                owns=lambda pointer: False)
    def platform_of(pointer):
        array = anystream.from_pointer(pointer, (1,), "int8", "ext_dev")
        return array.device.platform, anystream.from_dlpack(LabArray(array)).device.platform
    assert platform_of(4096)[1] == "second"
    assert platform_of(1 << 20) == ("", "")
    assert anystream.Device("ext_dev", platform="own").platform == ""
    assert anystream.Device("ext_dev", platform="third").platform == "third"
    # The class of a stream tells it, too.
    array = LabArray(anystream.from_pointer(1 << 20, (1,), "int8", "ext_dev"))
    queue = Third()
    result = anystream.from_dlpack(array, producer_stream=queue, stream=queue)
    assert result.device == anystream.Device("ext_dev", platform="third")
    # And the row of a library.
    class Row(LabArray): pass
    anystream.register_library("rows", arrays=Row, platform="third", orders="ignores")
    array = Row(anystream.from_pointer(1 << 20, (1,), "int8", "ext_dev"))
    assert anystream.from_dlpack(array).device.platform == "third"
    simulated = anystream.testing.SimulatedDevice().empty((1,), "int8")
    assert anystream.from_dlpack(simulated).device.platform == "simulated"
    """
    child(LAB, script)


HANDLES = """
queues = {}
class Handle:
    def __init__(self):
        self.queue = LabQueue()
        self.ptr = 4096 + 64 * len(queues)
        queues[self.ptr] = self.queue
class Wrapped:
    def __init__(self, ptr): self.ptr = ptr
def at(ptr):
    assert type(ptr) is int
    return queues[ptr]
given = {key: WHOLE[key] for key in ("complete", "synchronize")}
anystream.register_platform("vulkan", "handles", stream=Handle, handle="attr:ptr",
    capsule="lab_queue", integers=True, record=lambda ptr: record(at(ptr)),
    wait=lambda ptr, mark: wait(at(ptr), mark), device_of=lambda ptr: ptr // 64 - 64,
    takes="a Handle of the test's", fix="Pass it.", **given)
"""


def test_handles_may_be_numbers() -> None:
    script = """
    from stream_values import capsule
    first, second = Handle(), Handle()
    stream = anystream.Stream(first)  # it tells its device
    assert (stream.handle, stream.device.id) == (4096, 0)
    assert anystream.Stream(second).device.id == 1
    assert anystream.Stream(capsule("lab_queue", second.ptr)).handle == second.ptr
    assert anystream.Stream.from_handle("vulkan:0", first.ptr) == stream
    kind, found = _core.resolve_stream(4096, 7, 0)
    assert kind == "stream" and found == stream
    try:
        _core.resolve_stream("s", 7, 0, where="f(stream=…)")
    except TypeError as error:
        assert str(error) == (
            'f(stream=…): a handles kDLVulkan array takes None, -1, a handle > 0, a Handle of '
            "the test's, or a \\"lab_queue\\" capsule; got str 's'.\\n  Pass it."), error
    for wrong in (0, capsule("used_lab_queue")):
        try:
            _core.resolve_stream(wrong, 7, 0)
        except ValueError:
            continue
        raise AssertionError(wrong)
    assert stream.__dlpack_stream__()[:2] == (7, 0)
    assert anystream.Stream(Told(stream)) == stream
    anystream.register_stream_type(Wrapped, "handles")
    assert anystream.Stream(Wrapped(4096)) == stream
    first.queue.hold()
    anystream.Stream(second).wait_stream(first)
    assert second.queue.pending() == 1
    first.queue.resume()
    second.queue.drain()
    """
    told = """
    class Told:
        def __init__(self, stream): self.stream = stream
        def __dlpack_stream__(self): return self.stream.__dlpack_stream__()
    """
    child(LAB, HANDLES, told, script)


def test_a_class_of_ones_own_on_a_built_in_platform() -> None:
    script = """
    class Mine:
        ptr = 4096
    anystream.register_stream_type(Mine, "sycl", handle="capsule:to_capsule")
    class Simulated:
        def __init__(self, stream): self.stream = stream
        def capsule(self): return self.stream._get_capsule()
    anystream.register_stream_type(Simulated, "simulated", handle="capsule:capsule")
    stream = anystream.testing.SimulatedDevice().stream()
    assert anystream.Stream(Simulated(stream)) == anystream.Stream(stream)
    class Cuda:
        ptr = 0
    anystream.register_stream_type("__main__:Cuda", "cuda", handle=lambda s: s.ptr, null_means=2)
    try:
        assert _core.resolve_stream(Cuda(), 2, 0)[1].handle == 2
    except anystream.DriverUnavailable:
        pass  # it was taken: there is no driver to make a stream of it
    try:
        _core.resolve_stream(Mine(), 2, 0)
    except TypeError as error:
        assert "got a __main__.Mine" in str(error), error
    else:
        raise AssertionError("a stream of SYCL was taken for one of CUDA")
    """
    child(LAB, script)


def test_a_forked_child_calls_nothing_of_its_parents() -> None:
    script = """
    calls = []
    def told(name):
        def call(*given):
            calls.append(os.getpid())
            return WHOLE[name](*given)
        return call
    given = {**WHOLE, **{name: told(name) for name in ("record", "wait", "complete", "synchronize",
                                                       "allocate", "deallocate")}}
    anystream.register_platform(77, "lab", **given)
    queue, other = LabQueue(), LabQueue()
    stream = anystream.Stream(queue, device=(77, 0))
    array, _ = lab_array(77)
    held = anystream.from_dlpack(array, producer_stream=queue, stream=other)
    other.hold()
    pid = os.fork()
    if pid == 0:
        calls.clear()
        try:
            stream.record()
        except anystream.DriverUnavailable as error:
            assert "the process that this one was forked from" in str(error)
        else:
            os._exit(3)
        gone = Owner.gone
        del held
        gc.collect()
        stream = None
        gc.collect()
        os._exit(0 if calls == [] and Owner.gone == gone else 4)
    assert os.waitpid(pid, 0)[1] == 0
    other.resume()
    """
    child(LAB, script)


def test_a_process_may_end_with_work_pending() -> None:
    script = """
    anystream.register_platform(77, "lab", **WHOLE)
    queue, other = LabQueue(), LabQueue()
    array, _ = lab_array(77)
    held = anystream.from_dlpack(array, producer_stream=queue, stream=other)
    other.hold()
    del held, array
    stream = anystream.Stream(queue, device=(77, 0))
    sys.stream = stream  # goes with the interpreter
    """
    silent_child(LAB, script)


def test_the_host_waits_without_the_gil() -> None:
    script = """
    anystream.register_platform(77, "lab", **WHOLE)
    queue = LabQueue()
    queue.hold()
    event = anystream.Stream(queue, device=(77, 0)).record()
    waiting = threading.Thread(target=event.synchronize)
    waiting.start()
    assert not event.query()  # another thread has the GIL meanwhile
    queue.resume()
    waiting.join()
    assert event.query()
    """
    child(LAB, script)
