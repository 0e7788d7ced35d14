# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Layouts that others got wrong: NULL and negative strides, views with steps, odd alignment."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import pytest

import anystream
from ctypes_tensors import Producer, Taken
from peer_rig import LIBRARIES, Library
from process_rig import WITH_PEERS, child
from value_rig import attempt, fill

np = pytest.importorskip("numpy", reason="numpy is not installed")

pytestmark = pytest.mark.filterwarnings("ignore::anystream.ReadOnlyWarning")

CONSUMERS = [name for name in LIBRARIES if name != "dpctl"]  # whose memory has no layout


@pytest.fixture(params=CONSUMERS)
def consumer(request: Any) -> Library:
    library = LIBRARIES[request.param].require()
    if not library.host:
        request.getfixturevalue("sycl")
    return library


# -- cupy#2095, dlpack#177, dlpack#178, numpy#29872: NULL strides are row-major -------------------


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 3), (1, 1), (2, 1, 4)])
@pytest.mark.parametrize("version", [None, (1, 0), (1, 3)])
def test_null_strides_are_row_major_for_everybody(
    consumer: Library, shape: tuple[int, ...], version: tuple[int, int] | None
) -> None:
    wanted = np.arange(math.prod(shape), dtype="int32").reshape(shape)
    y = anystream.handoff(unstrided(wanted, version), to=consumer.name)
    got = consumer.read(y)
    assert got.shape == shape
    assert got.tolist() == wanted.tolist()
    array = anystream.from_dlpack(unstrided(wanted, version))
    strides = tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))
    if wanted.size:
        assert array.strides == strides
    exported = Taken.of(array.__dlpack__(max_version=(1, 3)))
    assert exported.strides is not None or not shape
    exported.delete()


def unstrided(values: Any, version: tuple[int, int] | None) -> Producer:
    form: dict[str, Any] = {"versioned": False} if version is None else {"version": version}
    producer = Producer(values.shape, dtype=(0, 32, 1), **form)
    fill(producer, values.tobytes())
    return producer


# -- pytorch#188023, scikit-learn#34307, tensorflow#51598: never an abort -------------------------

NEGATIVE = """
    library = LIBRARIES[{name!r}]
    x = np.arange(12.0, dtype="float32").reshape(3, 4)
    frozen = x.copy()
    frozen.flags.writeable = False
    three = np.arange(24, dtype="float32").reshape(2, 3, 4)[::-1, :, ::-2]
    for y in (x[:, ::-1], x[::-1], x[::-1, ::-1], x[::-2, 1::-1], x.T[::-1], three,
              frozen[::-1], frozen[:, ::-1], three[:1], three[:, :0], three[:1, :1, :1]):
        for given in (y, anystream.from_dlpack(y)):
            try:
                z = anystream.handoff(given, to={name!r})
            except BufferError as error:
                assert "negative strides" in str(error) or "gaps" in str(error), error
            else:
                assert library.read(z).tolist() == y.tolist()
            z = anystream.handoff(given, to={name!r}, copy=True)
            assert library.read(z).tolist() == y.tolist()
    print("done")
"""


def test_negative_strides_come_right_or_are_refused(consumer: Library) -> None:
    assert child(WITH_PEERS, NEGATIVE.format(name=consumer.name)) == "done\n"


# -- cupy#10172: a negative stride divided as an unsigned number ----------------------------------

ITEMS = ["int8", "bool", "uint16", "float16", "int32", "float32", "int64", "complex64"]
ITEMS += ["float64", "complex128"]


@pytest.mark.parametrize("dtype", ITEMS)
def test_strides_of_flips_and_transposes(dtype: str) -> None:
    x = np.zeros((2, 3, 4), dtype=dtype)
    flips = itertools.product((1, -1, -2, 2), repeat=3)
    for order, steps in itertools.product(itertools.permutations(range(3)), flips):
        y = x.transpose(order)[tuple(slice(None, None, step) for step in steps)]
        wanted = tuple(stride // y.itemsize for stride in y.strides)
        array = anystream.from_dlpack(y)
        assert array.strides == wanted
        assert array.data_ptr + array.byte_offset == y.ctypes.data
        for version in (None, (1, 0), (1, 3)):
            exported = Taken.of(array.__dlpack__(max_version=version))
            assert exported.strides == wanted
            exported.delete()


# -- jax#4196, jax#7657, jax#8082, jax#17784: strides silently ignored ----------------------------

STEPPED: dict[str, Callable[[Any], Any]] = {
    "columns": lambda x: x[:, :2],
    "transposed": lambda x: x.T,
    "moved": lambda x: np.moveaxis(x.reshape(2, 2, 5), 0, 2),
    "every other": lambda x: x[:, ::2],
    "row repeated": lambda x: np.broadcast_to(x[1], (3, 5)),
    "column repeated": lambda x: np.broadcast_to(x[:, 1:2], (4, 3)),
    "diagonal": np.diagonal,
    "window": lambda x: np.lib.stride_tricks.sliding_window_view(x[0], 3),
    "column-major": np.asfortranarray,
    "with ones": lambda x: x[:, None, 1:4, None],
}


@pytest.mark.parametrize("view", STEPPED)
@pytest.mark.parametrize("copy", [None, True, False])
def test_strides_are_never_ignored(consumer: Library, view: str, copy: bool | None) -> None:
    """The whole array and each element alone: others printed one and indexed another."""
    x = STEPPED[view](np.arange(20, dtype="float32").reshape(4, 5))
    y, refused = attempt(lambda: anystream.handoff(x, to=consumer.name, copy=copy))
    if refused:
        assert copy is not True, refused  # a copy has any layout that is wanted
        return
    assert consumer.read(y).tolist() == x.tolist()
    if consumer.name in ("tvm_ffi", "cuda.core"):
        return  # their arrays cannot be indexed
    for index in np.ndindex(x.shape):
        assert float(y[index]) == float(x[index])


# -- array-api#293, dlpack#99, tvm#18324, jax#29810: alignment ------------------------------------


def at_offset(offset: int, dtype: str = "float64") -> Any:
    """Six elements that start that many bytes after a multiple of 64."""
    room = np.zeros(256, "uint8")
    start = -room.ctypes.data % 64 + offset
    made = room[start : start + 6 * np.dtype(dtype).itemsize].view(dtype)
    made[:] = np.arange(6)
    assert made.ctypes.data % 64 == offset
    return made


@pytest.mark.parametrize("offset", [0, 1, 4, 8, 16, 32])
@pytest.mark.parametrize("copy", [None, False, True])
def test_memory_at_any_place_is_imported(offset: int, copy: bool | None) -> None:
    x = at_offset(offset)
    array = anystream.from_dlpack(x, copy=copy)
    assert (array.data_ptr + array.byte_offset == x.ctypes.data) is (copy is not True)
    assert np.from_dlpack(array).tolist() == x.tolist()


@pytest.mark.parametrize("offset", [0, 1, 4, 8, 16, 32])
@pytest.mark.parametrize("copy", [None, False, True])
def test_memory_at_any_place_reaches_everybody(
    consumer: Library, offset: int, copy: bool | None, capfd: Any
) -> None:
    """copy=None may copy, without a word on stderr; copy=False says so if it takes a copy."""
    x = at_offset(offset, "float32" if consumer.name in ("jax", "mlx") else "float64")
    y, refused = attempt(lambda: anystream.handoff(x, to=consumer.name, copy=copy))
    if refused:
        assert copy is False, refused
        assert "copy=False" in refused
        assert offset or not consumer.host or consumer.name == "mlx"
    else:
        assert consumer.read(y).tolist() == x.tolist()
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("offset", [1, 3, 5])
@pytest.mark.parametrize("bits", [16, 32, 64])
def test_a_copy_of_elements_at_odd_places(offset: int, bits: int) -> None:
    """They must not be read as if they were aligned: sanitizers would tell."""
    size = bits // 8
    raw = bytes(range(12 * size))
    for through_ours in (False, True):
        producer: Any = Producer((4, 3), (1, 4), dtype=(1, bits, 1), byte_offset=offset)
        fill(producer, bytes(offset) + raw)
        given = anystream.from_dlpack(producer) if through_ours else producer
        got = np.from_dlpack(anystream.from_dlpack(given, copy=True))
        assert got.ctypes.data != producer.address + offset
        assert got.tolist() == np.frombuffer(raw, f"u{size}").reshape(3, 4).T.tolist()
