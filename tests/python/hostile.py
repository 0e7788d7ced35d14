# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""A corpus of hostile producers: each names the field that is wrong, and what must be said of it.

`refused` holds for every case: a BufferError, TypeError or ValueError that says what was wrong; the
producer asked at most once; the deleter called once for the capsule that was made; nothing kept.
"""

import ctypes
import gc
import re
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from ctypes_tensors import Producer, named_capsule
from python_api import new_capsule
from signatures import Full

ERRORS = (BufferError, TypeError, ValueError)
INT64_MIN = -(2**63)

# Leaves a Python error set and returns: what a C deleter does that raises. Needs the GIL.
SETS_AN_ERROR = ctypes.cast(ctypes.pythonapi.PyErr_BadArgument, ctypes.c_void_p).value or 0


class Giver(Full):
    """An object with DLPack's two methods around a producer; weak references can watch it."""

    def __init__(
        self, producer: Producer, device: Any = ..., answer: Callable[["Giver"], Any] | None = None
    ) -> None:
        super().__init__(producer.device if device is ... else device, producer)
        self.producer = producer
        self.gives = answer

    def answer(self, version: Any) -> Any:
        return self.producer.capsule() if self.gives is None else self.gives(self)


@dataclass(frozen=True)
class Case:
    """One wrong thing: `build` makes a new object that has it."""

    field: str
    what: str
    build: Callable[[], Any]
    error: type[Exception] | tuple[type[Exception], ...]
    says: str  # a regular expression

    def __str__(self) -> str:
        return re.sub(r"[^\w.+-]+", "_", f"{self.field}_{self.what}")


def parametrized(cases: list[Case]) -> pytest.MarkDecorator:
    """Give each case a name that tells it in the test's report."""
    return pytest.mark.parametrize("case", cases, ids=str)


def refused(case: Case, take: Callable[[Any], Any]) -> str:
    """Assert that a case is refused as it must be; what was said."""
    x = case.build()
    producers = [getattr(x, name) for name in ("producer", "second") if hasattr(x, name)]
    gone = weakref.ref(x) if isinstance(x, Giver) else None
    with pytest.raises(case.error) as caught:
        take(x)
    said = str(caught.value)
    assert re.search(case.says, said), said
    assert len(getattr(x, "calls", ())) <= 1
    del x, caught
    for producer in producers:
        settled(producer)
    if gone is not None and gone() is not None:
        gc.collect()  # a cycle through the traceback is no leak
        assert gone() is None, "something still holds the producer"
    return said


def settled(producer: Producer) -> None:
    """Assert that the one structure that was given has been deleted once, and no other."""
    made = len(producer.capsules) + producer.handed
    producer.drop()
    assert made <= 1
    assert producer.deleted == (made if producer.counts else 0)


# ---- the structures -----------------------------------------------------------------------------


def _structure(field: str, what: str, says: str, **fields: Any) -> Iterator[Case]:
    """Make a case for each form of managed tensor, alone and within an array."""
    forms = (True,) if fields.keys() & {"version", "flags"} else (True, False)
    for versioned in forms:
        form = "versioned" if versioned else "legacy"
        yield Case(
            field,
            f"{what} {form}",
            lambda versioned=versioned: Giver(  # type: ignore[misc]
                Producer(versioned=versioned, **fields)
            ),
            BufferError,
            says,
        )


_HUGE = 2**32 - 1
_TOO_LARGE = r"the .* of an array must fit 63 bits"
_STRUCTURES: list[tuple[str, str, str, dict[str, Any]]] = [
    *(
        (
            "DLManagedTensorVersioned.version",
            f"{major}.{minor}",
            rf"anystream takes DLPack 1; got a capsule of version {major}\.{minor}",
            {"version": (major, minor)},
        )
        for major, minor in ((0, 0), (0, 8), (2, 0), (_HUGE, _HUGE))
    ),
    (
        "DLManagedTensorVersioned.version",
        "2.0 with nothing else right",
        r"version 2\.0",
        {"version": (2, 0), "ndim": 2**30, "data": 1, "null_shape": True, "dtype": (99, 0, 0)},
    ),
    *(
        ("DLTensor.ndim", str(ndim), rf"0 to 64 dimensions; got ndim {ndim}", {"ndim": ndim})
        for ndim in (-1, -(2**31), 65, 10**9, 2**31 - 1)
    ),
    ("DLTensor.shape", "NULL", "ndim 2 needs a shape; got NULL", {"null_shape": True}),
    ("DLTensor.shape", "negative", r"shape \(2, -3\)", {"shape": (2, -3)}),
    ("DLTensor.shape", "lowest", r"shape \(-9223372036854775808,\)", {"shape": (INT64_MIN,)}),
    ("DLTensor.shape", "negative beside zero", r"shape \(0, -3\)", {"shape": (0, -3)}),
    ("DLTensor.shape", "size overflows", _TOO_LARGE, {"shape": (2**32, 2**32)}),
    ("DLTensor.shape", "size wraps to 0", _TOO_LARGE, {"shape": (2**32, 2**32, 2**32, 2**32)}),
    ("DLTensor.shape", "64 axes of 2", _TOO_LARGE, {"shape": (2,) * 64}),
    ("DLTensor.shape", "bits overflow", _TOO_LARGE, {"shape": (2**61,), "dtype": (2, 64, 1)}),
    ("DLTensor.shape", "lanes overflow", _TOO_LARGE, {"shape": (2**50,), "dtype": (2, 64, 65535)}),
    ("DLTensor.strides", "span overflows", _TOO_LARGE, {"strides": (2**62, 1)}),
    ("DLTensor.strides", "span overflows downwards", _TOO_LARGE, {"strides": (-(2**62), 1)}),
    ("DLTensor.strides", "lowest", _TOO_LARGE, {"strides": (INT64_MIN, 1)}),
    ("DLTensor.strides", "highest", _TOO_LARGE, {"strides": (2**63 - 1, 2**63 - 1)}),
    (
        "DLTensor.strides",
        "cancel out",
        _TOO_LARGE,
        {"shape": (3, 3), "strides": (2**62, -(2**62))},
    ),
    (
        "DLTensor.strides",
        "below address 0",
        r"addresses that there are; got bytes -\d+ to 12 around data",
        {"strides": (-(2**56), 1)},
    ),
    (
        "DLTensor.strides",
        "a little below address 0",
        r"addresses that there are; got bytes -12 to 12 around data",
        {"strides": (-3, 1), "data": 8},
    ),
    ("DLTensor.data", "NULL", r"needs data; got NULL for the shape \(2, 3\)", {"data": None}),
    ("DLTensor.data", "NULL scalar", r"got NULL for the shape \(\)", {"data": None, "shape": ()}),
    ("DLTensor.data", "last address", "addresses that there are", {"data": 2**64 - 8}),
    ("DLTensor.byte_offset", "2^63", "counted upwards from data; got 922", {"byte_offset": 2**63}),
    ("DLTensor.byte_offset", "-1", "got 18446744073709551615", {"byte_offset": 2**64 - 1}),
    ("DLTensor.byte_offset", "end overflows", _TOO_LARGE, {"byte_offset": 2**63 - 1}),
    (
        "DLTensor.byte_offset",
        "wraps around",
        "addresses that there are",
        {"byte_offset": 2**62, "data": 2**64 - 2**61},
    ),
    ("DLDataType.bits", "0", "at least one bit and one lane", {"dtype": (2, 0, 1)}),
    ("DLDataType.lanes", "0", "at least one bit and one lane", {"dtype": (2, 32, 0)}),
    ("DLDataType.code", "fp4 of 8 bits", r"code 17, bits 8, lanes 1", {"dtype": (17, 8, 1)}),
    ("DLDataType.code", "fp6 of 8 bits", r"code 15, bits 8, lanes 1", {"dtype": (15, 8, 1)}),
    ("DLDataType.code", "fp8 of 16 bits", r"code 10, bits 16, lanes 1", {"dtype": (10, 16, 1)}),
    ("DLDataType.code", "bool of 1 bit", r"code 6, bits 1, lanes 1", {"dtype": (6, 1, 1)}),
    ("DLDataType.code", "bfloat of 32 bits", r"code 4, bits 32", {"dtype": (4, 32, 1)}),
    ("DLDataType.code", "complex of 33 bits", r"code 5, bits 33", {"dtype": (5, 33, 1)}),
    # With strides, a tensor is otherwise so usual that little is looked at.
    *(
        (
            "DLDataType.code",
            f"{code} of {bits} bits in a usual tensor",
            rf"code {code}, bits {bits}, lanes {lanes}",
            {"dtype": (code, bits, lanes), "strides": (3, 1)},
        )
        for code, bits, lanes in ((4, 32, 1), (5, 33, 1), (6, 16, 1), (2, 0, 1), (2, 32, 0))
    ),
    (
        "DLManagedTensor.deleter",
        "NULL where something else is wrong",
        "got ndim -1",
        {"deleter": False, "ndim": -1},
    ),
    (
        "DLManagedTensor.deleter",
        "sets an error where something else is wrong",
        "got ndim -1",
        {"deleter": SETS_AN_ERROR, "ndim": -1},
    ),
]

STRUCTURES = [case for row in _STRUCTURES for case in _structure(*row[:3], **row[3])]

# What is unusual, and right: it must come in, and its deleter must be called once.
TOLERATED: list[tuple[str, dict[str, Any]]] = [
    ("manager_ctx that points nowhere", {"context": 0xDEAD}),
    ("all flags, also those that nobody knows", {"flags": 2**64 - 1}),
    ("a minor version of the future", {"version": (1, _HUGE)}),
    ("no stride has a meaning on an axis of 1", {"shape": (1, 1), "strides": (INT64_MIN, 2**62)}),
    ("no stride has a meaning without elements", {"shape": (0, 9), "strides": (INT64_MIN, 2**62)}),
    ("no elements of an extent that would overflow", {"shape": (2**62, 0, 2**62)}),
    ("data that points nowhere, without elements", {"shape": (0,), "data": 8}),
    ("64 axes", {"shape": (1,) * 64}),
    ("strides of 0", {"strides": (0, 0)}),
    ("negative strides over an offset", {"strides": (-3, -1), "byte_offset": 20}),
    ("a deleter that sets an error", {"deleter": SETS_AN_ERROR}),
    ("no deleter", {"deleter": False}),
]

# ---- devices ------------------------------------------------------------------------------------

_PAIR = r"a device is a pair \(device type, id\) of ints"


def _device(what: str, device: Any, error: type[Exception], says: str) -> Case:
    return Case("__dlpack_device__", what, lambda: Giver(Producer(), device), error, says)


def _told(what: str, device: tuple[int, int], found: tuple[int, int], says: str) -> Case:
    """Make a capsule that is elsewhere than its producer says."""
    error = (BufferError, ValueError)
    return Case("DLDevice", what, lambda: Giver(Producer(device=found), device), error, says)


def _lies(told: tuple[int, int], found: tuple[int, int]) -> Case:
    says = r"__dlpack_device__ of this .* array says .*, its capsule "
    return _told(f"{told} in words and {found} in fact", told, found, says)


DEVICES = [
    _device("None", None, TypeError, f"{_PAIR}.* got None"),
    _device("an int", 1, TypeError, f"{_PAIR}.* got int 1"),
    _device("a string", "cpu", TypeError, f"{_PAIR}.* got str 'cpu'"),
    _device("bytes", b"\x01\x00", TypeError, f"{_PAIR}.* got bytes"),
    _device("one number", (1,), TypeError, rf"{_PAIR}.* got tuple \(1,\)"),
    _device("three numbers", (1, 0, 0), TypeError, rf"{_PAIR}.* got tuple \(1, 0, 0\)"),
    _device("no numbers", (), TypeError, rf"{_PAIR}.* got tuple \(\)"),
    _device("None as type", (None, 0), TypeError, f"{_PAIR}.* got tuple"),
    _device("strings", ("1", "0"), TypeError, f"{_PAIR}.* got tuple"),
    _device("floats", (1.0, 0.0), TypeError, f"{_PAIR}.* got tuple"),
    _device("a bool", (True, 0), TypeError, f"{_PAIR}.* got tuple"),
    _device("a dict", {1: 0, 2: 0}, TypeError, f"{_PAIR}.* got a dict"),
    _device("a negative type", (-1, 0), ValueError, f"{_PAIR}.* got tuple"),
    _device("a negative id", (1, -1), ValueError, f"{_PAIR}.* got tuple"),
    _device("a type of 33 bits", (2**32 + 1, 0), ValueError, f"{_PAIR}.* got tuple"),
    _device("an id of 33 bits", (1, 2**32), ValueError, f"{_PAIR}.* got tuple"),
    _device("an id of 200 bits", (1, 2**200), ValueError, f"{_PAIR}.* got a tuple"),
    _lies((1, 0), (2, 0)),
    _lies((2, 0), (1, 0)),
    _lies((2, 0), (2, 1)),
    _lies((14, 0), (1, 0)),
    _lies((99, 0), (1, 0)),
    _lies((0, 0), (1, 0)),
    _lies((1, 0), (99, 7)),
    _lies((1, 0), (5, 0)),
    _told("a negative type in fact", (1, 0), (-1, 0), "got tuple|its capsule"),
    _told("a negative id in fact", (1, 0), (1, -1), "got tuple|its capsule"),
]

# ---- capsules -----------------------------------------------------------------------------------


def _null_capsule() -> Any:
    """Give a capsule whose pointer has been overwritten by NULL, which no function makes."""
    capsule = named_capsule("dltensor")
    pointer = ctypes.c_void_p.from_address(id(capsule) + object.__basicsize__)
    assert pointer.value == 1
    pointer.value = None
    return capsule


def _unnamed_capsule() -> Any:
    return new_capsule(1, None, None)


def _returns(what: str, answer: Any, error: type[Exception], says: str) -> Case:
    """Make a `__dlpack__` that returns something; `answer` is called with the object."""
    make = answer if callable(answer) else lambda _: answer
    return Case("__dlpack__", what, lambda: Giver(Producer(), (1, 0), make), error, says)


def _taken_before(giver: Giver) -> Any:
    import anystream

    capsule = giver.producer.capsule()
    anystream.from_dlpack(capsule)
    return capsule


_NO_CAPSULE = r'a DLPack capsule is named "dltensor" or "dltensor_versioned"; got '
_ONCE = r"a DLPack capsule can be taken once; got one named "
CAPSULES = [
    _returns("None", None, TypeError, f"{_NO_CAPSULE}None"),
    _returns("an int", 7, TypeError, f"{_NO_CAPSULE}int 7"),
    _returns("an address", id, TypeError, f"{_NO_CAPSULE}int"),
    _returns("a string", "dltensor", TypeError, f"{_NO_CAPSULE}str 'dltensor'"),
    _returns("bytes", b"dltensor", TypeError, f"{_NO_CAPSULE}bytes"),
    _returns("itself", lambda giver: giver, TypeError, f"{_NO_CAPSULE}a hostile.Giver"),
    _returns("a class", lambda _: Giver, TypeError, f"{_NO_CAPSULE}the class hostile.Giver"),
    _returns("a list of it", lambda g: [g.producer.capsule()], TypeError, f"{_NO_CAPSULE}a list"),
    _returns("a pair", lambda g: (g.producer.capsule(), 0), TypeError, f"{_NO_CAPSULE}a tuple"),
    _returns("NotImplemented", NotImplemented, TypeError, f"{_NO_CAPSULE}a NotImplementedType"),
    *(
        _returns(f"a capsule named {name!r}", lambda _, n=name: named_capsule(n), TypeError, says)
        for name in ("", "dltensor ", "DLTENSOR", "dltensors", "SyclQueueRef", "arrow_array")
        for says in (f'{_NO_CAPSULE}a capsule named "{name}"',)
    ),
    *(
        _returns(f"a capsule named {name!r}", lambda _, n=name: named_capsule(n), ValueError, _ONCE)
        for name in ("used_dltensor", "used_dltensor_versioned")
    ),
    _returns("an unnamed capsule", lambda _: _unnamed_capsule(), TypeError, "an unnamed capsule"),
    _returns("a capsule of NULL", lambda _: _null_capsule(), TypeError, f"{_NO_CAPSULE}an unnamed"),
    _returns("a capsule that it took itself", _taken_before, ValueError, _ONCE),
]
