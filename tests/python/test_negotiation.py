# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""How a producer is called: with what it takes, once, its errors unchanged, its answers checked."""

import functools
import re
from collections import deque
from enum import IntEnum
from typing import Any

import pytest

import anystream
from anystream import _core
from ctypes_tensors import Producer as Capsules
from signatures import (
    AnyKeyword,
    AnyPosition,
    Bare,
    Full,
    PositionalOnly,
    StreamAndVersion,
    StreamOnly,
)
from stand_ins import Recorder

np = pytest.importorskip("numpy", reason="numpy is not installed")

VALUES = [1.0, 2.0, 3.0]


# ---- signatures ----------------------------------------------------------------------------------


class WithDefaultsOfItsOwn(Recorder):
    def __dlpack__(self, *, max_version: Any = None, kind: str = "mine") -> Any:
        assert kind == "mine"
        return self.export(max_version=max_version)


def passed_on(method: Any) -> Any:
    @functools.wraps(method)
    def outer(self: Any, *arguments: Any, **keywords: Any) -> Any:
        return method(self, *arguments, **keywords)

    return outer


class Decorated(Recorder):
    @passed_on
    def __dlpack__(self, *, max_version: Any = None) -> Any:
        return self.export(max_version=max_version)


class Partial(Recorder):
    @property
    def __dlpack__(self) -> Any:
        return functools.partial(self.export, stream=None)


class Silent(Recorder):
    """Its method is written in C and says nothing of its parameters."""

    @property
    def __dlpack__(self) -> Any:
        self.calls.append({})
        return deque([_core.Carrier(self._array).__dlpack__()]).pop


VERSION = {"max_version": (1, 3)}
SIGNATURES: list[tuple[Any, dict[str, Any]]] = [
    (Bare, {}),
    (StreamOnly, {}),
    (PositionalOnly, {}),
    (StreamAndVersion, VERSION),
    (Full, VERSION),
    (AnyKeyword, VERSION),
    (AnyPosition, {}),
    (WithDefaultsOfItsOwn, VERSION),
    (Decorated, VERSION),
    (Partial, {"stream": None} | VERSION),
]


@pytest.mark.parametrize(
    ("kind", "asked"), SIGNATURES, ids=lambda one: getattr(one, "__name__", "")
)
@pytest.mark.parametrize("copy", [None, True, False])
def test_every_signature_is_called_once_with_what_it_takes(
    kind: Any, asked: dict[str, Any], copy: bool | None
) -> None:
    for to in (None, "numpy"):
        x = kind()
        array = anystream.from_dlpack(x, copy=copy) if to is None else None
        y = np.from_dlpack(array) if to is None else anystream.handoff(x, to=to, copy=copy)
        assert x.asked == asked
        assert y.tolist() == VALUES
        assert (y.ctypes.data != x._array.data_ptr) is bool(copy)


@pytest.mark.parametrize("copy", [None, True, False])
def test_a_function_without_a_signature_is_called_bare(copy: bool | None) -> None:
    assert anystream.from_dlpack(Silent(), copy=copy).dtype == anystream.DType("float32")
    assert anystream.handoff(Silent(), to="numpy", copy=copy).tolist() == VALUES


def test_explain_calls_nobody() -> None:
    x = AnyKeyword()
    anystream.explain(x, to="numpy")
    assert x.calls == []


@pytest.mark.parametrize("copy", [True, False])
def test_copies_between_devices_hold_for_any_signature(copy: bool) -> None:
    device = anystream.testing.SimulatedDevice()
    inner = device.full((3,), 5, dtype="float32")
    x = Bare(inner.__dlpack_device__(), inner)
    there: Any = {"producer_stream": inner.stream, "device": "cpu", "copy": copy}
    if not copy:
        with pytest.raises(BufferError, match="copy=False"):
            anystream.from_dlpack(x, **there)
        return
    assert np.from_dlpack(anystream.from_dlpack(x, **there)).tolist() == [5, 5, 5]
    assert x.asked == {}


# ---- errors of the producer ----------------------------------------------------------------------


class Raises(Recorder):
    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, copy: Any = None) -> Any:
        self.calls.append({})
        raise self.error


OWN_ERRORS = [
    TypeError("__dlpack__() got an unexpected keyword argument 'max_version'"),
    TypeError("mine"),
    BufferError("mine"),
    NotImplementedError("mine"),
    AttributeError("mine"),
    RuntimeError("mine"),
    KeyError("mine"),
    StopIteration("mine"),
    KeyboardInterrupt("mine"),
]


@pytest.mark.parametrize("error", OWN_ERRORS, ids=repr)
@pytest.mark.parametrize("to", [None, "numpy"])
def test_its_own_error_reaches_the_user_after_one_call(error: BaseException, to: Any) -> None:
    for copy in (None, True):
        x = Raises(error)
        call: Any  # checkers do not see through partial() what an overloaded function gives
        call = anystream.from_dlpack if to is None else functools.partial(anystream.handoff, to=to)
        with pytest.raises(type(error)) as caught:
            call(x, copy=copy)
        assert caught.value is error
        assert len(x.calls) == 1


class DeviceRaises(Full):
    def __dlpack_device__(self) -> Any:
        raise TypeError("of the device")


def test_an_error_of_the_device_comes_through_and_nothing_is_exported() -> None:
    x = DeviceRaises()
    with pytest.raises(TypeError, match=r"^of the device$"):
        anystream.from_dlpack(x)
    assert x.calls == []


def test_a_method_that_is_no_function() -> None:
    class Number(Recorder):
        __dlpack__ = 5

    with pytest.raises(
        TypeError, match=r"^__dlpack__ of an array is callable; got int 5\.\n  That"
    ):
        anystream.from_dlpack(Number())


# ---- what __dlpack_device__ answers --------------------------------------------------------------


class Kind(IntEnum):
    HOST = 1


@pytest.mark.parametrize(
    "device",
    [
        (1, 0),
        [1, 0],
        (Kind.HOST, 0),
        (anystream.DeviceType.CPU, 0),
        (np.int32(1), np.int64(0)),
        (1, None),
        (Kind.HOST, None),
    ],
    ids=repr,
)
def test_devices_that_are_understood(device: Any) -> None:
    x = Full()
    x.device = device
    assert anystream.from_dlpack(x).device == anystream.Device("cpu")


@pytest.mark.parametrize(
    ("device", "error", "got"),
    [
        (None, TypeError, "None"),
        (1, TypeError, "int 1"),
        ("cpu", TypeError, "str 'cpu'"),
        ((), TypeError, "tuple ()"),
        ((1,), TypeError, "tuple (1,)"),
        ((1, 0, 0), TypeError, "tuple (1, 0, 0)"),
        ((None, 0), TypeError, "tuple (None, 0)"),
        ((1.0, 0), TypeError, "tuple (1.0, 0)"),
        ((True, 0), TypeError, "tuple (True, 0)"),
        (("cpu", 0), TypeError, "tuple ('cpu', 0)"),
        ((1, "0"), TypeError, "tuple (1, '0')"),
        ((-1, 0), ValueError, "tuple (-1, 0)"),
        ((1, -1), ValueError, "tuple (1, -1)"),
        ((1, 2**31), ValueError, f"tuple (1, {2**31})"),
        ({1: 0}, TypeError, "a dict"),
    ],
)
def test_devices_that_are_none(device: Any, error: type[Exception], got: str) -> None:
    x = Full()
    x.device = device
    text = (
        f"__dlpack_device__ of this {Full.__module__}.Full array: a device is a pair (device type, "
        f"id) of ints from 0 to {2**31 - 1}; got {got}."
    )
    for call in (anystream.from_dlpack, anystream.explain):
        with pytest.raises(error, match=re.escape(text)):
            call(x)
    assert x.calls == []


@pytest.mark.parametrize("said", [(2, 0), (1, 1), (13, 0), (99, 0)])
def test_a_capsule_elsewhere_than_was_said(said: tuple[int, int]) -> None:
    capsules = Capsules((3,))
    capsules.device = said
    text = r"__dlpack_device__ of this .* array says .*, its capsule cpu:?0?\.\n  That is a fault"
    with pytest.raises(BufferError, match=text):
        anystream.from_dlpack(capsules, ordering="none")
    assert len(capsules.asked) == 1
    capsules.drop()
    assert capsules.deleted == 1


# ---- what __dlpack__ answers ---------------------------------------------------------------------


class Answers(AnyKeyword):
    def __init__(self, given: Any) -> None:
        super().__init__()
        self.given = given

    def answer(self, version: Any) -> Any:
        return self.given


@pytest.mark.parametrize("answer", [None, 3, "dltensor", object(), (1, 2)])
def test_what_is_no_capsule(answer: Any) -> None:
    x = Answers(answer)
    with pytest.raises(TypeError, match='is named "dltensor" or "dltensor_versioned"; got '):
        anystream.from_dlpack(x)
    assert len(x.calls) == 1


def test_a_capsule_that_somebody_has_used() -> None:
    capsule = np.zeros(3).__dlpack__()
    anystream.from_dlpack(capsule)
    with pytest.raises(ValueError, match='can be taken once; got one named "used_dltensor"'):
        anystream.from_dlpack(Answers(capsule))


@pytest.mark.parametrize("version", [(0, 8), (2, 0), (2**32 - 1, 0)])
def test_another_major_version_is_given_back_once(version: tuple[int, int]) -> None:
    capsules = Capsules((3,), version=version)
    text = f"takes DLPack 1; got a capsule of version {version[0]}.{version[1]}"
    with pytest.raises(BufferError, match=text):
        anystream.from_dlpack(capsules)
    capsules.drop()
    assert capsules.deleted == 1
    again = Capsules((3,), version=version)
    with pytest.raises(BufferError, match=text):
        anystream.from_dlpack(again.capsule())
    again.drop()
    assert again.deleted == 1


def test_a_newer_minor_version_is_taken() -> None:
    capsules = Capsules((3,), version=(1, 99))
    assert anystream.from_dlpack(capsules).shape == (3,)
    capsules.drop()
    assert capsules.deleted == 1
