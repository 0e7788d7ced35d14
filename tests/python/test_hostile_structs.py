# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Structures of hostile producers, field by field: refused by name, deleted once, nothing kept."""

import gc
import itertools
from collections.abc import Callable
from typing import Any

import pytest

import anystream
import hostile
from ctypes_tensors import PADDED, READ_ONLY, Producer, Taken
from hostile import Case, Giver, parametrized, refused, settled


def capsule_of(x: Any) -> Any:
    return anystream.from_dlpack(x.__dlpack__())


def copied(x: Any) -> Any:
    return anystream.from_dlpack(x, copy=True)


def to_numpy(x: Any) -> Any:
    pytest.importorskip("numpy", reason="numpy is not installed")
    return anystream.handoff(x, to="numpy")


WAYS = pytest.mark.parametrize(
    "take", [anystream.from_dlpack, capsule_of, copied, to_numpy], ids=lambda way: way.__name__
)


@WAYS
@parametrized(hostile.STRUCTURES)
def test_a_structure(case: Case, take: Callable[[Any], Any]) -> None:
    refused(case, take)


@pytest.mark.parametrize("versioned", [True, False], ids=["versioned", "legacy"])
@pytest.mark.parametrize(("what", "fields"), hostile.TOLERATED, ids=lambda x: str(x).split(",")[0])
def test_what_is_unusual_and_right(what: str, fields: dict[str, Any], *, versioned: bool) -> None:
    if not versioned and fields.keys() & {"version", "flags"}:
        pytest.skip("a legacy structure has no such field")
    producer = Producer(versioned=versioned, **fields)
    array = anystream.from_dlpack(producer)
    assert array.shape == fields.get("shape", (2, 3))
    assert array.data_ptr == producer.managed.tensor.data or array.size == 0
    assert array.readonly is bool(fields.get("flags", 0) & READ_ONLY)
    taken = Taken.of(array.__dlpack__(max_version=(1, 3)))
    assert taken.flags == fields.get("flags", 0) & (READ_ONLY | PADDED)
    taken.delete()
    del array
    settled(producer)


# dlpack.h: the widths that a code has by itself. All others are part of the name.
FIXED = {4: 16, 6: 8, 15: 6, 16: 6, 17: 4} | dict.fromkeys(range(7, 15), 8)
WIDTHS = [0, 1, 4, 6, 8, 12, 16, 24, 32, 64, 128, 255]


def can_be(code: int, bits: int, lanes: int) -> bool:
    if bits == 0 or lanes == 0 or (code == 5 and bits % 2 != 0):
        return False
    return bits == FIXED.get(code, bits)


@pytest.mark.parametrize("strides", [None, (1,)], ids=["no strides", "strides"])
@pytest.mark.parametrize("code", range(41))
def test_every_element_type_is_carried_or_refused(
    code: int, strides: tuple[int, ...] | None
) -> None:
    for bits, lanes in itertools.product(WIDTHS, (0, 1, 2, 4, 65535)):
        producer = Producer((3,), strides=strides, dtype=(code, bits, lanes))
        if can_be(code, bits, lanes):
            array = anystream.from_dlpack(producer)
            assert array.dtype.triple == (code, bits, lanes)
            assert array.nbytes == (3 * bits * lanes + 7) // 8
            del array
        else:
            with pytest.raises(BufferError, match=f"code {code}, bits {bits}, lanes {lanes}"):
                anystream.from_dlpack(producer)
        settled(producer)


# DLPack's types that numpy has by itself; ml_dtypes may add others.
OF_NUMPY = {
    **{
        (code, bits): f"{word}{bits}"
        for code, word in enumerate(("int", "uint"))
        for bits in (8, 16, 32, 64)
    },
    **{(2, bits): f"float{bits}" for bits in (16, 32, 64)},
    **{(5, bits): f"complex{bits}" for bits in (64, 128)},
    (6, 8): "bool",
}


@pytest.mark.parametrize("code", range(41))
def test_numpy_is_given_the_type_or_a_reason(code: int) -> None:
    pytest.importorskip("numpy", reason="numpy is not installed")
    for bits, lanes in itertools.product(WIDTHS, (1, 2, 65535)):
        producer = Producer((3,), dtype=(code, bits, lanes))
        wanted = OF_NUMPY.get((code, bits)) if lanes == 1 else None
        try:
            given = anystream.handoff(producer, to="numpy")
        except BufferError as error:
            assert wanted is None, error  # noqa: PT017
        else:
            assert given.shape == (3,)
            assert given.dtype.name == (wanted or anystream.DType(code, bits, lanes).name)
            del given
        settled(producer)


def test_the_error_is_the_same_when_the_deleter_raises(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Python reports what a callback raised; it must not take the place of what was wrong."""
    reported: list[Any] = []
    monkeypatch.setattr("sys.unraisablehook", reported.append)

    class Raises(Producer):
        def _delete(self, managed: int) -> None:
            super()._delete(managed)
            raise RuntimeError("the deleter failed")

    for fields, says in (({"ndim": -1}, "got ndim -1"), ({"version": (2, 0)}, r"version 2\.0")):
        producer = Raises(**fields)
        with pytest.raises(BufferError, match=says):
            anystream.from_dlpack(Giver(producer))
        settled(producer)
    good = Raises()
    array = anystream.from_dlpack(good)
    del array
    settled(good)
    assert [str(one.exc_value) for one in reported] == ["the deleter failed"] * 3


@pytest.mark.parametrize("versioned", [True, False], ids=["versioned", "legacy"])
def test_a_deleter_that_leaves_an_error_leaves_none_to_us(*, versioned: bool) -> None:
    """An error set behind our back would surface in whatever Python does next."""
    producer = Producer(versioned=versioned, deleter=hostile.SETS_AN_ERROR)
    array = anystream.from_dlpack(producer)
    del array
    assert gc.collect() >= 0
    holder = [anystream.from_dlpack(Producer(deleter=hostile.SETS_AN_ERROR))]
    with pytest.raises(ZeroDivisionError):
        _raise_while_dropping(holder)
    assert holder == []


def _raise_while_dropping(holder: list[Any]) -> None:
    array = holder.pop()
    assert array.shape == (2, 3)
    raise ZeroDivisionError
