# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What the extension does with the rows and functions that the package gives it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from anystream import Device, DType, Plan, Stream, _core
from anystream._drivers import search_paths
from anystream._handoff import import_array
from anystream._peers import STREAM_CLASSES
from anystream._streams import known_sycl_queues
from stream_values import HANDLE, capsule, stand_in

Configure = Callable[..., None]


@pytest.fixture
def configure() -> Iterator[Configure]:
    """Configure the extension anew; the package's own configuration comes back afterwards."""
    usual: dict[str, Any] = {
        "make_device": Device,
        "make_dtype": DType,
        "import_array": import_array,
        "plan_class": Plan,
        "stream_classes": STREAM_CLASSES,
        "known_sycl_queues": known_sycl_queues,
        "search_paths": search_paths,
    }
    yield lambda **changed: _core._configure(**(usual | changed))
    _core._configure(**usual)


class Streams:
    """Of a library that nobody knows yet."""

    raw = None

    def read(self) -> int:
        return HANDLE

    def give(self) -> object:
        return capsule("CUstream", HANDLE + 8)


def row(handle: str, family: str = "cuda", null_means: int = 1) -> tuple[str, str, str, str, int]:
    return (Streams.__module__, "Streams", family, handle, null_means)


@pytest.mark.parametrize(
    ("handle", "number"),
    [("call:read", HANDLE), ("capsule:give", HANDLE + 8), ("attr:raw", 1)],
)
def test_new_rows_hold_at_once(handle: str, number: int, configure: Configure) -> None:
    stream = Streams()
    with pytest.raises(TypeError):
        Stream(stream, "cuda:0")
    configure(stream_classes=[*STREAM_CLASSES, row(handle)])
    assert Stream(stream, "cuda:0").handle == number
    configure()
    with pytest.raises(TypeError):
        Stream(stream, "cuda:0")


def test_what_null_means_is_said_by_the_row(configure: Configure) -> None:
    configure(stream_classes=[row("attr:raw", null_means=2)])
    assert Stream(Streams(), "cuda:0").handle == 2


def test_an_unresolved_stream_outlives_the_rows_that_it_was_made_by(configure: Configure) -> None:
    configure(stream_classes=[row("call:read", family="hip")])
    stream = Stream(Streams())
    for _ in range(100):
        configure()
    assert Stream(stream, "rocm:0").handle == HANDLE


def test_a_method_that_gives_no_capsule(configure: Configure) -> None:
    configure(stream_classes=[row("capsule:read")])
    with pytest.raises(TypeError, match="gives its handle in a capsule; got an int"):
        Stream(Streams(), "cuda:0")


@pytest.mark.parametrize("handle", ["", "attr", "call", "int:x", "property:x"])
def test_a_row_that_cannot_be_read(handle: str, configure: Configure) -> None:
    with pytest.raises(ValueError, match="a handle is read by") as caught:
        configure(stream_classes=[row(handle)])
    assert str(caught.value) == (
        '_configure(stream_classes=…): a handle is read by "attr:NAME", "call:NAME", "int", '
        f'"protocol", "capsule:NAME", "object" or a function; got "{handle}".'
    )
    assert Stream(stand_in("warp.context", "Stream", cuda_stream=7), "cuda:0").handle == 7


def test_folders_are_asked_for_once_and_only_if_a_driver_is_needed(configure: Configure) -> None:
    calls: list[int] = []

    def paths() -> list[tuple[str, str]]:
        calls.append(1)
        return [("sycl", "/nowhere")]

    configure(search_paths=paths)
    for value in (None, -1):
        _core.resolve_stream(value, 14, 0)
    Stream(7, "cuda:0")
    assert calls == []
    _core.drivers()
    _core.devices()
    assert calls == [1]


def test_a_folder_of_a_driver_that_nobody_knows(configure: Configure) -> None:
    configure(search_paths=lambda: [("sykl", "/nowhere")])
    with pytest.raises(ValueError, match="sykl"):
        _core.devices()


def test_what_a_function_of_the_package_raises_is_left_as_it_is(configure: Configure) -> None:
    def queues() -> frozenset[int]:
        raise LookupError("the library's own")

    configure(known_sycl_queues=queues)
    with pytest.raises(LookupError, match="the library's own"):
        _core.resolve_stream(4096, 14, 0)
    assert _core.resolve_stream(4096, 2, 0)[0] == "stream"
