# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Array on real SYCL memory: the interface of unified shared memory, host views, and waits."""

from typing import Any

import pytest

import anystream
from anystream._core import _array_from_pointer
from ctypes_tensors import READ_ONLY, Taken
from export_rig import EXPORTERS
from protocol_rig import LAYOUTS, SPELT, Layout, memory_of, steps_taken

FLOAT = (2, 32, 1)


def array_on(
    memory: Any,
    shape: tuple[int, ...] = (4,),
    strides: tuple[int, ...] | None = None,
    dtype: tuple[int, int, int] = FLOAT,
    *,
    offset: int = 0,
    stream: Any = None,
    readonly: bool = False,
) -> anystream.Array:
    return _array_from_pointer(
        memory._pointer,
        shape,
        strides,
        dtype,
        (14, root_id(memory.sycl_queue)),
        byte_offset=offset,
        readonly=readonly,
        owner=memory,
        stream=None if stream is None else anystream.Stream(stream),
        plan=None,
    )


def root_id(queue: Any) -> int:
    return int(anystream.Stream(queue).device.id)


def shared(queue: Any, nbytes: int = 64) -> Any:
    import dpctl.memory

    memory = dpctl.memory.MemoryUSMShared(nbytes, queue=queue)
    memory.copy_from_host(bytes(range(nbytes)))
    return memory


@EXPORTERS
def test_every_field_of_the_interface(sycl: Any, exporter: Any) -> None:
    queue = sycl.queue()
    memory = shared(queue)
    array = array_on(memory, (2, 3), (4, 1), offset=8, stream=queue)
    interface = exporter(array).__sycl_usm_array_interface__
    assert interface["shape"] == (2, 3)
    assert interface["typestr"] == "<f4"
    assert interface["data"] == (memory._pointer, False)
    assert interface["strides"] == (4, 1)
    assert interface["offset"] == 2
    assert interface["version"] == 1
    assert interface["syclobj"] == anystream.Stream(queue)


def test_strides_are_left_out_where_there_are_no_gaps(sycl: Any) -> None:
    memory = shared(sycl.queue())
    assert array_on(memory, (2, 3), (3, 1)).__sycl_usm_array_interface__["strides"] is None
    assert array_on(memory, (1, 3), (9, 1)).__sycl_usm_array_interface__["strides"] is None
    assert array_on(memory, (2, 3), (1, 2)).__sycl_usm_array_interface__["strides"] == (1, 2)
    assert array_on(memory, ()).__sycl_usm_array_interface__["strides"] is None


def test_what_is_no_whole_number_of_elements_goes_into_the_pointer(sycl: Any) -> None:
    memory = shared(sycl.queue())
    interface = array_on(memory, (2,), offset=6).__sycl_usm_array_interface__
    assert interface["data"] == (memory._pointer + 6, False)
    assert interface["offset"] == 0


@EXPORTERS
@pytest.mark.parametrize("readonly", [False, True])
def test_the_flag_says_read_only(sycl: Any, exporter: Any, *, readonly: bool) -> None:
    """As the published text has it, and as arrays are read; and said, by their own library."""
    import dpnp.tensor

    memory = shared(sycl.queue())
    exported = exporter(array_on(memory, readonly=readonly))
    assert exported.__sycl_usm_array_interface__["data"] == (memory._pointer, readonly)
    seen = dpnp.tensor.asarray(exported)
    assert seen.usm_data._pointer == memory._pointer
    assert seen.flags.writable is not readonly
    assert seen.__sycl_usm_array_interface__["data"][1] is readonly


def test_bare_memory_says_true_whatever_the_flag_said(sycl: Any) -> None:
    """It has no read-only form, and its flag means nothing: so a row of the peers table has it."""
    import dpctl.memory

    memory = shared(sycl.queue())
    assert memory.__sycl_usm_array_interface__["data"] == (memory._pointer, True)
    for readonly in (False, True):
        seen = dpctl.memory.as_usm_memory(array_on(memory, readonly=readonly))
        assert seen.__sycl_usm_array_interface__["data"] == (memory._pointer, True)


@pytest.mark.parametrize("name", SPELT)
def test_typestr_is_read_as_that_type(sycl: Any, name: str) -> None:
    import dpnp.tensor

    dtype, _, typestr = SPELT[name]
    memory = memory_of(dtype)
    there = shared(sycl.queue(), len(memory.raw))
    there.copy_from_host(bytes(memory.raw))
    array = array_on(there, (2, 3), (1, 2), dtype, offset=memory.itemsize)
    assert array.__sycl_usm_array_interface__["typestr"] == typestr
    seen = dpnp.tensor.asarray(array)
    assert seen.dtype.name == name
    wanted = memory.values(Layout((2, 3), (1, 2), 1))
    assert dpnp.tensor.asnumpy(seen).tobytes() == wanted


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_are_read_as_they_are(sycl: Any, layout: str) -> None:
    import dpnp.tensor

    where, memory = LAYOUTS[layout], memory_of(FLOAT)
    there = shared(sycl.queue(), len(memory.raw))
    there.copy_from_host(bytes(memory.raw))
    array = array_on(there, where.shape, where.strides, offset=4 * where.first)
    interface = array.__sycl_usm_array_interface__
    assert (interface["shape"], interface["offset"]) == (where.shape, where.first)
    assert interface["strides"] == (None if where.c else where.strides)
    if any(step < 0 for step in steps_taken(where, where.strides)):
        with pytest.raises(ValueError, match="can not accommodate the requested array"):
            dpnp.tensor.asarray(array)  # it looks for them above the first element only
        return
    seen = dpnp.tensor.asarray(array)
    assert seen.shape == where.shape
    assert dpnp.tensor.asnumpy(seen).tobytes() == memory.values(where)


@pytest.mark.parametrize("dtype", [(4, 16, 1), (2, 32, 2), (10, 8, 1), (17, 4, 1), (3, 64, 1)])
def test_elements_without_a_typestr_have_no_interface(
    sycl: Any, dtype: tuple[int, int, int]
) -> None:
    array = array_on(shared(sycl.queue()), (2,), dtype=dtype)
    assert not hasattr(array, "__sycl_usm_array_interface__")
    with pytest.raises(AttributeError, match="have no typestr"):
        _ = array.__sycl_usm_array_interface__


def test_elsewhere_there_is_no_interface() -> None:
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    array = anystream.from_dlpack(numpy.zeros(3))
    with pytest.raises(AttributeError, match="this is a kDLCPU array"):
        _ = array.__sycl_usm_array_interface__


@EXPORTERS
def test_dpctl_reads_it(sycl: Any, exporter: Any) -> None:
    import dpctl.memory

    queue = sycl.queue()
    memory = shared(queue)
    array = array_on(memory, (8,), offset=16, stream=queue)
    seen = dpctl.memory.as_usm_memory(exporter(array))
    assert seen.sycl_queue == queue
    assert seen.nbytes == 32
    assert seen.tobytes() == bytes(range(16, 48))


def test_dpctl_reads_it_without_a_stream(sycl: Any) -> None:
    """The device's number stands for its platform's default context."""
    import dpctl.memory

    memory = shared(sycl.queue())
    seen = dpctl.memory.as_usm_memory(array_on(memory, (16,)))
    assert seen.sycl_device == memory.sycl_device
    assert seen.tobytes() == bytes(range(64))


@pytest.mark.parametrize("kind", ["shared", "host", "device"])
def test_kinds_of_memory(sycl: Any, kind: str) -> None:
    import dpctl.memory

    queue = sycl.queue()
    make = getattr(dpctl.memory, f"MemoryUSM{kind.capitalize()}")
    assert array_on(make(64, queue=queue), stream=queue).memory_kind == kind


@pytest.mark.parametrize("kind", ["Shared", "Host"])
def test_the_host_sees_what_was_pending(sycl: Any, kind: str) -> None:
    import dpctl.memory

    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    queue = sycl.queue()
    memory = getattr(dpctl.memory, f"MemoryUSM{kind}")(sycl.ELEMENTS * 4, queue=queue)
    array = array_on(memory, (sycl.ELEMENTS,), dtype=(0, 32, 1), stream=queue)
    work = sycl.write_slowly(queue, memory, 5)
    assert sycl.pending(work)
    seen = numpy.from_dlpack(array, device="cpu", copy=False)
    assert seen.ctypes.data == memory._pointer
    assert (seen == 5).all()


def test_device_memory_is_copied_when_it_has_been_written(sycl: Any) -> None:
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    queue = sycl.queue(in_order=False)
    memory = sycl.zeros("dpctl", queue)
    array = array_on(memory, (sycl.ELEMENTS,), dtype=(0, 32, 1), stream=queue)
    sycl.write_slowly(queue, memory, 6)
    seen = numpy.from_dlpack(array, device="cpu")
    assert seen.ctypes.data != memory._pointer
    assert (seen == 6).all()
    with pytest.raises(BufferError, match="the host cannot read a kDLOneAPI array"):
        array.__dlpack__(dl_device=(1, 0), copy=False)


def test_none_waits_on_the_host(sycl: Any) -> None:
    queue = sycl.queue()
    memory = sycl.zeros("dpctl", queue)
    array = array_on(memory, (sycl.ELEMENTS,), dtype=(0, 32, 1), stream=queue)
    work = sycl.write_slowly(queue, memory, 7)
    capsule = array.__dlpack__()
    assert not sycl.pending(work)
    assert Taken.of(capsule).data == memory._pointer


def test_no_ordering_does_not_wait(sycl: Any) -> None:
    queue = sycl.queue()
    memory = sycl.zeros("dpctl", queue)
    array = array_on(memory, (sycl.ELEMENTS,), dtype=(0, 32, 1), stream=queue)
    work = sycl.write_slowly(queue, memory, 8)
    array.__dlpack__(stream=-1)
    assert sycl.pending(work)
    queue.wait()


@EXPORTERS
def test_dpnp_takes_it(sycl: Any, exporter: Any) -> None:
    import dpnp

    queue = sycl.queue()
    memory = shared(queue)
    array = array_on(memory, (2, 4), dtype=(1, 8, 1), stream=queue, readonly=True)
    seen = dpnp.from_dlpack(exporter(array))
    assert dpnp.asnumpy(seen).tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert seen.get_array().usm_data._pointer == memory._pointer
    assert seen.flags.writable is False


def test_a_context_that_dlpack_does_not_mean_is_refused(sycl: Any) -> None:
    """DLPack's number of a device stands for the default context of its platform."""
    queue = sycl.queue(context=sycl.other_context())
    memory = shared(queue)
    array = array_on(memory, stream=queue)
    other = sycl.zeros("dpctl", queue)  # freeing it would wait
    work = sycl.write_slowly(queue, other, 9)
    with pytest.raises(BufferError, match="context"):
        array.__dlpack__(stream=queue)
    with pytest.raises(BufferError, match="context"):
        array.__dlpack__()
    assert sycl.pending(work)  # it was refused before anything was waited for
    queue.wait()
    assert array.__sycl_usm_array_interface__["data"][0] == memory._pointer


def test_a_queue_out_of_order_is_refused(sycl: Any) -> None:
    memory = shared(sycl.queue())
    array = array_on(memory, stream=sycl.queue())
    with pytest.raises(ValueError, match=r'anystream\.Stream\(q, out_of_order="barrier"\)'):
        array.__dlpack__(stream=sycl.queue(in_order=False))


def test_a_copy_on_the_device(sycl: Any) -> None:
    import dpnp

    queue = sycl.queue()
    memory = sycl.zeros("dpctl", queue)
    array = array_on(memory, (sycl.ELEMENTS,), dtype=(0, 32, 1), stream=queue)
    work = sycl.write_slowly(queue, memory, 10)
    reader = sycl.queue()
    capsule = array.__dlpack__(stream=reader, copy=True, max_version=(1, 0))
    assert sycl.pending(work)

    class Handed:
        def __dlpack__(self, **_: Any) -> Any:
            return capsule

        def __dlpack_device__(self) -> tuple[int, int]:
            return array.__dlpack_device__()

    copied = dpnp.from_dlpack(Handed()).get_array().usm_data
    assert copied._pointer != memory._pointer
    assert (sycl.read(reader, copied) == 10).all()


def test_read_only_memory_keeps_its_flag(sycl: Any) -> None:
    array = array_on(shared(sycl.queue()), readonly=True)
    assert Taken.of(array.__dlpack__(max_version=(1, 0))).flags == READ_ONLY
