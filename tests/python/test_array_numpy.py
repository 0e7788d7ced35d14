# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Array as NumPy and others make arrays of it: every element type and layout, by their bits."""

import sys
import weakref
from typing import Any

import pytest

import anystream
from anystream._core import DEVICE_TABLE, _array_from_capsule
from ctypes_tensors import Producer
from process_rig import python
from protocol_rig import (
    ELEMENTS,
    ELSEWHERE,
    EVERY_LAYOUT,
    LAYOUTS,
    NARROW,
    NOWHERE,
    SPELT,
    Layout,
    Memory,
    Triple,
    memory_of,
)

np = pytest.importorskip("numpy", reason="numpy is not installed")

PLAIN = {name: row[0] for name, row in SPELT.items()}
FLOAT, BFLOAT = PLAIN["float32"], ELSEWHERE["bfloat16"]
# What makes an ndarray of an object, and whether it may copy.
WAYS = {
    "asarray": np.asarray,
    "array": np.array,
    "no copy": lambda a: np.array(a, copy=False),
    "__array__": lambda a: a.__array__(),
    "__array__, no copy": lambda a: a.__array__(copy=False),
}
EVERY_WAY = pytest.mark.parametrize("way", WAYS)


def class_of(name: str) -> Any:
    if name in PLAIN:
        return np.dtype(name)
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    if not hasattr(ml_dtypes, name):
        pytest.skip(f"this ml_dtypes has no {name}")
    return np.dtype(getattr(ml_dtypes, name))


@EVERY_LAYOUT
@pytest.mark.parametrize("name", PLAIN | ELSEWHERE)
def test_every_type_and_layout(layout: Layout, name: str) -> None:
    kind, dtype = class_of(name), (PLAIN | ELSEWHERE)[name]
    memory = memory_of(dtype)
    first = memory.address + memory.itemsize * layout.first
    for way, make in WAYS.items():
        x = make(memory.array(layout, dtype))
        assert type(x) is np.ndarray, way
        assert (x.dtype, x.shape) == (kind, layout.shape), way
        assert x.tobytes() == memory.values(layout), way
        assert x.flags.writeable, way
        assert not layout.size or (x.ctypes.data == first) is (way != "array"), way


@EVERY_LAYOUT
@pytest.mark.parametrize("name", PLAIN)
def test_by_from_dlpack(layout: Layout, name: str) -> None:
    memory = memory_of(PLAIN[name])
    x = np.from_dlpack(memory.array(layout, PLAIN[name]))
    assert x.dtype == np.dtype(name)
    assert x.shape == layout.shape
    assert x.tobytes() == memory.values(layout)


@pytest.mark.parametrize("name", ["float32", "bfloat16"])
def test_read_only_memory_stays_so(name: str) -> None:
    class_of(name)
    dtype = (PLAIN | ELSEWHERE)[name]
    array = memory_of(dtype).array(LAYOUTS["rows"], dtype, readonly=True)
    for way in ("asarray", "no copy", "__array__"):
        assert not WAYS[way](array).flags.writeable, way
    assert not np.from_dlpack(memory_of(FLOAT).array(LAYOUTS["rows"], FLOAT, readonly=True)).flags[
        "WRITEABLE"
    ]
    mine = np.array(array)
    assert mine.flags.writeable
    assert not np.shares_memory(mine, np.asarray(array))


@pytest.mark.parametrize("name", ["float32", "bfloat16"])
def test_copies_and_conversions(name: str) -> None:
    kind, dtype = class_of(name), (PLAIN | ELSEWHERE)[name]
    array = memory_of(dtype).array(LAYOUTS["columns"], dtype)
    view = np.asarray(array)
    for ask in (np.asarray, np.array, lambda a, **k: a.__array__(**k)):
        wide = ask(array, dtype="float64")
        assert wide.dtype == "float64"
        assert np.array_equal(wide, view.astype("float64"), equal_nan=True)
        copied = ask(array, dtype=kind, copy=True)
        assert copied.dtype == kind
        assert copied.tobytes() == view.tobytes()
        assert not np.shares_memory(copied, view)
        with pytest.raises(ValueError, match="Unable to avoid copy"):
            ask(array, dtype="float64", copy=False)
    assert np.shares_memory(array.__array__(kind, copy=False), view)
    assert np.shares_memory(array.__array__(kind), view)


@pytest.mark.parametrize("name", ["float32", "bfloat16"])
def test_an_ndarray_keeps_the_memory(name: str) -> None:
    class_of(name)
    dtype = (PLAIN | ELSEWHERE)[name]
    memory = memory_of(dtype)
    wanted, owner = memory.values(LAYOUTS["rows"]), weakref.ref(memory)
    x = np.asarray(memory.array(LAYOUTS["rows"], dtype))
    part = x[1:]
    del memory, x
    assert owner() is not None
    assert part.tobytes() == wanted[len(wanted) // 2 :]
    del part
    assert owner() is None


@pytest.mark.parametrize("dtype", [FLOAT, BFLOAT])
def test_the_deleter_is_called_once(dtype: Triple) -> None:
    class_of("bfloat16")
    producer = Producer(dtype=dtype)
    array = _array_from_capsule(producer.capsule(), None, None)
    views = [np.asarray(array), np.array(array, copy=False)]
    copy = np.array(array)
    del array
    assert producer.deleted == 0
    views.clear()
    assert producer.deleted == 1
    assert copy.shape == (2, 3)


# ---- elements narrower than a byte -------------------------------------------------------------


def elements_of(memory: Memory, layout: Layout, bits: int) -> bytes:
    """What packed elements are, the first in the lowest bits; byte_offset is first bytes."""
    number = int.from_bytes(bytes(memory.raw), "little")
    places = (8 * layout.first + bits * (place - layout.first) for place in layout.places())
    return bytes(number >> place & (1 << bits) - 1 for place in places)


@EVERY_LAYOUT
@pytest.mark.parametrize("name", NARROW)
def test_packed_elements_are_copied_to_a_byte_each(layout: Layout, name: str) -> None:
    kind, dtype = class_of(name), NARROW[name]
    memory = Memory(1)
    array = memory.array(layout, dtype)
    wanted = elements_of(memory, layout, dtype[1])
    for way in ("asarray", "array", "__array__"):
        x = WAYS[way](array)
        assert x.dtype == kind
        assert x.shape == layout.shape
        assert x.tobytes() == wanted
        assert x.flags.writeable
    for way in ("no copy", "__array__, no copy"):
        with pytest.raises(ValueError, match=r"are packed, several to a byte.*\n  Leave copy out"):
            WAYS[way](array)
    wide = np.asarray(array, dtype="float32")
    assert wide.tobytes() == np.asarray(array).astype("float32").tobytes()


@EVERY_LAYOUT
@pytest.mark.parametrize("name", NARROW)
def test_padded_elements_are_viewed(layout: Layout, name: str) -> None:
    kind, dtype = class_of(name), NARROW[name]
    memory = Memory(1, top=1 << dtype[1])
    array = memory.array(layout, dtype, padded=True)
    for way in ("asarray", "no copy", "__array__"):
        x = WAYS[way](array)
        assert x.dtype == kind
        assert x.tobytes() == memory.values(layout)
        if layout.size:
            assert x.ctypes.data == memory.address + layout.first


def test_packed_values() -> None:
    """By value, not only by bits: 0x21 0x87 are 1, 2, 7, -8."""
    class_of("int4")
    memory = Memory(1)
    memory.raw.raw = b"\x21\x87" + bytes(ELEMENTS - 2)
    x = np.asarray(memory.array(Layout((4,), (1,)), NARROW["int4"]))
    assert x.astype("int32").tolist() == [1, 2, 7, -8]


# ---- refusals ----------------------------------------------------------------------------------


@EVERY_WAY
@pytest.mark.parametrize("name", NOWHERE)
def test_types_that_nobody_has(way: str, name: str) -> None:
    """Never an array of untyped bytes, nor of one Python object."""
    class_of("bfloat16")
    array = memory_of(NOWHERE[name]).array(LAYOUTS["line"], NOWHERE[name])
    with pytest.raises(TypeError, match=rf"neither numpy nor ml_dtypes has a type for {name} elem"):
        WAYS[way](array)


@EVERY_WAY
@pytest.mark.parametrize("device", [*(row["value"] for row in DEVICE_TABLE[1:]), 77])
def test_devices(way: str, device: int) -> None:
    """Where work may be pending, reading would need a wait that nobody sees."""
    array = memory_of(FLOAT).array(LAYOUTS["line"], FLOAT, device=(device, 0))
    with pytest.raises(
        TypeError,
        match=r"Array\.__array__\(\), which numpy\.asarray calls, takes memory of the host, where "
        r"nothing is pending; this array"
        r" is on .*\n  anystream\.handoff\(a, to='numpy'\) waits for its work",
    ):
        WAYS[way](array)


@pytest.mark.parametrize("device", [3, 11, 13])
def test_the_fix_that_the_message_names(device: int) -> None:
    memory = memory_of(FLOAT)
    array = memory.array(LAYOUTS["line"], FLOAT, device=(device, 0))
    x = anystream.handoff(array, to="numpy")
    assert x.tobytes() == memory.values(LAYOUTS["line"])


def test_without_the_package_of_types(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    array = memory_of(BFLOAT).array(LAYOUTS["line"], BFLOAT)
    with pytest.raises(
        ModuleNotFoundError,
        match=r"Array\.__array__\(\) of bfloat16 elements needs the library ml_dtypes, which is not"
        r" installed\.\n  pip install ml_dtypes",
    ):
        np.asarray(array)
    assert np.asarray(memory_of(FLOAT).array(LAYOUTS["line"], FLOAT)).dtype == "float32"


def test_arguments_of_the_protocol() -> None:
    array = memory_of(FLOAT).array(LAYOUTS["line"], FLOAT)
    assert array.__array__("float64", copy=None).dtype == "float64"
    for wrong in ({"typ": 1}, {"dtype": "no such type"}):
        with pytest.raises(TypeError):
            array.__array__(**wrong)


def test_lists_of_arrays() -> None:
    memory = memory_of(FLOAT)
    rows = [memory.array(LAYOUTS["line"], FLOAT)] * 3
    assert np.asarray(rows).tobytes() == 3 * memory.values(LAYOUTS["line"])


# ---- other libraries ---------------------------------------------------------------------------

WITHOUT_64_BITS = {"int64", "uint64", "float64", "complex128"}  # as jax is set by default
JAX = [name for name in PLAIN | ELSEWHERE if name not in WITHOUT_64_BITS]


@pytest.mark.parametrize(
    ("name", "layout"),
    [*((name, "turned") for name in JAX), *(("int16", layout) for layout in LAYOUTS)],
)
def test_jax(name: str, layout: str) -> None:
    jnp = pytest.importorskip("jax.numpy", reason="jax is not installed")
    kind, dtype = class_of(name), (PLAIN | ELSEWHERE)[name]
    memory = memory_of(dtype)
    for make in (jnp.asarray, jnp.array):
        x = make(memory.array(LAYOUTS[layout], dtype))
        assert (x.dtype, x.shape) == (kind, LAYOUTS[layout].shape)
        assert np.asarray(x).tobytes() == memory.values(LAYOUTS[layout])


def torch_type(name: str) -> Any:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    if not hasattr(torch, name):
        pytest.skip(f"torch has no {name}")
    return torch, getattr(torch, name)


EVERY_NAME = pytest.mark.parametrize("name", [*PLAIN, *ELSEWHERE])


@EVERY_NAME
def test_torch_reads_the_buffer(name: str) -> None:
    torch, kind = torch_type(name)
    dtype = (PLAIN | ELSEWHERE)[name]
    memory = memory_of(dtype)
    array = memory.array(LAYOUTS["line"], dtype)
    for make in (torch.frombuffer, torch.asarray):
        x = make(array, dtype=kind)
        assert x.data_ptr() == memory.address + memory.itemsize
        assert x.view(torch.uint8).numpy().tobytes() == memory.values(LAYOUTS["line"])
    owner = weakref.ref(memory)
    del memory, array
    assert owner() is not None
    del x
    assert owner() is None


def test_torch_refuses_what_it_cannot_read() -> None:
    torch, kind = torch_type("float32")
    for layout in ("rows", "scalar"):
        array = memory_of(FLOAT).array(LAYOUTS[layout], FLOAT)
        assert torch.frombuffer(array, dtype=kind).numel() == LAYOUTS[layout].size
    for layout in ("columns", "reversed", "repeated", "gaps"):
        array = memory_of(FLOAT).array(LAYOUTS[layout], FLOAT)
        with pytest.raises(RuntimeError, match="could not retrieve buffer"):
            torch.frombuffer(array, dtype=kind)


@EVERY_NAME
@pytest.mark.parametrize("layout", ["line", "scalar", "empty", "gaps", "turned"])
def test_torch_takes_it_as_a_tensor(name: str, layout: str) -> None:
    torch, kind = torch_type(name)
    dtype = (PLAIN | ELSEWHERE)[name]
    memory = memory_of(dtype)
    for make in (torch.as_tensor, torch.tensor):
        x = make(memory.array(LAYOUTS[layout], dtype))
        assert x.dtype == kind
        assert tuple(x.shape) == LAYOUTS[layout].shape
        flat = x.reshape(-1).contiguous()
        assert flat.view(torch.uint8).numpy().tobytes() == memory.values(LAYOUTS[layout])


PROBE = """
import sys, anystream
from protocol_rig import LAYOUTS, SPELT, memory_of
array = memory_of(SPELT["float32"][0]).array(LAYOUTS["reversed"], SPELT["float32"][0])
memoryview(array), bytes(array), array.__array_interface__
assert "numpy" not in sys.modules
assert array.__array__().strides == (-12, -4)
print("numpy" in sys.modules, "ml_dtypes" in sys.modules)
"""


def test_a_library_is_imported_where_it_is_meant() -> None:
    done = python("-c", PROBE)
    assert (done.returncode, done.stdout) == (0, "True False\n"), done.stderr
