# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""How messages name what was given: short, whatever it is, and the same in both languages."""

from collections.abc import Callable
from typing import Any

import pytest

import anystream
from anystream import Device, DType, Stream
from ctypes_tensors import Producer

SHORT = 700  # characters, of which most are what is accepted


def of_strange(kind: Any) -> Any:
    kind.__module__ = "strange"
    return kind


@of_strange
class Raising:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


@of_strange
class Endless:
    def __repr__(self) -> str:
        return "B" * 1_000_000


@of_strange
class RaisingStr(str):
    __slots__ = ()

    def __repr__(self) -> str:
        raise RuntimeError("no repr")


@of_strange
class RaisingInt(int):
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


class Unnamed(type):
    @property
    def __module__(cls) -> Any:  # type: ignore[override]
        raise RuntimeError("no module")


class OfNoModule(metaclass=Unnamed):
    pass


def of_module(module: str) -> Any:
    return type("Kind", (), {"__module__": module})()


# Made in the tests, because pytest looks at parameters, too.
STRANGE: dict[str, tuple[Callable[[], Any], str]] = {
    "a repr that raises": (Raising, "a strange.Raising"),
    "a repr without end": (Endless, "a strange.Endless"),
    "a text whose repr raises": (lambda: RaisingStr("no device"), "a strange.RaisingStr"),
    "an int whose repr raises": (lambda: RaisingInt(77), "a strange.RaisingInt"),
    "a tuple of what raises": (lambda: (Raising(), 1), "a tuple"),
    "a tuple of what has no end": (lambda: (Endless(), 1), "a tuple"),
    "a long tuple": (lambda: (0,) * 1_000_000, "a tuple"),
    "an int that Python does not print": (lambda: 10**6000, "an int"),
    "bytes": (lambda: b"x" * 1_000_000, "a bytes"),
    "a short one": (lambda: b"x", r"bytes b'x'"),
    "what has no module": (OfNoModule, "an OfNoModule"),
    "a class": (lambda: Raising, "the class strange.Raising"),
    "of a private module": (lambda: of_module("library._core"), "a library.Kind"),
    "of a part of one": (lambda: of_module("library._core.part"), "a library.Kind"),
    "of a module of C": (lambda: of_module("_library"), "a Kind"),
    "of a script": (lambda: of_module("__main__"), "a __main__.Kind"),
}

# Those that the extension checks, and those that the package does.
REFUSING: dict[str, Callable[[Any], object]] = {
    "from_dlpack(copy=…)": lambda value: anystream.from_dlpack(Producer(), copy=value),
    "from_dlpack(strict=…)": lambda value: anystream.from_dlpack(Producer(), strict=value),
    "from_dlpack(ordering=…)": lambda value: anystream.from_dlpack(Producer(), ordering=value),
    "__dlpack__(max_version=…)": lambda value: array().__dlpack__(max_version=value),
    "Stream(out_of_order=…)": lambda value: Stream(7, out_of_order=value),
    "Stream.wait(…)": lambda value: Stream(7, "cuda:0").wait(value),
    "handoff(copy=…)": lambda value: anystream.handoff(Producer(), to="numpy", copy=value),
    "handoff(ordering=…)": lambda value: anystream.handoff(Producer(), to="numpy", ordering=value),
    "handoff(writable=…)": lambda value: anystream.handoff(Producer(), to="numpy", writable=value),
    "Device(platform=…)": lambda value: Device("cpu", platform=value),
}


def array() -> anystream.Array:
    return anystream.from_dlpack(Producer())


@pytest.mark.parametrize("refuse", REFUSING.values(), ids=REFUSING)
@pytest.mark.parametrize(("make", "got"), STRANGE.values(), ids=STRANGE)
def test_what_was_given(make: Callable[[], Any], got: str, refuse: Callable[[Any], object]) -> None:
    with pytest.raises((TypeError, ValueError), match=f"; got {got}[. ]") as caught:
        refuse(make())
    assert len(str(caught.value)) < SHORT
    assert "no repr" not in str(caught.value)


# What texts and numbers may come to there is not what any of these may.
OBJECTS = {
    name: make
    for name, (make, _) in STRANGE.items()
    if not issubclass(type(make()), (str, int, bytes))
}
TAKING: dict[str, Callable[[Any], object]] = {
    "Device": Device,
    "DType": DType,
    "Device(type, …)": lambda value: Device(2, value),
    "DType(code, …)": lambda value: DType(2, value),
    "to=": lambda value: anystream.handoff(Producer(), to=value),
    "device=": lambda value: anystream.from_dlpack(Producer(), device=value),
    "Stream(…, device)": lambda value: Stream(7, value),
    "to_device": lambda value: array().to_device(value),
    "current_stream": lambda value: anystream.current_stream(value, "cuda:0"),
    "stream=": lambda value: anystream.from_dlpack(Producer(), stream=value),
    "Stream": Stream,
    "from_handle": lambda value: Stream.from_handle("cuda:0", value),
}


@pytest.mark.parametrize("take", TAKING.values(), ids=TAKING)
@pytest.mark.parametrize("make", OBJECTS.values(), ids=OBJECTS)
def test_no_object_spoils_a_message(make: Callable[[], Any], take: Callable[[Any], object]) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        take(make())
    assert len(str(caught.value)) < SHORT
    assert "; got " in str(caught.value)


TEXTS = {
    "long": ("z" * 1_000_000, "zzzz"),
    "with half a letter": ("\ud800", r"\ud800"),
    "with a NUL": ("cuda\0:0", r"cuda\x00:0"),
    "of a class of its own": (RaisingStr("nonsense"), "nonsense"),
}


@pytest.mark.parametrize("take", [Device, DType, TAKING["to="], TAKING["Stream(…, device)"]])
@pytest.mark.parametrize(("text", "shown"), TEXTS.values(), ids=TEXTS)
def test_texts(text: str, shown: str, take: Callable[[Any], object]) -> None:
    with pytest.raises(ValueError, match="; got ") as caught:
        take(text)
    message = str(caught.value)
    assert shown in message
    assert len(message) < SHORT
    assert message.count("\n") == 1  # not cut short either


@pytest.mark.parametrize("keyword", ["z" * 1_000_000, "\ud800", "a\0b", RaisingStr("word")])
def test_keywords(keyword: str) -> None:
    with pytest.raises(
        TypeError, match=r"^from_dlpack\(\) has no keyword argument .*strict and release\.$"
    ) as it:
        anystream.from_dlpack(Producer(), **{keyword: None})  # type: ignore[call-overload]
    assert len(str(it.value)) < SHORT


def test_what_a_repr_is_interrupted_by_comes_through() -> None:
    class Interrupted(int):
        def __repr__(self) -> str:
            raise KeyboardInterrupt

    calls: list[Any] = [anystream.from_dlpack, anystream.explain]
    for call in calls:
        with pytest.raises(KeyboardInterrupt):
            call(Producer(), copy=Interrupted())
