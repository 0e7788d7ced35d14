# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The C exchange API of ``anystream.Array``, each function called as a C consumer calls it."""

import ctypes
import gc
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import anystream
import exchange_rig
from anystream._core import _array_from_capsule
from anystream.testing import SimulatedDevice, peek
from ctypes_tensors import IS_COPIED, PADDED, READ_ONLY, Producer, Taken, Versioned
from exchange_rig import Api, Described, Refused, prototype
from stand_ins import Memory

MANY = 10_000


@pytest.fixture
def api() -> Api:
    return Api.of(anystream.Array)


def array_of(producer: Producer) -> anystream.Array:
    return _array_from_capsule(producer.capsule(), None, None)


def pointer_of(producer: Producer) -> int:
    return ctypes.addressof(producer.managed)


# ---- the table -----------------------------------------------------------------------------------


def test_the_class_offers_a_whole_table(api: Api) -> None:
    header = api.table.header
    assert (header.version.major, header.version.minor) == (1, 3)
    assert header.prev_api is None
    assert all(getattr(api.table, name) for name in exchange_rig.FUNCTIONS)


def test_the_capsule_is_of_the_class_and_without_a_destructor() -> None:
    capsule = anystream.Array.__dict__[exchange_rig.CAPSULE_ATTRIBUTE]
    assert capsule is anystream.Array.__dlpack_c_exchange_api__
    assert exchange_rig.facts_of(capsule) == (b"dlpack_exchange_api", None)


def test_the_older_attribute_is_the_address(api: Api) -> None:
    assert anystream.Array.__c_dlpack_exchange_api__ == api.address
    assert type(anystream.Array.__c_dlpack_exchange_api__) is int


@pytest.mark.parametrize(
    "name", [exchange_rig.CAPSULE_ATTRIBUTE, exchange_rig.INT_ATTRIBUTE, "shape", "anything"]
)
def test_the_class_stays_as_it_is(name: str) -> None:
    with pytest.raises(TypeError, match="immutable type"):
        setattr(anystream.Array, name, None)
    with pytest.raises(TypeError, match="immutable type"):
        delattr(anystream.Array, name)


# ---- managed_tensor_from_py_object_no_sync -------------------------------------------------------

LAYOUTS: list[dict[str, Any]] = [
    {"shape": (2, 3)},
    {"shape": ()},
    {"shape": (0, 4)},
    {"shape": (2, 3), "strides": (1, 2)},
    {"shape": (3,), "strides": (0,)},
    {"shape": (2,), "dtype": (0, 8, 1), "byte_offset": 5},
    {"shape": (4,), "dtype": (4, 16, 1)},
    {"shape": (4,), "dtype": (17, 4, 2)},
    {"shape": (1,) * 64},
]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_an_export_describes_the_array(api: Api, layout: dict[str, Any]) -> None:
    array = array_of(Producer(**layout))
    exported = api.export(array)
    assert exported.version == (1, 3)
    assert exported.flags == 0
    assert exported.tensor == Described(
        array.data_ptr, (1, 0), array.dtype.triple, array.shape, array.strides, array.byte_offset
    )
    exported.delete()


@pytest.mark.parametrize("flags", range(8))
def test_an_export_has_the_flags_that_are_true_of_it(api: Api, flags: int) -> None:
    exported = api.export(array_of(Producer((3,), dtype=(17, 4, 1), flags=flags)))
    # The array goes on using the memory, so no consumer has it for itself.
    assert exported.flags == flags & (READ_ONLY | PADDED)
    exported.delete()


def test_an_export_keeps_the_memory_until_its_deleter(api: Api) -> None:
    producer = Producer()
    array = array_of(producer)
    first, second = api.export(array), api.export(array)
    del array
    gc.collect()
    first.delete()
    assert producer.deleted == 0
    second.delete()
    assert producer.deleted == 1


def test_an_export_keeps_the_owner_of_borrowed_memory(api: Api) -> None:
    memory = Memory()
    alive = weakref.ref(memory)
    exported = api.export(memory.array((1, 0)))
    del memory
    gc.collect()
    assert alive() is not None
    exported.delete()  # without the GIL
    assert alive() is None


def test_an_export_is_deleted_on_a_thread_that_python_has_never_seen(api: Api) -> None:
    memory = Memory()
    alive = weakref.ref(memory)
    exported = api.export(memory.array((1, 0)))
    del memory
    exported.delete_on_another_thread()
    assert alive() is None


@pytest.mark.parametrize("form", ["from_py", "borrow"])
@pytest.mark.parametrize("given", [None, 7, "text", object(), anystream.Array])
def test_what_is_no_array_is_refused(api: Api, form: str, given: object) -> None:
    exporter = api.export if form == "from_py" else api.borrow
    with pytest.raises(TypeError, match=r"exchange table of anystream.Array takes an .*; got"):
        exporter(given)


@pytest.mark.parametrize("form", ["from_py", "borrow"])
def test_null_is_refused(api: Api, form: str) -> None:
    room = ctypes.create_string_buffer(b"\xee" * 64, 64)
    with pytest.raises(TypeError, match="got NULL"):
        api.call(form, None, ctypes.cast(room, exchange_rig.SIGNATURES[form][1]))
    assert room.raw == b"\xee" * 64  # a failure writes nothing


# ---- dltensor_from_py_object_no_sync -------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_a_borrowed_tensor_describes_the_array(api: Api, layout: dict[str, Any]) -> None:
    producer = Producer(**layout)
    array = array_of(producer)
    references = sys.getrefcount(array)
    borrowed = api.borrow(array)
    assert Described.of(borrowed) == Described(
        array.data_ptr, (1, 0), array.dtype.triple, array.shape, array.strides, array.byte_offset
    )
    assert sys.getrefcount(array) == references
    del array
    assert producer.deleted == 1  # it was borrowed, not kept


@pytest.mark.parametrize(("flags", "word"), [(READ_ONLY, "read-only"), (PADDED, "padded")])
def test_what_a_borrowed_tensor_cannot_say_is_refused(api: Api, flags: int, word: str) -> None:
    array = array_of(Producer((3,), dtype=(17, 4, 1), flags=flags))
    with pytest.raises(BufferError, match=f"(?s)cannot say .* {word}.*managed_tensor_from_py"):
        api.borrow(array)
    api.export(array).delete()


# ---- managed_tensor_to_py_object_no_sync ---------------------------------------------------------


def test_an_import_owns_the_tensor(api: Api) -> None:
    producer = Producer((2, 3), (1, 2))
    array = api.take(pointer_of(producer))
    assert type(array) is anystream.Array
    assert (array.shape, array.strides, array.data_ptr) == ((2, 3), (1, 2), producer.address)
    assert (array.readonly, array.stream, array.plan) == (False, None, None)
    assert sys.getrefcount(array) == 2  # it is ours alone
    assert producer.deleted == 0
    del array
    assert producer.deleted == 1


def test_an_import_fills_in_what_may_be_left_out(api: Api) -> None:
    assert api.take(pointer_of(Producer((2, 3)))).strides == (3, 1)
    with_no_deleter = api.take(pointer_of(Producer(deleter=False)))
    assert with_no_deleter.shape == (2, 3)


@pytest.mark.parametrize("flags", range(8))
def test_an_import_keeps_the_flags(api: Api, flags: int) -> None:
    array = api.take(pointer_of(Producer((3,), dtype=(17, 4, 1), flags=flags)))
    assert array.readonly == bool(flags & READ_ONLY)
    taken = Taken.of(array.__dlpack__(max_version=(1, 1)))
    assert taken.flags == flags & ~IS_COPIED
    taken.delete()


@pytest.mark.parametrize("device", [(1, 0), (2, 0), (99, 3)])
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"version": (2, 0)}, "takes DLPack 1; got .* 2.0"),
        ({"version": (0, 8)}, "takes DLPack 1; got .* 0.8"),
        ({"ndim": -1}, "ndim -1"),
        ({"ndim": 10**9}, "ndim 1000000000"),
        ({"null_shape": True}, "needs a shape; got NULL"),
        ({"shape": (2, -3)}, r"got the shape \(2, -3\)"),
        ({"data": None}, "needs data; got NULL"),
        ({"shape": (2**40, 2**40)}, "must fit 63 bits"),
        ({"dtype": (2, 0, 1)}, "at least one bit"),
        ({"dtype": (17, 8, 1)}, "width of its type"),
    ],
    ids=lambda given: str(given) if isinstance(given, dict) else "",
)
def test_a_tensor_that_cannot_be_is_refused_and_deleted_once(
    api: Api, wrong: dict[str, Any], message: str, device: tuple[int, int]
) -> None:
    producer = Producer(**wrong, device=device)
    with pytest.raises(BufferError, match=message):
        api.take(pointer_of(producer))
    gc.collect()
    assert producer.deleted == 1


def test_an_import_of_null_is_refused(api: Api) -> None:
    out = ctypes.c_void_p(0xEE)
    with pytest.raises(ValueError, match="got NULL"):
        api.call("to_py", None, ctypes.byref(out))
    assert out.value == 0xEE


def test_what_was_exported_comes_back(api: Api) -> None:
    array = array_of(Producer(flags=READ_ONLY))
    back = api.take(api.export(array).pointer)
    assert back is not array
    assert (back.data_ptr, back.readonly) == (array.data_ptr, True)


# ---- managed_tensor_allocator --------------------------------------------------------------------


@pytest.mark.parametrize("gil", [True, False])
@pytest.mark.parametrize("dtype", [(2, 32, 1), (6, 8, 1), (4, 16, 1), (17, 4, 2), (5, 128, 1)])
@pytest.mark.parametrize("shape", [(), (2, 3), (0,), (1000, 7)])
def test_new_memory_of_the_host(
    api: Api, shape: tuple[int, ...], dtype: tuple[int, int, int], *, gil: bool
) -> None:
    made = api.allocate(prototype(shape, dtype), gil=gil)
    array = api.take(made.pointer)
    assert (array.shape, array.dtype.triple, array.byte_offset) == (shape, dtype, 0)
    assert array.strides == tuple(anystream.from_dlpack(array).strides)
    assert array.__dlpack_device__() == (1, 0)
    assert not array.readonly
    assert bool(array.data_ptr) == (array.size > 0)
    if array.nbytes:
        ctypes.memset(array.data_ptr, 0x11, array.nbytes)  # all of it is there


def test_new_memory_has_no_flags_and_is_row_major(api: Api) -> None:
    made = api.allocate(prototype((2, 3, 4)))
    assert (made.flags, made.version, made.tensor.strides) == (0, (1, 3), (12, 4, 1))
    made.delete()


def test_new_memory_of_the_simulated_accelerator_is_given_back(api: Api) -> None:
    device = SimulatedDevice()
    made = api.allocate(prototype((4,), device=(12, device.device.id)))
    address = made.tensor.data
    assert ctypes.string_at(address, 16) == b"\xa5" * 16  # new, and nobody wrote it
    array = api.take(made.pointer)
    assert array.device == device.device
    assert peek(array) == b"\xa5" * 16
    del array
    assert ctypes.string_at(address, 16) == b"\xdd" * 16  # freed; the simulation keeps it a while


def test_new_memory_of_sycl(api: Api, sycl: Any) -> None:
    made = api.allocate(prototype((sycl.ELEMENTS,), (0, 32, 1), (14, 0)))
    array = api.take(made.pointer)
    assert array.device == anystream.Device(14, 0)
    assert array.memory_kind == "device"
    import dpnp

    written = dpnp.from_dlpack(array)
    written[:] = 7
    assert (dpnp.asnumpy(written) == 7).all()


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"shape": (2, -3)}, "BufferError", "got the shape (2, -3)"),
    ({"shape": (2**40, 2**40)}, "BufferError", "63 bits"),
    ({"dtype": (2, 0, 1)}, "BufferError", "at least one bit"),
    ({"shape": (2**50,)}, "MemoryError", "no memory"),
    ({"device": (8, 0)}, "RuntimeError", "Metal"),
    ({"device": (99, 0)}, "RuntimeError", "device type 99"),
    ({"device": (12, 999_999)}, "ValueError", "999999"),
]


@pytest.mark.parametrize("gil", [True, False])
@pytest.mark.parametrize(("wrong", "kind", "message"), REFUSED, ids=str)
def test_what_cannot_be_made_is_told_once(
    api: Api, wrong: dict[str, Any], kind: str, message: str, *, gil: bool
) -> None:
    with pytest.raises(Refused) as refused:  # a Python error would be raised in its place
        api.allocate(prototype(**wrong), gil=gil)
    [(told, text)] = refused.value.calls
    assert told == kind
    assert message in text


def test_a_prototype_that_cannot_be_is_told_once(api: Api) -> None:
    too_many, without_shape = prototype(), prototype()
    too_many.ndim = 65
    without_shape.shape = None
    for wrong, kind, message in (
        (None, "ValueError", "got NULL"),
        (too_many, "BufferError", "ndim 65"),
        (without_shape, "BufferError", "needs a shape"),
    ):
        with pytest.raises(Refused) as refused:
            api.allocate(wrong)
        [(told, text)] = refused.value.calls
        assert (told, message in text) == (kind, True)


def test_threads_allocate_and_delete_without_the_gil(api: Api) -> None:
    device = SimulatedDevice()

    def run(number: int) -> bool:
        where = (12, device.device.id) if number % 2 else (1, 0)
        for _ in range(200):
            made = api.allocate(prototype((number + 1,), device=where))
            described = made.tensor
            made.delete()
            if (described.shape, described.device) != ((number + 1,), where):
                return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(run, range(8)))


# ---- many ----------------------------------------------------------------------------------------


def test_nothing_is_kept_after_many_calls(api: Api) -> None:
    memory = Memory()
    array = memory.array((1, 0))
    like = prototype()
    watched = (array, memory, anystream.Array, anystream.Array.__dlpack_c_exchange_api__)
    before = [sys.getrefcount(one) for one in watched]
    for _ in range(MANY):
        api.export(array).delete()
        api.borrow(array)
        api.take(api.export(array).pointer)
        api.allocate(like, gil=True).delete()
    assert [sys.getrefcount(one) for one in watched] == before


def test_nothing_is_kept_after_many_failures(api: Api) -> None:
    array = array_of(Producer(flags=READ_ONLY))
    watched = (array, anystream.Array, None, 7)
    before = [sys.getrefcount(one) for one in watched]
    for _ in range(1000):
        for failing in (lambda: api.borrow(array), lambda: api.export(7), lambda: api.take(0)):
            with pytest.raises((BufferError, TypeError, ValueError)):
                failing()
    after = [sys.getrefcount(one) for one in watched]
    assert all(abs(now - then) < 100 for now, then in zip(after, before, strict=True))


def test_every_tensor_of_many_is_deleted_once(api: Api) -> None:
    template = Producer()
    deleted: list[int] = []
    deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(deleted.append)
    for count in range(1, 1001):
        managed = Versioned.from_buffer_copy(template.managed)
        managed.deleter = ctypes.cast(deleter, ctypes.c_void_p)
        array = api.take(ctypes.addressof(managed))
        exported = api.export(array)
        del array
        exported.delete()
        assert deleted == [ctypes.addressof(managed)], count
        deleted.clear()
