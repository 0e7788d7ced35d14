# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Hostile classes, devices and capsules; a producer's own errors reach the user as they are."""

from collections.abc import Callable
from typing import Any

import pytest

import anystream
import hostile
import hostile_objects
from ctypes_tensors import Producer
from hostile import ERRORS, Case, Giver, parametrized, refused, settled


@parametrized(hostile.DEVICES)
def test_a_device(case: Case) -> None:
    refused(case, anystream.from_dlpack)


@parametrized(hostile.CAPSULES)
def test_what_dlpack_returns(case: Case) -> None:
    refused(case, anystream.from_dlpack)


@parametrized(hostile_objects.OBJECTS)
def test_a_class(case: Case) -> None:
    refused(case, anystream.from_dlpack)


def test_none_as_the_id_is_the_hosts() -> None:
    """Some libraries have no number for the host; it has only one."""
    giver = Giver(Producer(), (1, None))
    assert anystream.from_dlpack(giver).shape == (2, 3)
    settled(giver.producer)


def test_a_list_for_a_device_is_no_reason_to_fail() -> None:
    giver = Giver(Producer(), [1, 0])
    assert anystream.from_dlpack(giver).device == anystream.Device("cpu")
    settled(giver.producer)


@pytest.mark.parametrize(
    ("where", "error", "build"),
    hostile_objects.OWN,
    ids=lambda part: type(part).__name__ if isinstance(part, BaseException) else None,
)
def test_its_own_error_is_the_users_to_see(
    where: str, error: BaseException, build: Callable[[], Any]
) -> None:
    x = build()
    with pytest.raises(type(error)) as caught:
        anystream.from_dlpack(x)
    assert caught.value is error
    assert len(x.calls) <= 1
    assert x.producer.capsules == []


@pytest.mark.parametrize(("module", "name"), hostile_objects.NAMES)
@pytest.mark.parametrize("to", [None, "numpy"])
def test_the_name_of_a_library_makes_no_array_of_it(module: str, name: str, to: Any) -> None:
    """Whoever reads memory by a class's name reads what is not there."""
    x = hostile_objects.impostor(module, name)
    producer = x.producer
    if to is not None:
        pytest.importorskip(to, reason=f"{to} is not installed")
    try:
        array = anystream.from_dlpack(x) if to is None else anystream.handoff(x, to=to)
    except (*ERRORS, AttributeError) as error:
        assert str(error)  # noqa: PT017
        del error
    else:
        assert array.shape == (2, 3)
        del array
    assert len(x.calls) <= 1
    del x
    settled(producer)


def test_methods_of_the_object_alone() -> None:
    class Bare:
        pass

    bare, producer = Bare(), Producer()
    bare.__dlpack__ = lambda **_: producer.capsule()  # type: ignore[attr-defined]
    bare.__dlpack_device__ = lambda: (1, 0)  # type: ignore[attr-defined]
    assert anystream.from_dlpack(bare).data_ptr == producer.address
    settled(producer)


def test_a_class_that_changes_between_two_imports() -> None:
    """What is remembered of a class must not outlive its method."""

    class Changing(Giver):
        pass

    first = Changing(Producer())
    assert anystream.from_dlpack(first).shape == (2, 3)
    changed: Any = Changing
    changed.__dlpack__ = lambda self: 5
    with pytest.raises(TypeError, match="got int 5"):
        anystream.from_dlpack(Changing(Producer()))
    changed.__dlpack_device__ = lambda self: "gone"
    with pytest.raises(TypeError, match="got str 'gone'"):
        anystream.from_dlpack(Changing(Producer()))
    settled(first.producer)


def test_an_object_that_becomes_another_while_it_is_asked() -> None:
    class Other:
        pass

    def change(giver: Giver) -> Any:
        giver.__class__ = Other  # type: ignore[assignment]
        return giver.producer.capsule()

    giver = Giver(Producer(), (1, 0), change)
    producer = giver.producer
    assert anystream.from_dlpack(giver).data_ptr == producer.address
    settled(producer)


def test_an_import_within_an_import() -> None:
    def answer(giver: Giver) -> Any:
        inner = Giver(Producer())
        assert anystream.from_dlpack(inner).shape == (2, 3)
        settled(inner.producer)
        return giver.producer.capsule()

    giver = Giver(Producer(), (1, 0), answer)
    assert anystream.from_dlpack(giver).shape == (2, 3)
    settled(giver.producer)


def test_an_import_of_itself_without_end() -> None:
    giver = Giver(Producer(), (1, 0), anystream.from_dlpack)
    with pytest.raises(RecursionError):
        anystream.from_dlpack(giver)
    assert giver.producer.capsules == []


@pytest.mark.parametrize("versioned", [True, False], ids=["versioned", "legacy"])
def test_the_last_reference_to_the_producer_goes_while_it_is_asked(*, versioned: bool) -> None:
    def let_go(giver: Giver) -> Any:
        holder.clear()
        return giver.producer.capsule()

    holder = [Giver(Producer(versioned=versioned))]
    producer = holder[0].producer
    holder[0].gives = let_go
    array = anystream.from_dlpack(holder[0])
    assert holder == []
    assert array.data_ptr == producer.address
    del array
    settled(producer)
