# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Libraries that use the C exchange API of ``anystream.Array``: tvm_ffi, and torch by its own."""

import ctypes
import gc
from typing import Any

import pytest

import anystream
from anystream._core import _array_from_capsule
from anystream.testing import SimulatedDevice
from ctypes_tensors import READ_ONLY, Producer
from exchange_rig import Api, prototype
from simulated_rig import Race
from stand_ins import Memory


@pytest.fixture
def tvm_ffi() -> Any:
    return pytest.importorskip("tvm_ffi", reason="tvm_ffi is not installed")


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch", reason="torch is not installed")


# ---- tvm_ffi.from_dlpack -------------------------------------------------------------------------


def test_tvm_ffi_imports_by_the_table(tvm_ffi: Any) -> None:
    producer = Producer((2, 3), flags=READ_ONLY)
    array = _array_from_capsule(producer.capsule(), None, None)
    with pytest.raises(BufferError, match="read-only"):
        array.__dlpack__()  # what it calls where there is no table
    tensor = tvm_ffi.from_dlpack(array)
    assert tuple(tensor.shape) == (2, 3)
    del array
    gc.collect()
    assert producer.deleted == 0
    del tensor
    gc.collect()
    assert producer.deleted == 1


def test_tvm_ffi_imports_nothing_unordered(tvm_ffi: Any) -> None:
    race = Race()
    source = race.produce()
    with anystream.use_stream(race.consumer):
        tensor = tvm_ffi.from_dlpack(source)
    assert (tensor.device.dlpack_device_type(), tensor.device.index) == (12, source.device.id)
    assert race.finish(race.read(source))


# ---- functions of tvm_ffi ------------------------------------------------------------------------


def test_a_function_gives_arrays_back(tvm_ffi: Any) -> None:
    producer = Producer((2, 3))
    array = _array_from_capsule(producer.capsule(), None, None)
    back = tvm_ffi.get_global_func("testing.echo")(array)
    assert type(back) is anystream.Array
    assert back is not array
    assert (back.shape, back.strides, back.data_ptr) == ((2, 3), (3, 1), producer.address)
    del array
    gc.collect()
    assert producer.deleted == 0
    del back
    gc.collect()
    assert producer.deleted == 1


def test_a_function_runs_on_the_stream_in_use(tvm_ffi: Any) -> None:
    race = Race()
    seen: list[int] = []

    def kernel(one: Any) -> Any:
        seen.append(tvm_ffi.get_raw_stream(one.device))
        return one

    function = tvm_ffi.convert(kernel)
    for _ in range(100):
        source = race.produce()
        race.show_it_is_wrong_without(source)
        with anystream.use_stream(race.consumer):
            back = function(source)
            target = race.read(back)
        assert back.stream == anystream.Stream(race.consumer)
        # Its writing, records, and waits for what the function has given back: the host has not.
        assert race.producer.pending in range(2, 6)
        assert race.finish(target)
        race.producer.synchronize()
        del source, back  # while the producer is idle
    assert seen == [race.consumer.handle] * 100


def test_a_function_runs_on_the_sycl_queue_in_use(tvm_ffi: Any, sycl: Any) -> None:
    producer, consumer = sycl.queue(), sycl.queue()
    x = sycl.zeros("dpnp", producer)
    memory = sycl.memory_of(x)
    array = anystream.from_dlpack(x)
    assert sycl.unordered_read_is_wrong(producer, consumer, memory)
    seen: list[Any] = []

    def kernel(one: Any) -> None:
        raw = tvm_ffi.get_raw_stream(one.device)
        stream = anystream.Stream.from_handle("oneapi:0", raw)
        seen.extend((one.device, stream, sycl.pending(work), sycl.read(consumer, memory)))

    function = tvm_ffi.convert(kernel)
    work = sycl.write_slowly(producer, memory, 42)
    with anystream.use_stream(consumer):
        function(array)
        device, stream, was_pending, read = seen
        assert tvm_ffi.get_raw_stream(device) == 0  # of the call only
    assert stream == anystream.Stream(consumer)
    assert was_pending, "the host has waited"
    assert (read == 42).all()


def test_a_function_that_is_told_no_stream_gets_finished_work(tvm_ffi: Any, sycl: Any) -> None:
    producer = sycl.queue()
    x = sycl.zeros("dpnp", producer)
    array = anystream.from_dlpack(x)
    seen: list[Any] = []

    def kernel(one: Any) -> None:
        seen.extend((tvm_ffi.get_raw_stream(one.device), sycl.pending(work)))

    function = tvm_ffi.convert(kernel)
    work = sycl.write_slowly(producer, sycl.memory_of(x), 42)
    function(array)
    assert seen == [0, False]


def test_a_function_allocates_where_its_array_is(tvm_ffi: Any) -> None:
    """TVMFFIEnvTensorAlloc asks the table of the call's array; only ours knows this memory."""
    library = ctypes.CDLL(tvm_ffi.libinfo.find_libtvm_ffi())
    device = SimulatedDevice()
    made: list[int] = []

    def kernel(_: Any) -> None:
        for where in ((12, device.device.id), (1, 0), (12, 999_999)):
            out = ctypes.c_void_p()
            like = prototype((4,), device=where)
            made.append(library.TVMFFIEnvTensorAlloc(ctypes.byref(like), ctypes.byref(out)))
            if out.value:
                library.TVMFFIObjectDecRef(out)

    tvm_ffi.convert(kernel)(Memory().array((1, 0)))
    assert made == [0, 0, -1]


def test_a_refusal_reaches_the_caller(tvm_ffi: Any) -> None:
    device = SimulatedDevice()
    foreign = Memory().array((12, device.device.id))
    function = tvm_ffi.convert(lambda one: one)
    with (
        anystream.use_stream(device.stream()),
        pytest.raises(BufferError, match="would be told the wrong stream"),
    ):
        function(foreign)


# ---- torch, by its own table ---------------------------------------------------------------------


def test_from_table_to_table(torch: Any) -> None:
    ours, theirs = Api.of(anystream.Array), Api.of(torch.Tensor)
    producer = Producer((2, 3), (1, 2))
    array = _array_from_capsule(producer.capsule(), None, None)
    tensor = theirs.take(ours.export(array).pointer)
    assert (tuple(tensor.shape), tensor.stride(), tensor.data_ptr()) == (
        (2, 3),
        (1, 2),
        producer.address,
    )
    back = ours.take(theirs.export(tensor).pointer)
    assert type(back) is anystream.Array
    assert (back.shape, back.strides, back.data_ptr) == ((2, 3), (1, 2), producer.address)
    del array, tensor
    gc.collect()
    assert producer.deleted == 0
    del back
    gc.collect()
    assert producer.deleted == 1


def test_torch_takes_new_memory_of_ours(torch: Any) -> None:
    ours, theirs = Api.of(anystream.Array), Api.of(torch.Tensor)
    tensor = theirs.take(ours.allocate(prototype((3, 5), (4, 16, 1))).pointer)
    assert (tensor.dtype, tuple(tensor.shape)) == (torch.bfloat16, (3, 5))
    tensor.fill_(2.5)
    assert (tensor == 2.5).all()
    like = theirs.allocate(prototype((3, 5), (4, 16, 1)))
    assert ours.take(like.pointer).dtype == anystream.DType("bfloat16")
