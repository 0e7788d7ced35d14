# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""An ndarray goes to a library's exchange table at once: its layout, and what keeps its memory."""

import gc
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import anystream

np = pytest.importorskip("numpy", reason="numpy is not installed")
torch = pytest.importorskip("torch", reason="torch is not installed (PEERS=all installs it)")


class Owner:
    """Owns memory by the interface that numpy keeps its owner by; can be watched as it goes."""

    def __init__(self) -> None:
        self.memory = np.arange(64, dtype=np.int32)
        self.__array_interface__ = self.memory.__array_interface__


def watched() -> tuple[Any, Callable[[], object]]:
    """Give a plain ndarray, and what is None once nobody needs its memory any more."""
    owner = Owner()
    return np.asarray(owner), weakref.ref(owner)


@pytest.fixture(autouse=True)
def planned_before() -> None:
    """Hand one over first: what is tested is the quick way."""
    anystream.handoff(np.zeros(1, np.int32), to="torch")
    assert anystream._core._has_handover(np.zeros(1), "torch")


LAYOUTS = {
    "0-d": lambda x: x[3:4].reshape(()),
    "1-d": lambda x: x,
    "a stride": lambda x: x[1::3],
    "4-d, the usual most": lambda x: x.reshape(2, 4, 2, 4).transpose(3, 1, 0, 2),
    "5-d": lambda x: x.reshape(2, 2, 2, 2, 4).transpose(4, 1, 0, 3, 2),
    "broadcast": lambda x: np.lib.stride_tricks.as_strided(x, (3, 4), (0, 4)),
    "empty": lambda x: x.reshape(8, 8)[2:2],
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_arrives(layout: str) -> None:
    x = LAYOUTS[layout](np.arange(64, dtype=np.int32))
    tensor = anystream.handoff(x, to="torch")
    assert tuple(tensor.shape) == x.shape
    assert tensor.tolist() == x.tolist()
    if x.size:
        assert tensor.data_ptr() == x.ctypes.data


def test_another_shape_of_the_array_is_not_the_tensors() -> None:
    x = np.arange(64, dtype=np.int32)
    tensor = anystream.handoff(x, to="torch")
    x.resize((8, 8), refcheck=False)  # in place, of the same size: the memory stays
    assert x.shape == (8, 8)
    assert tuple(tensor.shape) == (64,)
    assert tensor.tolist() == list(range(64))


@pytest.mark.filterwarnings("ignore::anystream.ReadOnlyWarning")
@pytest.mark.parametrize(
    ("x", "values"),
    [
        (np.arange(4)[::-1], None),
        (np.arange(4, dtype=">i4"), None),
        (np.rec.array([(1, 2.0), (3, 4.0)], dtype="i1,f8").f1, None),
        (np.frombuffer(b"\1\2\3", np.uint8), [1, 2, 3]),
        (np.array(["a", "b"]), None),
    ],
    ids=["backwards", "foreign byte order", "a field", "read-only", "text"],
)
def test_what_takes_more_thought_gets_it(x: Any, values: list[int] | None) -> None:
    if values is None:
        with pytest.raises(BufferError, match=r"."):
            anystream.handoff(x, to="torch")
        return
    assert anystream.handoff(x, to="torch").tolist() == values


def test_the_tensor_keeps_the_memory_and_nothing_else_does() -> None:
    x, gone = watched()
    tensor = anystream.handoff(x, to="torch")
    del x
    gc.collect()
    assert gone() is not None
    assert tensor.sum() == 63 * 32
    del tensor
    assert gone() is None


def test_a_thread_may_drop_it() -> None:
    x, gone = watched()
    held = [anystream.handoff(x, to="torch")]
    del x
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join()
    assert gone() is None


def test_what_does_not_fit_is_not_kept() -> None:
    x = np.arange(4)[::-1]
    before = sys.getrefcount(x)
    for _ in range(32):
        with pytest.raises(BufferError, match="negative strides"):
            anystream.handoff(x, to="torch")
    assert sys.getrefcount(x) == before
