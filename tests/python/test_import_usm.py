# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""dpnp's arrays read from their struct: what they are then is what dpnp's own export says."""

import gc
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import anystream
from anystream import _handoff
from anystream._facts import prepare

DTYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64", "complex64", "complex128"),
)
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "plain": lambda x: x,
    "no dimensions": lambda x: x[1, 2, 3],
    "no elements": lambda x: x[:, :0],
    "an offset": lambda x: x[1:],
    "transposed": lambda x: x.transpose(),
    "gaps": lambda x: x[:, ::2, 1:3],
    "backwards": lambda x: x[::-1, :, ::-1],
    "ones": lambda x: x[:, :1],
    "columns first": lambda x: x.copy(order="F"),
    "repeated": lambda x: sys.modules["dpnp"].broadcast_to(x[0, 0], (2, 3, 4)),
}
FIELDS = ("data_ptr", "byte_offset", "shape", "strides", "dtype", "device")


def made(queue: Any, *, dtype: str = "float32", usm_type: str = "device") -> Any:
    import dpnp

    x = dpnp.arange(24, dtype="int64", sycl_queue=queue, usm_type=usm_type)
    y = x.astype(dtype).reshape(2, 3, 4)
    dpnp.synchronize_array_data(y)  # what dpnp keeps until then would be counted with ours
    return y


def refuse_to_plan(*_: Any) -> Any:
    pytest.fail("the planner was asked")


def quickly(x: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import an array as all are after the first one of its class, queue and kind of memory."""
    anystream.from_dlpack(x)
    with monkeypatch.context() as patched:
        patched.setattr(_handoff, "prepare", refuse_to_plan)
        return anystream.from_dlpack(x)


def check(x: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    array = quickly(x, monkeypatch)
    told = anystream.from_dlpack(x.__dlpack__(max_version=(1, 0)))
    for field in FIELDS:
        assert getattr(array, field) == getattr(told, field), field
    # Not compared: dpnp's versioned capsules call every array without dimensions read-only.
    assert array.readonly is not x.flags.writable
    assert array.memory_kind == x.usm_type
    assert array.stream == anystream.Stream(x.sycl_queue)
    assert array.stream.in_order == x.sycl_queue.is_in_order
    assert array.plan is anystream.explain(x)
    assert array.plan.actions.route == "usm struct"
    assert anystream.handoff(array, to="numpy").tolist() == x.asnumpy().tolist()


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(sycl: Any, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check(made(sycl.queue(), dtype=dtype), monkeypatch)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(sycl: Any, layout: str, monkeypatch: pytest.MonkeyPatch) -> None:
    x = LAYOUTS[layout](made(sycl.queue()))
    check(x, monkeypatch)


@pytest.mark.parametrize("usm_type", ["device", "shared", "host"])
@pytest.mark.parametrize("in_order", [True, False], ids=["in-order", "out-of-order"])
def test_memory_and_queues(
    sycl: Any, usm_type: str, in_order: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    check(made(sycl.queue(in_order=in_order), usm_type=usm_type), monkeypatch)


def test_the_kinds_of_memory_of_one_queue_have_their_plans(
    sycl: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = sycl.queue()
    several = [made(queue, usm_type=kind) for kind in ("device", "shared", "host")]
    for x in several * 2:
        check(x, monkeypatch)


def test_more_queues_than_are_remembered(sycl: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    several = [made(sycl.queue()) for _ in range(20)]
    for x in several * 2:
        check(x, monkeypatch)


def test_read_only_stays_read_only(sycl: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x = made(sycl.queue())
    x.flags.writable = False
    assert quickly(x, monkeypatch).readonly
    check(x, monkeypatch)
    x.flags.writable = True
    assert not quickly(x, monkeypatch).readonly


def test_the_struct_of_the_tensor_itself(sycl: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x = made(sycl.queue())
    array = quickly(x.get_array(), monkeypatch)
    assert array.plan is quickly(x, monkeypatch).plan
    assert (array.data_ptr, array.shape) == (x.get_array().usm_data._pointer, x.shape)


# ---- order --------------------------------------------------------------------------------------


@pytest.mark.parametrize("in_order", [True, False], ids=["in-order", "out-of-order"])
@pytest.mark.parametrize("to", ["dpnp", "dpctl"])
def test_what_is_pending_is_ordered(
    sycl: Any, to: str, in_order: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    producer, consumer = sycl.queue(in_order=in_order), sycl.queue()
    x = sycl.zeros("dpnp", producer)
    memory = sycl.memory_of(x)
    assert sycl.unordered_read_is_wrong(producer, consumer, memory)
    quickly(x, monkeypatch)
    work = sycl.write_slowly(producer, memory, 2)
    y = anystream.handoff(quickly(x, monkeypatch), to=to, stream=consumer)
    assert sycl.pending(work), "the host waited"
    assert (sycl.read(consumer, sycl.memory_of(y)) == 2).all()


def test_an_export_to_a_queue_is_ordered(sycl: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    producer, consumer = sycl.queue(), sycl.queue()
    x = sycl.zeros("dpnp", producer)
    memory = sycl.memory_of(x)
    assert sycl.unordered_read_is_wrong(producer, consumer, memory)
    quickly(x, monkeypatch)
    work = sycl.write_slowly(producer, memory, 2)
    array = quickly(x, monkeypatch)
    capsule = array.__dlpack__(stream=consumer, max_version=(1, 0))
    assert sycl.pending(work), "the host waited"
    assert (sycl.read(consumer, memory) == 2).all()
    assert anystream.from_dlpack(capsule).data_ptr == array.data_ptr


def test_the_host_waits_for_what_is_pending(sycl: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    producer = sycl.queue()
    x = sycl.zeros("dpnp", producer)
    quickly(x, monkeypatch)
    sycl.write_slowly(producer, sycl.memory_of(x), 2)
    assert (anystream.handoff(quickly(x, monkeypatch), to="numpy") == 2).all()


# ---- lifetimes ----------------------------------------------------------------------------------


def test_the_memory_lives_as_long_as_the_array(sycl: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x = made(sycl.queue(), usm_type="shared")
    memory = x.get_array().usm_data
    array = quickly(x, monkeypatch)
    before = sys.getrefcount(memory)
    del x
    gc.collect()
    assert sys.getrefcount(memory) == before - 1, "of the array of dpnp's that has gone"
    assert anystream.handoff(array, to="numpy").tolist()[1][2][3] == 23
    held = sys.getrefcount(memory)
    del array
    assert sys.getrefcount(memory) == held - 1


def test_an_export_keeps_the_memory(sycl: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x = made(sycl.queue(), usm_type="shared")
    capsule = quickly(x, monkeypatch).__dlpack__(max_version=(1, 0))
    memory = x.get_array().usm_data
    held = sys.getrefcount(memory)
    values = anystream.handoff(anystream.from_dlpack(capsule), to="numpy")
    assert values.tolist() == x.asnumpy().tolist()
    del values, capsule
    gc.collect()
    assert sys.getrefcount(memory) == held - 1


def test_an_object_that_is_given_another_array(sycl: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x = made(sycl.queue(), usm_type="shared")
    array = quickly(x, monkeypatch)
    x._array_obj = made(sycl.queue(), usm_type="shared").get_array() * 2
    gc.collect()
    assert anystream.handoff(array, to="numpy").tolist()[1][2] == [20, 21, 22, 23]
    assert anystream.handoff(x, to="numpy").tolist()[1][2] == [40, 42, 44, 46]


def test_shape_is_copied(sycl: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x = made(sycl.queue())
    array = quickly(x, monkeypatch)
    x.shape = (24,)
    assert array.shape == (2, 3, 4)
    assert quickly(x, monkeypatch).shape == (24,)


# ---- what goes the slow way ---------------------------------------------------------------------


def test_a_subclass_goes_by_its_own_method(sycl: Any) -> None:
    import dpnp

    calls = []

    class Mine(dpnp.ndarray):  # type: ignore[misc, name-defined, unused-ignore]
        def __dlpack__(self, **keywords: Any) -> Any:
            calls.append(keywords)
            return super().__dlpack__(**keywords)

    x = Mine((3,), sycl_queue=sycl.queue())
    for _ in range(2):
        array: Any = anystream.from_dlpack(x)
        assert array.plan.actions.route == "dlpack"
    assert len(calls) == 2


def test_a_patched_class_is_forgotten(sycl: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import dpnp

    x = made(sycl.queue())
    quickly(x, monkeypatch)
    planned = []

    def counted(request: Any) -> Any:
        planned.append(request)
        return prepare(request)

    monkeypatch.setattr(dpnp.ndarray, "something", 1, raising=False)
    monkeypatch.setattr(_handoff, "prepare", counted)
    anystream.from_dlpack(x)
    assert len(planned) == 1
    anystream.from_dlpack(x)
    assert len(planned) == 1, "it is remembered again"


def test_a_patched_slot_is_not_read(sycl: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import dpnp

    x, other = made(sycl.queue()), made(sycl.queue()).get_array()
    quickly(x, monkeypatch)
    monkeypatch.setattr(dpnp.ndarray, "_array_obj", property(lambda _: other))
    array = anystream.from_dlpack(x)
    assert array.plan.actions.route == "dlpack"
    assert array.data_ptr == other.usm_data._pointer


def test_another_context_is_refused_as_by_its_own_method(sycl: Any) -> None:
    x = made(sycl.queue(context=sycl.other_context()))
    assert anystream.explain(x).actions.route == "dlpack"
    for _ in range(2):
        with pytest.raises(BufferError, match="another SYCL context"):
            anystream.from_dlpack(x)
        anystream.from_dlpack(made(sycl.queue()))


def test_a_part_of_a_device_is_refused_as_by_its_own_method(sycl: Any) -> None:
    import dpctl

    try:
        part = dpctl.SyclDevice().create_sub_devices(partition=[1])[0]
    except dpctl.SyclSubDeviceCreationError:
        pytest.skip("this device has no parts")
    x = made(dpctl.SyclQueue(part, property="in_order"))
    assert anystream.explain(x).actions.route == "dlpack"
    with pytest.raises(BufferError, match="sub-device"):
        anystream.from_dlpack(x)


FORKED = """
import os, sys
from anystream.testing import use_cpu_sycl
use_cpu_sycl()
import anystream, dpnp
x = dpnp.arange(3)
arrays = [anystream.from_dlpack(x) for _ in range(3)]
if os.fork() == 0:
    try:
        anystream.from_dlpack(x)
    except anystream.DriverUnavailable:
        arrays.clear()
        print("refused", flush=True)
    os._exit(0)
os.wait()
print(anystream.handoff(arrays[2], to="numpy").tolist())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_nothing_is_quick_in_a_forked_child(sycl: Any) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORKED], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "refused\n[0, 1, 2]\n"), done.stderr


def test_what_is_named_is_planned(sycl: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x, producer, consumer = made(sycl.queue()), sycl.queue(), sycl.queue()
    quickly(x, monkeypatch)
    assert anystream.from_dlpack(x, stream=consumer).stream == anystream.Stream(consumer)
    named = anystream.from_dlpack(x, producer_stream=producer)
    assert named.stream == anystream.Stream(producer)
    assert anystream.from_dlpack(x, producer_stream=-1).stream is None
    copy = anystream.from_dlpack(x, copy=True)
    assert copy.data_ptr != anystream.from_dlpack(x).data_ptr
    x.sycl_queue.wait()
    assert anystream.from_dlpack(x, device="cpu").device == anystream.Device("cpu")
