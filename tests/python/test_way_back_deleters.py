# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What is put off is never done inside of a deleter, whoever's it is and whoever runs it."""

import ctypes
import gc
from collections.abc import Callable
from typing import Any

import pytest

import anystream
from anystream import _core
from anystream.testing import values
from ctypes_tensors import FUNCTION_OF_POINTER, Producer
from way_back_rig import ELEMENTS, Story, all_equal


class Deleter:
    """Calls anystream in every way that may do what is put off; tells what was done by then."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.done: list[int] = []
        self.kept: Any = None  # what C calls it by

    def __call__(self, *_: Any) -> None:
        target = self.story.device.empty((ELEMENTS,), "int32", self.story.producer)
        anystream.from_dlpack(target)
        anystream.from_dlpack(target, copy=True)
        anystream.synchronize()
        self.done.append(len(self.story.pool.free))


class Owner:
    """Gives its memory back like an object that owns some."""

    def __init__(self, deleter: Deleter) -> None:
        self.deleter = deleter

    def __del__(self) -> None:
        self.deleter()


class Bytes(bytearray, Owner):
    def __init__(self, deleter: Deleter) -> None:
        bytearray.__init__(self, 8)
        Owner.__init__(self, deleter)


def of_an_object(deleter: Deleter, device: tuple[int, int]) -> Any:
    return _core._array_from_pointer(
        4096,
        (2,),
        None,
        (0, 32, 1),
        device,
        readonly=False,
        owner=Owner(deleter),
        stream=None,
        plan=None,
    )


def called_as_c(deleter: Deleter) -> tuple[Any, int]:
    function = FUNCTION_OF_POINTER(deleter)
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return function, address


def of_a_tensor(deleter: Deleter, device: tuple[int, int], *, versioned: bool) -> Any:
    function, address = called_as_c(deleter)
    deleter.kept = function
    return anystream.from_dlpack(Producer(device=device, versioned=versioned, deleter=address))


HOST, OTHER = (1, 0), (4, 0)  # memory that nothing is ordered for

OWNERS: dict[str, Callable[[Deleter], Any]] = {
    "an object on the host": lambda deleter: of_an_object(deleter, HOST),
    "an object on a device": lambda deleter: of_an_object(deleter, OTHER),
    "a tensor on the host": lambda deleter: of_a_tensor(deleter, HOST, versioned=True),
    "a legacy tensor": lambda deleter: of_a_tensor(deleter, HOST, versioned=False),
    "a tensor on a device": lambda deleter: of_a_tensor(deleter, OTHER, versioned=True),
    "a buffer": lambda deleter: anystream.from_dlpack(Bytes(deleter)),
}


@pytest.fixture(autouse=True)
def at_calls_only() -> Any:
    _core._releases_use_thread(False)
    yield
    _core._releases_use_thread(True)
    assert _core._releases_flush(20)


def put_off(story: Story) -> None:
    """Put a release off, whose device is done before the next call."""
    array = story.handed(release="deferred")
    target = story.read_late(array)
    del array
    assert anystream.pending_releases().number == 1
    story.consumer.release()
    while values(target) != all_equal(7):
        pass


@pytest.mark.parametrize("kind", OWNERS)
def test_a_deleter_does_nothing_that_was_put_off(kind: str) -> None:
    story = Story()
    deleter = Deleter(story)
    array = OWNERS[kind](deleter)
    put_off(story)
    del array
    gc.collect()
    assert deleter.done == [0]
    anystream.synchronize()
    assert len(story.pool.free) == 1


@pytest.mark.parametrize("versioned", [True, False])
def test_the_deleter_of_what_is_refused_neither(versioned: bool) -> None:
    story = Story()
    deleter = Deleter(story)
    function, address = called_as_c(deleter)
    producer = Producer(dtype=(2, 32, 0), versioned=versioned, deleter=address)
    put_off(story)
    with pytest.raises(BufferError):
        anystream.from_dlpack(producer)
    assert deleter.done == [0]
    del function
