# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Hostile C exchange APIs: each is refused by what is wrong with it; another version is none."""

import ctypes
from collections.abc import Callable
from typing import Any

import pytest

import anystream
import hostile_tables
from ctypes_tensors import Producer
from exchange_rig import CAPSULE_ATTRIBUTE, INT_ATTRIBUTE
from hostile import Case, Giver, parametrized, refused, settled
from hostile_tables import gives, in_capsule, offering


@parametrized(hostile_tables.TABLES)
def test_a_table(case: Case) -> None:
    refused(case, anystream.from_dlpack)


@parametrized(hostile_tables.TABLES)
def test_a_table_on_the_way_to_numpy(case: Case) -> None:
    pytest.importorskip("numpy", reason="numpy is not installed")
    refused(case, lambda x: anystream.handoff(x, to="numpy"))


@pytest.mark.parametrize(
    ("what", "route", "build"), hostile_tables.TOLERATED, ids=lambda x: x if str(x) == x else None
)
def test_what_is_unusual_and_right(what: str, route: str, build: Callable[[], Any]) -> None:
    for x in (build(), build()):
        array = anystream.from_dlpack(x)
        by_table = route == "table"
        assert array.data_ptr == (x.producer if by_table else x.second).address
        assert array.plan.protocol.what == ("the C exchange API" if by_table else route)
        assert (x.producer.handed, len(x.calls)) == ((1, 0) if by_table else (0, 1))
        del array
        settled(x.producer)
        settled(x.second)


def test_the_same_class_again() -> None:
    """What was planned once is remembered; what is wrong must be said again."""
    producers = [Producer(), *(Producer(ndim=-1) for _ in range(3)), Producer()]
    given = iter(producers)

    def export(array: int, out: Any) -> int:
        return gives(next(given))(array, out)

    x = offering(in_capsule(from_py=export))
    assert anystream.from_dlpack(x).shape == (2, 3)
    for _ in range(3):
        with pytest.raises(BufferError, match="got ndim -1"):
            anystream.from_dlpack(x)
    assert anystream.from_dlpack(x).shape == (2, 3)
    for producer in producers:
        assert producer.handed == 1
        settled(producer)


@pytest.mark.parametrize("to", [None, "numpy"])
@pytest.mark.parametrize("device", [(2, 0), (3, 0), (14, 0)])
def test_who_says_that_it_is_here_and_is_not_is_asked_once(device: Any, to: str | None) -> None:
    """Also by the way that its class is known to go."""
    if to is not None:
        pytest.importorskip(to, reason=f"{to} is not installed")
    liars = [Producer(device=device) for _ in range(2)]
    producers = [Producer(), Producer(), *liars, Producer()]
    given = iter(producers)

    def export(array: int, out: Any) -> int:
        return gives(next(given))(array, out)

    def take() -> Any:
        return anystream.from_dlpack(x) if to is None else anystream.handoff(x, to=to)

    x = offering(in_capsule(from_py=export))
    for producer in producers:
        if producer in liars:
            with pytest.raises(
                BufferError, match=f"cpu, its capsule {anystream.Device(device)}\\."
            ):
                take()
        else:
            assert take().shape == (2, 3)
        assert (producer.handed, len(x.calls)) == (1, 0)
        settled(producer)


def own_export(given: list[Producer]) -> dict[str, Any]:
    """Give what a class is made with that exports by itself, and what it has given."""

    def export(_: Any, **__: Any) -> Any:
        given.append(Producer((7,)))
        return given[-1].capsule()

    return {"__dlpack__": export}


def over(kind: type, given: list[Producer]) -> type:
    return type("Over", (kind,), own_export(given))


def below(kind: type, given: list[Producer]) -> type:
    return type("Below", (over(kind, given),), {})


def mixed(kind: type, given: list[Producer]) -> type:
    return type("Mixed", (type("Exports", (), own_export(given)), kind), {})


@pytest.mark.parametrize("to", [None, "numpy"])
@pytest.mark.parametrize("derive", [over, below, mixed])
def test_an_export_above_the_table_is_the_one_that_is_called(derive: Any, to: str | None) -> None:
    if to is not None:
        pytest.importorskip(to, reason=f"{to} is not installed")
    x, given = offering(in_capsule()), list[Producer]()
    x.__class__ = derive(type(x), given)
    for number in (1, 2, 3):
        y = anystream.from_dlpack(x) if to is None else anystream.handoff(x, to=to)
        assert y.shape == (7,)
        assert (len(given), x.producer.handed, len(x.calls)) == (number, 0, 0)
    del y
    for producer in given:
        settled(producer)


@pytest.mark.parametrize("on", ["the class itself", "its base"])
def test_of_two_names_on_a_class_the_present_one_counts(on: str) -> None:
    """One of a class's own comes before whatever its base has."""
    x, other = offering(in_capsule()), Producer((7,))
    former = {INT_ATTRIBUTE: ctypes.addressof(hostile_tables.table(other))}
    if on == "its base":
        x.__class__ = type("Derived", (type(x),), former)
    else:
        setattr(type(x), *former.popitem())
    array = anystream.from_dlpack(x)
    assert array.shape == ((7,) if on == "its base" else (2, 3))
    assert (other.handed, x.producer.handed) == ((1, 0) if on == "its base" else (0, 1))
    del array
    settled(other)
    settled(x.producer)


def test_a_table_of_the_object_alone_is_none() -> None:
    """dlpack.h wants it on the type: what an object has is no promise of its class."""
    giver = Giver(Producer())
    other = Producer((7,))
    setattr(giver, CAPSULE_ATTRIBUTE, in_capsule()(other))
    assert anystream.from_dlpack(giver).shape == (2, 3)
    assert other.handed == 0
    settled(giver.producer)


def test_a_table_that_is_taken_away_between_two_imports() -> None:
    x = offering(in_capsule())
    assert anystream.from_dlpack(x).shape == (2, 3)
    settled(x.producer)
    delattr(type(x), CAPSULE_ATTRIBUTE)
    again = type(x)(Producer())
    assert anystream.from_dlpack(again).plan.protocol.what == "__dlpack__"
    assert len(again.calls) == 1
    settled(again.producer)


def test_a_table_that_appears_between_two_imports() -> None:
    x = offering(lambda _: None)
    assert anystream.from_dlpack(x).plan.protocol.what == "__dlpack__"
    settled(x.second)
    other = Producer((7,))
    setattr(type(x), CAPSULE_ATTRIBUTE, in_capsule()(other))
    array = anystream.from_dlpack(type(x)(Producer()))
    assert array.plan.protocol.what == "the C exchange API"
    assert array.shape == (7,)
    del array
    settled(other)
