# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""No arrays at all: the same container back, after the same checks of what was asked."""

from typing import Any

import pytest

import anystream
from anystream.testing import SimulatedDevice

np = pytest.importorskip("numpy", reason="numpy is not installed")

EMPTY: list[Any] = [[], (), {}]
WRONG: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "copy": ({"copy": 5}, TypeError, r"copy=…\) takes None, True or False; got int 5"),
    "strict": ({"strict": 5}, TypeError, r"strict=…\) takes None, True or False; got int 5"),
    "ordering": ({"ordering": "x"}, ValueError, r"ordering=…\) takes .*; got str 'x'"),
    "device": ({"device": "gpu"}, ValueError, 'a device string is .*; got "gpu"'),
    "a device's number": ({"device": 0}, TypeError, r"device=…\) takes a device string.* int 0"),
    "cpu:1": ({"device": "cpu:1"}, ValueError, r"device=…\) takes cpu for the host"),
    "stream": ({"stream": "s"}, TypeError, r"\(stream=…\): a stream is .*; got str 's'"),
    "a bool": ({"stream": True}, TypeError, r"\(stream=…\): a stream is .*; got bool True"),
    "an array": ({"stream": np.arange(3)}, TypeError, "an array and no stream"),
    "a class": ({"stream": SimulatedDevice}, TypeError, "not an instance of it"),
    "-2": ({"stream": -2}, ValueError, r"\(stream=…\): a stream is .*; got int -2"),
    "producer_stream": ({"producer_stream": 0.5}, TypeError, r"\(producer_stream=…\): a stream is"),
    "one of two": ({"producer_stream": [None, "s"]}, TypeError, r"producer_stream=…\): a stream"),
    "a stream of the host": (
        {"device": "cpu", "stream": 7},
        ValueError,
        r"\(stream=…\): a kDLCPU array takes None or -1; got int 7",
    ),
}


@pytest.mark.parametrize("many", EMPTY, ids=["list", "tuple", "dict"])
@pytest.mark.parametrize(("asked", "error", "text"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_for_one_is_wrong_for_none(
    many: Any, asked: dict[str, Any], error: type[Exception], text: str
) -> None:
    for call in (anystream.from_dlpack, anystream.explain):
        with pytest.raises(error, match=rf"^(from_dlpack\()?{text}|{text}"):
            call(many, **asked)
    for handing in (anystream.handoff, anystream.explain):
        with pytest.raises(error, match=text) as caught:
            handing(many, to="numpy", **asked)
        assert not hasattr(caught.value, "__notes__")


@pytest.mark.parametrize("many", EMPTY, ids=["list", "tuple", "dict"])
def test_the_library_is_looked_for(many: Any) -> None:
    calls: list[Any] = [anystream.handoff, anystream.explain]
    for call in calls:
        with pytest.raises(ValueError, match=r"^handoff\(to=…\) takes 'numpy', .*; got 'nobody'"):
            call(many, to="nobody")
        with pytest.raises(TypeError, match=r"^handoff\(to=…\) takes the name of a lib.*int 5"):
            call(many, to=5)
        with pytest.raises(TypeError, match=r"^handoff\(writable=…\) takes .*; got int 1"):
            call(many, to="numpy", writable=1)
        with pytest.raises(BufferError, match="takes arrays on cpu; got vulkan:0"):
            call(many, to="numpy", device="vulkan:0")


@pytest.mark.parametrize("many", EMPTY, ids=["list", "tuple", "dict"])
@pytest.mark.parametrize("stream", [None, -1, 0, 7, object()], ids=str)
def test_what_may_be_right_is_taken(many: Any, stream: Any) -> None:
    """No array tells the device, so any stream may be right for it."""
    made = anystream.from_dlpack(many, stream=stream, producer_stream=[stream], copy=True)
    assert made == many
    assert type(made) is type(many)
    assert anystream.handoff(many, to="numpy", stream=stream, strict=True) == many
    assert anystream.explain(many, stream=stream) == many


def test_a_stream_of_ours_is_taken() -> None:
    with SimulatedDevice() as device:
        stream = device.stream()
        assert anystream.from_dlpack([], stream=stream, device=device.device) == []
        assert anystream.from_dlpack([], stream=anystream.Stream(stream)) == []
        with pytest.raises(TypeError, match="a kDLCUDA array takes"):
            anystream.from_dlpack([], stream=stream, device="cuda:0")


def test_what_is_wrong_is_no_ones_own() -> None:
    """It is not about the first of the arrays."""
    calls: list[Any] = [anystream.from_dlpack, anystream.explain]
    for call in calls:
        with pytest.raises(TypeError, match="takes None, True or False") as caught:
            call([np.arange(3)], copy=5)
        assert not hasattr(caught.value, "__notes__")


# ---- what is no list -----------------------------------------------------------------------------

X = np.arange(3.0)
NO_LISTS: dict[str, tuple[Any, str]] = {
    "a generator": ((x for x in [X]), "If arrays are in it, write list(x)."),
    "a set": ({1.0}, "If arrays are in it, write list(x)."),
    "a map": (map(id, [X]), "If arrays are in it, write list(x)."),
    "values of a dict": ({1: X}.values(), "If arrays are in it, write list(x)."),
    "a list in a list": ([[X]], "Hand over one list at a time: lists within lists are not taken"),
    "a dict in a tuple": (({1: X},), "Hand over one list at a time: lists within lists are not"),
    "a number": (3.0, "Make it an array of a library first."),
    "a text": ("abc", "Make it an array of a library first."),
    "a class": (np.ndarray, "Pass an instance of it."),
}


@pytest.mark.parametrize(("value", "fix"), NO_LISTS.values(), ids=NO_LISTS)
def test_what_is_no_list(value: Any, fix: str) -> None:
    for call in (anystream.explain, anystream.from_dlpack):
        with pytest.raises(TypeError, match="or a list, a tuple or a dict of these; got ") as it:
            call(value)
        assert str(it.value).partition("\n  ")[2].startswith(fix)
