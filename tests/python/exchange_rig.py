# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""DLPack's C exchange API by hand: a caller of any class's table, and tables of our own making."""

import ctypes
from collections.abc import Callable
from typing import Any, NamedTuple, Self

from ctypes_tensors import (
    DeviceStruct,
    DTypeStruct,
    Owned,
    Tensor,
    Version,
    Versioned,
    fields_of,
)
from python_api import capsule_name, new_capsule, of_python

CAPSULE_ATTRIBUTE = "__dlpack_c_exchange_api__"
INT_ATTRIBUTE = "__c_dlpack_exchange_api__"
CAPSULE_NAME = b"dlpack_exchange_api"

_pointer = ctypes.POINTER(ctypes.c_void_p)


class Header(ctypes.Structure):
    _fields_ = (("version", Version), ("prev_api", ctypes.c_void_p))


class Table(ctypes.Structure):
    """The functions as addresses, so that each may be NULL or any other number."""

    _fields_ = (
        ("header", Header),
        ("allocator", ctypes.c_void_p),
        ("from_py", ctypes.c_void_p),
        ("to_py", ctypes.c_void_p),
        ("borrow", ctypes.c_void_p),
        ("stream", ctypes.c_void_p),
    )


FUNCTIONS = ("allocator", "from_py", "to_py", "borrow", "stream")

# PYFUNCTYPE keeps the GIL, and raises the Python error that a function has set; CFUNCTYPE drops the
# GIL around a call, and takes it in a callback.
SET_ERROR = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)
SIGNATURES: dict[str, tuple[Any, ...]] = {
    "allocator": (ctypes.c_void_p, _pointer, ctypes.c_void_p, SET_ERROR),
    "from_py": (ctypes.c_void_p, _pointer),
    "to_py": (ctypes.c_void_p, _pointer),
    "borrow": (ctypes.c_void_p, ctypes.POINTER(Tensor)),
    "stream": (ctypes.c_int32, ctypes.c_int32, _pointer),
}
WITH_GIL = {name: ctypes.PYFUNCTYPE(ctypes.c_int, *types) for name, types in SIGNATURES.items()}
WITHOUT_GIL = {name: ctypes.CFUNCTYPE(ctypes.c_int, *types) for name, types in SIGNATURES.items()}


_get_pointer = of_python("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
_get_destructor = of_python("PyCapsule_GetDestructor", ctypes.c_void_p, ctypes.py_object)
_give_back = of_python("Py_DecRef", None, ctypes.py_object)


def facts_of(capsule: Any) -> tuple[bytes, int | None]:
    """Give a capsule's name, and its destructor's address or None."""
    return capsule_name(capsule), _get_destructor(capsule)


def owned(address: int) -> Any:
    """Take a reference that a function gave as a pointer."""
    found = ctypes.cast(address, ctypes.py_object).value
    _give_back(found)
    return found


class Managed(Owned):
    """A versioned tensor that a table gave; the deleter is this one's to call."""

    def __init__(self, pointer: int) -> None:
        self.managed = Versioned.from_address(pointer)

    @property
    def tensor(self) -> "Described":
        return Described.of(self.managed.tensor)

    @property
    def flags(self) -> int:
        return int(self.managed.flags)

    @property
    def version(self) -> tuple[int, int]:
        return (self.managed.version.major, self.managed.version.minor)


class Described(NamedTuple):
    """A DLTensor's fields as plain values."""

    data: int
    device: tuple[int, int]
    dtype: tuple[int, int, int]
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    byte_offset: int

    @classmethod
    def of(cls, tensor: Any) -> Self:
        return cls(**fields_of(tensor))


def prototype(
    shape: tuple[int, ...] = (2, 3),
    dtype: tuple[int, int, int] = (2, 32, 1),
    device: tuple[int, int] = (1, 0),
) -> Tensor:
    """Describe a tensor to be made; what an allocator must not read points nowhere."""
    made = Tensor()
    made.data = 0xDEAD
    made.device = DeviceStruct(*device)
    made.ndim = len(shape)
    made.dtype = DTypeStruct(*dtype)
    made.shape = (ctypes.c_int64 * max(len(shape), 1))(*shape)
    made.strides = ctypes.cast(0xDEAD, ctypes.POINTER(ctypes.c_int64))
    made.byte_offset = 0xDEAD
    return made


class Refused(Exception):
    """What SetError was told: the kind and the message of each call."""

    def __init__(self, calls: list[tuple[str, str]]) -> None:
        super().__init__(*calls)
        self.calls = calls


class Api:
    """A class's table, called as a consumer written in C does."""

    def __init__(self, address: int) -> None:
        self.address = address
        self.table = Table.from_address(address)

    @classmethod
    def of(cls, kind: type) -> Self:
        return cls(_get_pointer(getattr(kind, CAPSULE_ATTRIBUTE), CAPSULE_NAME))

    def call(self, function: str, *arguments: Any, gil: bool = True) -> int:
        """Give what the function returned; a Python error that it has set is raised."""
        signature = (WITH_GIL if gil else WITHOUT_GIL)[function]
        return int(signature(getattr(self.table, function))(*arguments))

    def export(self, array: Any) -> Managed:
        out = ctypes.c_void_p()
        assert self.call("from_py", id(array), ctypes.byref(out)) == 0
        assert out.value is not None
        return Managed(out.value)

    def borrow(self, array: Any) -> Tensor:
        """Describe an array; it holds as long as the array lives and is not used otherwise."""
        out = Tensor()
        assert self.call("borrow", id(array), ctypes.byref(out)) == 0
        return out

    def take(self, managed: int) -> Any:
        """Make an object of a managed tensor, which is the function's from the call on."""
        out = ctypes.c_void_p()
        assert self.call("to_py", managed, ctypes.byref(out)) == 0
        assert out.value is not None
        return owned(out.value)

    def allocate(self, like: Tensor | None, *, gil: bool = False) -> Managed:
        """Ask for a tensor; raises Refused with all that SetError was told."""
        out = ctypes.c_void_p()
        calls: list[tuple[str, str]] = []
        context = ctypes.c_int(7)

        def tell(told: int, kind: bytes, message: bytes) -> None:
            assert told == ctypes.addressof(context)
            calls.append((kind.decode(), message.decode()))

        where = None if like is None else ctypes.addressof(like)
        set_error = SET_ERROR(tell)
        rc = self.call(
            "allocator", where, ctypes.byref(out), ctypes.addressof(context), set_error, gil=gil
        )
        if rc != 0:
            assert out.value is None
            raise Refused(calls)
        assert calls == []
        assert out.value is not None
        return Managed(out.value)

    def stream(self, device: tuple[int, int], *, gil: bool = False) -> int:
        """Give the current work stream of a device; 0 is NULL."""
        out = ctypes.c_void_p(0xDEAD)
        assert self.call("stream", *device, ctypes.byref(out), gil=gil) == 0
        return out.value or 0


# ---- tables of our own ---------------------------------------------------------------------------

# Tables may be cached by those who found them, and so live for the process, as dlpack.h asks.
_kept: list[Any] = []

# For a table: returns -1 with a TypeError set, if its first argument is an object without a length.
# A callback of ctypes cannot fail so: it cannot return with an error set.
FAILS_WITH_TYPE_ERROR = ctypes.cast(ctypes.pythonapi.PyObject_Size, ctypes.c_void_p).value


def made_table(
    *, version: tuple[int, int] = (1, 3), prev_api: int | None = None, **functions: Any
) -> Table:
    """Make a table: each function an address, a Python callable of its signature, or left NULL."""
    made = Table(Header(Version(*version), prev_api))
    for name, function in functions.items():
        address = function
        if callable(function):
            callback = WITH_GIL[name](function)
            _kept.append(callback)
            address = ctypes.cast(callback, ctypes.c_void_p).value
        setattr(made, name, address)
    _kept.append(made)
    return made


def copied_table(api: Api, **changed: Any) -> Table:
    """Make a table of another's functions, but for those named."""
    return made_table(**{name: getattr(api.table, name) for name in FUNCTIONS} | changed)


def table_capsule(table: Table | None, name: bytes = CAPSULE_NAME) -> Any:
    """Wrap a table as a class offers it; of none, a capsule of some memory that is not one."""
    target = ctypes.create_string_buffer(ctypes.sizeof(Table)) if table is None else table
    text = ctypes.create_string_buffer(name)
    _kept.extend((target, text))
    return new_capsule(ctypes.addressof(target), ctypes.cast(text, ctypes.c_char_p), None)


def class_with(attribute: Any, base: type = object, name: str = CAPSULE_ATTRIBUTE) -> type:
    """Make a class that offers an object as its exchange API."""
    return type("Offering", (base,), {name: attribute})


def counting(function: Callable[..., Any]) -> tuple[Callable[..., Any], list[tuple[Any, ...]]]:
    """Give a function for ``made_table``, and the list of the arguments of its calls."""
    calls: list[tuple[Any, ...]] = []

    def counted(*arguments: Any) -> Any:
        calls.append(arguments)
        return function(*arguments)

    return counted, calls
