# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Hostile C exchange APIs: tables that are none, functions that are missing, fail or lie.

Each is offered by a class that also has `__dlpack__`. A broken table is refused all the same, and
so is one whose function fails, in that function's own words; one of another major version is as
good as none: `__dlpack__` is asked.
"""

import ctypes
import itertools
from collections.abc import Callable
from typing import Any

from ctypes_tensors import Producer
from exchange_rig import (
    CAPSULE_ATTRIBUTE,
    FAILS_WITH_TYPE_ERROR,
    INT_ATTRIBUTE,
    class_with,
    made_table,
    table_capsule,
)
from hostile import Case, Giver


def _zero(*_: Any) -> int:
    return 0


def gives(producer: Producer, status: int = 0) -> Callable[[int, Any], int]:
    """Make a table's export function, which gives a producer's structure."""

    def export(_: int, out: Any) -> int:
        out[0] = producer.hand()
        return status

    return export


def table(producer: Producer, **changed: Any) -> Any:
    """Make a table that is right, but for what is named."""
    right = {"allocator": _zero, "to_py": _zero, "borrow": _zero, "stream": _zero}
    return made_table(**{"from_py": gives(producer), **right, **changed})


def offering(
    attribute: Callable[[Producer], Any], name: str = CAPSULE_ATTRIBUTE, **fields: Any
) -> Any:
    """Make an object whose class offers an attribute as its exchange API.

    The table gives the structure of ``producer``, `__dlpack__` that of ``second``, which is alike.
    """
    device = fields.pop("claims", ...)
    producer, second = Producer(**fields), Producer(**fields)
    kind = class_with(attribute(producer), Giver, name)
    x = kind(producer, device, lambda giver: giver.second.capsule())
    x.second = second
    return x


def in_capsule(**changed: Any) -> Callable[[Producer], Any]:
    """Give what makes the attribute: a capsule of a table with these functions."""
    return lambda producer: table_capsule(table(producer, **changed))


def _case(what: str, says: str, attribute: Callable[[Producer], Any], **fields: Any) -> Case:
    build = lambda: offering(attribute, **fields)  # noqa: E731
    return Case("DLPackExchangeAPI", what, build, (BufferError, TypeError, ValueError), says)


_SILENT = "gave no tensor, and did not say why"
_NO_TABLE = r'the C exchange API of the class .* is a capsule named "dlpack_exchange_api"'
_REQUIRED = {
    "allocator": "managed_tensor_allocator",
    "from_py": "managed_tensor_from_py_object_no_sync",
    "to_py": "managed_tensor_to_py_object_no_sync",
    "stream": "current_work_stream",
}


def _fails_with_a_tensor(producer: Producer) -> Any:
    """Give a structure and then fail: it is nobody's, since the function failed."""

    def export(_: int, out: Any) -> int:
        out[0] = ctypes.addressof(producer.managed)
        return -1

    return table_capsule(table(producer, from_py=export))


# Functions that fail: what the error must say.
FAILING: dict[str, tuple[str, Callable[[Producer], Any]]] = {
    "fails in silence": (_SILENT, in_capsule(from_py=lambda *_: -1)),
    "fails with 1": (_SILENT, in_capsule(from_py=lambda *_: 1)),
    "fails with an error": (r"has no len\(\)", in_capsule(from_py=FAILS_WITH_TYPE_ERROR)),
    "gives NULL": (_SILENT, in_capsule(from_py=_zero)),
    "fails and gives a tensor": (_SILENT, _fails_with_a_tensor),
}

TABLES = [
    *(
        _case(f"{name} is NULL", f"got NULL for {spelled}", in_capsule(**{name: None}))
        for name, spelled in _REQUIRED.items()
    ),
    *(_case(what, says, attribute) for what, (says, attribute) in FAILING.items()),
    _case("a capsule of another name", _NO_TABLE, lambda p: table_capsule(table(p), b"dlpack")),
    _case("a capsule of no name", _NO_TABLE, lambda p: table_capsule(table(p), b"")),
    _case("a string", _NO_TABLE, lambda _: "dlpack_exchange_api"),
    _case("a list", _NO_TABLE, lambda p: [table_capsule(table(p))]),
    _case("0", _NO_TABLE, lambda _: 0),
    _case("a number that is no address", _NO_TABLE, lambda _: 2**70),
    _case("a property", _NO_TABLE, lambda p: property(lambda _: table_capsule(table(p)))),
    _case("a structure of version 2.0", r"version 2\.0", in_capsule(), version=(2, 0)),
    _case("a structure of ndim -1", "got ndim -1", in_capsule(), ndim=-1),
    _case("a structure without a shape", "got NULL", in_capsule(), null_shape=True),
    _case("a structure of strange bits", "code 17, bits 8", in_capsule(), dtype=(17, 8, 1)),
    _case("a structure without data", "got NULL|no storage", in_capsule(), data=None),
    _case("a device in fact", "says cpu, its capsule", in_capsule(), device=(2, 0), claims=(1, 0)),
    _case("no deleter, and refused", "got ndim -1", in_capsule(), ndim=-1, deleter=False),
]


def _chain(*versions: tuple[int, int], circle: bool = False) -> Callable[[Producer], Any]:
    """Make tables that each name the next as their predecessor; the last one names the first."""

    def attribute(producer: Producer) -> Any:
        tables = [table(producer, version=version) for version in versions]
        for newer, older in itertools.pairwise(tables):
            newer.header.prev_api = ctypes.addressof(older)
        if circle:
            tables[-1].header.prev_api = ctypes.addressof(tables[0])
        return table_capsule(tables[0])

    return attribute


# What is unusual, and right: how it must come in, by the table or by `__dlpack__`.
TOLERATED: list[tuple[str, str, Callable[[], Any]]] = [
    ("a borrowing function that is NULL", "table", lambda: offering(in_capsule(borrow=None))),
    ("a minor version of the future", "table", lambda: offering(in_capsule(version=(1, 99)))),
    ("an older table of the chain", "table", lambda: offering(_chain((3, 0), (2, 0), (1, 3)))),
    (
        "the former name, with an int",
        "table",
        lambda: offering(lambda producer: ctypes.addressof(table(producer)), INT_ATTRIBUTE),
    ),
    (
        "an int under the present name",
        "table",
        lambda: offering(lambda producer: ctypes.addressof(table(producer))),
    ),
    ("only a newer major version", "__dlpack__", lambda: offering(_chain((2, 0)))),
    ("only an older major version", "__dlpack__", lambda: offering(_chain((0, 9)))),
    ("a chain that ends before ours", "__dlpack__", lambda: offering(_chain((3, 0), (0, 9)))),
    ("a table that precedes itself", "__dlpack__", lambda: offering(_chain((2, 0), circle=True))),
    (
        "a circle of tables",
        "__dlpack__",
        lambda: offering(_chain((4, 0), (3, 0), (2, 0), circle=True)),
    ),
    ("None", "__dlpack__", lambda: offering(lambda _: None)),
]
