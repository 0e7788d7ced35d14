# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Each library, with every element type and layout that it has, in and out, compared bit by bit.

What is compared is read after the producer's variable is gone, garbage has been collected, and
memory of the same size has been taken and overwritten.
"""

import gc
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

import anystream
import value_rig as rig
from peer_rig import LIBRARIES

np = pytest.importorskip("numpy", reason="numpy is not installed")

# That a library cannot say "read-only" is told once for a pair of libraries: another test's matter.
pytestmark = pytest.mark.filterwarnings("ignore::anystream.ReadOnlyWarning")

PRODUCERS = [(name, dtype) for name, dtypes in rig.DTYPES.items() for dtype in dtypes]
JOURNEYS = [
    pytest.param(producer, consumer, dtype, id=f"{producer}-{consumer}-{dtype}")
    for producer, dtype in PRODUCERS
    for consumer in rig.DTYPES
]
# What is refused, and why, in a word of the message that says so.
REFUSED_LAYOUTS = {
    "torch": {"reversed": "no negative strides"},
    "mlx": {"reversed": "no negative strides"},
    "jax": dict.fromkeys(("columns", "broadcast", "reversed"), "without gaps or repeats"),
}


@pytest.fixture(scope="module", autouse=True)
def collections() -> Iterator[None]:
    for library in LIBRARIES.values():
        if not library.missing:
            import_module(library.module)
    with rig.quick_collections():
        yield


@pytest.fixture
def needed(request: Any) -> Any:
    def need(*names: str) -> None:
        for name in names:
            LIBRARIES[name].require()
        if {"dpnp", "dpctl"} & set(names):
            request.getfixturevalue("sycl")

    return need


def let_go(name: str, dtype: str) -> list[Any]:
    """Collect, and overwrite the memory of whatever arrays of a library have been let go."""
    gc.collect()
    count = rig.SHAPE[0] * rig.SHAPE[1]
    return rig.press(name, count * rig.ITEMSIZE[dtype])


@pytest.mark.parametrize(("producer", "dtype"), PRODUCERS)
def test_the_rig_makes_what_it_says(needed: Any, producer: str, dtype: str) -> None:
    needed(producer)
    with rig.wide_jax(producer, dtype=dtype):
        for layout in rig.layouts_of(producer):
            made = rig.make(producer, dtype, layout)
            wanted = rig.expected(dtype, layout)
            assert tuple(made.shape) == wanted.shape
            assert rig.bits_of(made) == wanted.tobytes(), layout


@pytest.mark.parametrize(("producer", "dtype"), PRODUCERS)
def test_in_and_back(needed: Any, producer: str, dtype: str) -> None:
    """producer -> Array -> the producer's own library, where each holds the one before."""
    needed(producer)
    layouts = rig.layouts_of(producer)
    with rig.wide_jax(producer, dtype=dtype):
        made = {layout: rig.make(producer, dtype, layout) for layout in layouts}
        places = {layout: place(x) for layout, x in made.items()}
        arrays = {layout: anystream.from_dlpack(x) for layout, x in made.items()}
        made.clear()
        blocks = let_go(producer, dtype)
        for layout, array in arrays.items():
            wanted = rig.expected(dtype, layout)
            assert (array.shape, str(array.dtype)) == (wanted.shape, dtype)
            assert array.data_ptr + array.byte_offset == places[layout], layout
            assert rig.bits_of(array) == wanted.tobytes(), layout
        backs = {
            layout: anystream.handoff(array, to=producer)
            for layout, array in arrays.items()
            if not refusal(producer, producer, dtype, layout)
        }
        arrays.clear()
        blocks += let_go(producer, dtype)
        for layout, back in backs.items():
            assert rig.bits_of(back) == rig.expected(dtype, layout).tobytes(), layout


def place(x: Any) -> int:
    """The address of the first element, by the library itself or by its own capsule."""
    if isinstance(x, np.ndarray):
        return int(x.ctypes.data)
    tensor = rig.taken(x)
    tensor.delete()
    return tensor.data + tensor.byte_offset


@pytest.mark.parametrize(("producer", "consumer", "dtype"), JOURNEYS)
def test_every_journey(needed: Any, producer: str, consumer: str, dtype: str) -> None:
    """producer -> consumer, and producer -> Array -> consumer; or a refusal that says why."""
    needed(producer, consumer)
    if consumer == "numpy" and dtype in rig.DTYPES["numpy"]:
        rig.numpy_dtype(dtype)
    with rig.wide_jax(producer, consumer, dtype=dtype):
        made = {layout: rig.make(producer, dtype, layout) for layout in rig.layouts_of(producer)}
        arrived = {
            layout: both_ways(x, consumer, refusal(producer, consumer, dtype, layout))
            for layout, x in made.items()
        }
        made.clear()
        blocks = let_go(producer, dtype)
        for layout, results in arrived.items():
            wanted = rig.expected(dtype, layout)
            for result in results:
                assert tuple(result.shape) == wanted.shape
                assert rig.bits_of(result) == wanted.tobytes(), layout
        assert blocks


def refusal(producer: str, consumer: str, dtype: str, layout: str) -> str | None:
    """A word of the reason why the consumer cannot take it; None if it can."""
    if dtype not in rig.TAKES[consumer]:
        return rf"\b{dtype}\b|takes arrays with"
    if producer == "jax" or (producer == "dpnp" and LIBRARIES[consumer].host):
        return None  # the arrays are dense, or are on their way from a device to the host
    return REFUSED_LAYOUTS.get(consumer, {}).get(layout)


def both_ways(x: Any, consumer: str, refused: str | None) -> list[Any]:
    given = [x, anystream.from_dlpack(x)]
    if refused is None:
        return [anystream.handoff(one, to=consumer) for one in given]
    for one in given:
        with pytest.raises(BufferError, match=refused):
            anystream.handoff(one, to=consumer)
    return []


def test_the_pressure_is_on() -> None:
    """Were an array's memory let go too early, the blocks of these tests would be in its place."""
    seen = 0
    for _ in range(20):
        made = rig.make("numpy", "float32", "whole")
        where = place(made)
        del made
        seen += where in {place(block) for block in let_go("numpy", "float32")}
    assert seen >= 3
