# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""SYCL memory to the host and back: what is a view, what is a copy, and that it is waited for."""

from typing import Any

import pytest

import anystream

np = pytest.importorskip("numpy", reason="numpy is not installed")
KINDS = ["device", "shared", "host"]


def dpnp_array(sycl: Any, kind: str, queue: Any) -> Any:
    import dpnp

    x = dpnp.zeros(sycl.ELEMENTS, dtype="int32", usm_type=kind, sycl_queue=queue)
    queue.wait()
    return x


def usm_memory(sycl: Any, kind: str, queue: Any) -> Any:
    import dpctl.memory

    made = getattr(dpctl.memory, f"MemoryUSM{kind.capitalize()}")(sycl.ELEMENTS * 4, queue=queue)
    made.memset(0)
    queue.wait()
    return made


@pytest.mark.parametrize("in_order", [True, False], ids=["in-order", "out-of-order"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("make", [dpnp_array, usm_memory])
def test_to_the_host(sycl: Any, make: Any, kind: str, in_order: bool) -> None:
    queue = sycl.queue(in_order=in_order)
    x = make(sycl, kind, queue)
    memory = sycl.memory_of(x)
    work = sycl.write_slowly(queue, memory, 7)
    plan = anystream.explain(x, to="numpy")
    assert plan.ordering.what == "host wait if work is pending"
    assert plan.copy.what == ("copy to the host" if kind == "device" else "view")
    assert sycl.pending(work)
    y = anystream.handoff(x, to="numpy")
    assert not sycl.pending(work)
    values = y.view("int32")
    assert (values == 7).all()
    if kind == "device":
        with pytest.raises(BufferError, match="copy=False"):
            anystream.handoff(x, to="numpy", copy=False)
    else:
        assert y.ctypes.data == memory._pointer
        assert anystream.handoff(x, to="numpy", copy=False).ctypes.data == memory._pointer
        copied = anystream.handoff(x, to="numpy", copy=True)
        assert copied.ctypes.data != memory._pointer


@pytest.mark.parametrize("kind", KINDS)
def test_the_memory_outlives_its_array(sycl: Any, kind: str) -> None:
    queue = sycl.queue()
    x = dpnp_array(sycl, kind, queue)
    x += 5
    y = anystream.handoff(x, to="numpy")
    del x
    assert (y == 5).all()


@pytest.mark.parametrize("pending", [False, True])
def test_strict_never_waits_on_the_host(sycl: Any, pending: bool) -> None:
    queue = sycl.queue()
    x = sycl.zeros("dpnp", queue)
    work = sycl.write_slowly(queue, sycl.memory_of(x), 1) if pending else None
    with pytest.raises(anystream.OrderingError, match="host wait"):
        anystream.handoff(x, to="numpy", strict=True)
    assert isinstance(anystream.OrderingError("x"), BufferError)
    assert work is None or sycl.pending(work)


def test_strict_is_content_on_the_device(sycl: Any) -> None:
    producer, consumer = sycl.queue(), sycl.queue()
    x = sycl.zeros("dpnp", producer)
    work = sycl.write_slowly(producer, sycl.memory_of(x), 2)
    y = anystream.handoff(x, to="dpnp", stream=consumer, strict=True)
    assert sycl.pending(work)
    assert (sycl.read(consumer, sycl.memory_of(y)) == 2).all()


def test_ordering_host_waits(sycl: Any) -> None:
    producer, consumer = sycl.queue(), sycl.queue()
    x = sycl.zeros("dpnp", producer)
    work = sycl.write_slowly(producer, sycl.memory_of(x), 2)
    y = anystream.handoff(x, to="dpnp", stream=consumer, ordering="host")
    assert not sycl.pending(work)
    assert y.sycl_queue == consumer


@pytest.mark.parametrize(
    "unordered", [{"ordering": "none"}, {"stream": -1}, {"producer_stream": -1}]
)
def test_no_ordering_is_none(sycl: Any, unordered: dict[str, Any]) -> None:
    producer, consumer = sycl.queue(), sycl.queue()
    x = sycl.zeros("dpnp", producer)
    work = sycl.write_slowly(producer, sycl.memory_of(x), 3)
    array = anystream.from_dlpack(x, **unordered)
    assert array.plan.ordering.what == "none"
    assert sycl.pending(work)
    assert (sycl.read(consumer, sycl.memory_of(x)) != 3).any()
    producer.wait()


@pytest.mark.parametrize("in_order", [True, False], ids=["in-order", "out-of-order"])
def test_a_copy_is_made_in_order_on_the_device(sycl: Any, in_order: bool) -> None:
    producer, queue = sycl.queue(), sycl.queue(in_order=in_order)
    x = sycl.zeros("dpnp", producer)
    work = sycl.write_slowly(producer, sycl.memory_of(x), 4)
    stream = anystream.Stream(queue, out_of_order="barrier")
    y = anystream.handoff(x, to="dpnp", stream=stream, copy=True)
    assert sycl.pending(work)
    sycl.write_slowly(producer, sycl.memory_of(x), 5)
    assert sycl.memory_of(y)._pointer != sycl.memory_of(x)._pointer
    assert (sycl.read(queue, sycl.memory_of(y)) == 4).all()
    producer.wait()


def test_from_the_host_to_a_queue(sycl: Any) -> None:
    queue = sycl.queue()
    x = np.arange(8, dtype="float32")
    y = anystream.handoff(x, to="dpnp", stream=queue)
    assert y.sycl_queue == queue
    x[:] = -1  # the copy has been made
    assert y.asnumpy().tolist() == list(range(8))
    with pytest.raises(BufferError, match="copy=False"):
        anystream.handoff(x, to="dpnp", copy=False)


VIEWS = {
    "sliced": lambda x: x[2:, ::2],
    "transposed": lambda x: x.T,
    "reversed": lambda x: x[::-1, ::-1],
    "offset": lambda x: x[1:],
    "one": lambda x: x[1:2, 1:2],
    "no elements": lambda x: x[:0],
    "no dimensions": lambda x: x[1, 1],
}


@pytest.mark.parametrize("view", VIEWS)
def test_layouts(sycl: Any, view: str) -> None:
    import dpnp

    x = VIEWS[view](dpnp.arange(24, dtype="int32", sycl_queue=sycl.queue()).reshape(4, 6))
    wanted = x.asnumpy().tolist()
    assert anystream.handoff(x, to="numpy").tolist() == wanted
    y = anystream.handoff(x, to="dpnp", stream=sycl.queue())
    assert y.asnumpy().tolist() == wanted
    array = anystream.from_dlpack(x)
    assert array.shape == x.shape
    assert anystream.handoff(array, to="dpnp").asnumpy().tolist() == wanted
    assert anystream.handoff(x, to="dpnp", copy=True).asnumpy().tolist() == wanted


@pytest.mark.filterwarnings("ignore::anystream.ReadOnlyWarning")
def test_read_only_arrays_stay_so(sycl: Any) -> None:
    x = sycl.zeros("dpnp", sycl.queue())
    x.get_array().flags.writable = False
    assert anystream.from_dlpack(x).readonly
    y = anystream.handoff(x, to="dpnp", stream=sycl.queue())
    assert not y.flags.writable
    assert sycl.memory_of(y)._pointer == sycl.memory_of(x)._pointer
    z = anystream.handoff(x, to="dpctl")  # memory objects cannot say so, but the plan does
    assert z._pointer == sycl.memory_of(x)._pointer
    assert "do not write to it" in anystream.explain(x, to="dpctl").copy.why


def test_the_tensors_inside_dpnp_arrays_are_known_too(sycl: Any) -> None:
    producer, consumer = sycl.queue(), sycl.queue()
    x = sycl.zeros("dpnp", producer).get_array()
    work = sycl.write_slowly(producer, x.usm_data, 2)
    y = anystream.handoff(x, to="dpnp", stream=consumer, strict=True)
    assert sycl.pending(work)
    assert (sycl.read(consumer, sycl.memory_of(y)) == 2).all()


def test_anything_with_the_sycl_interface_comes_in(sycl: Any) -> None:
    queue, consumer = sycl.queue(), sycl.queue()
    owner = sycl.zeros("dpctl", queue)

    class Mine:
        @property
        def __sycl_usm_array_interface__(self) -> dict[str, Any]:
            fields = dict(owner.__sycl_usm_array_interface__)
            return fields | {"shape": (16, 32), "typestr": "<i4", "strides": (32, 1), "offset": 512,
                             "data": (fields["data"][0], False)}  # fmt: skip

    x = Mine()
    work = sycl.write_slowly(queue, owner, 6)
    y = anystream.handoff(x, to="dpnp", stream=consumer)
    assert sycl.pending(work)
    assert y.shape == (16, 32)
    assert (y.asnumpy() == 6).all()
    assert anystream.from_dlpack(x).byte_offset == 2048


def test_current_stream(sycl: Any) -> None:
    import dpctl
    import dpnp

    default = dpnp.zeros(1).sycl_queue
    for library in ("dpnp", dpnp, "dpctl", dpctl):
        stream = anystream.current_stream(library, "oneapi:0")
        assert stream == anystream.Stream(default)
        assert anystream.current_stream(library, "cpu") is None
    with pytest.raises(ValueError, match=r"numpy has .* on oneapi:0; it has none on any"):
        anystream.current_stream("numpy", "oneapi:0")
    unknown = r"takes 'numpy', 'torch', .*; got 'nobody'\.\n  Name the stream itself"
    with pytest.raises(ValueError, match=unknown):
        anystream.current_stream("nobody", "oneapi:0")


def test_a_library_without_a_row_is_told_what_works_with_any_library() -> None:
    with pytest.raises(ValueError, match=r"got 'nobody'\.\n  Any library that imports DLPack"):
        anystream.handoff(anystream.testing.SimulatedDevice().empty((1,), "int8"), to="nobody")


def test_devices_and_their_kinds(sycl: Any) -> None:
    import dpctl

    found = anystream.devices()
    assert found[0] == anystream.Device("cpu")
    sycl_devices = [device for device in found if device.type == anystream.DeviceType.ONE_API]
    assert len(sycl_devices) == len(dpctl.get_devices())
    device = sycl_devices[0]
    assert device.kind == dpctl.get_devices()[0].device_type.name
    assert device.name == dpctl.get_devices()[0].name
