# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""DLPack by hand: a producer whose every field can be set, and a consumer that reads them all."""

import atexit
import ctypes
import math
from dataclasses import dataclass
from typing import Any, Self

from python_api import capsule_name, new_capsule, of_python

READ_ONLY = 1
IS_COPIED = 2
PADDED = 4


class Version(ctypes.Structure):
    _fields_ = (("major", ctypes.c_uint32), ("minor", ctypes.c_uint32))


class DeviceStruct(ctypes.Structure):
    _fields_ = (("type", ctypes.c_int32), ("id", ctypes.c_int32))


class DTypeStruct(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", DeviceStruct),
        ("ndim", ctypes.c_int32),
        ("dtype", DTypeStruct),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class Legacy(ctypes.Structure):
    _fields_ = (
        ("tensor", Tensor),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    )


class Versioned(ctypes.Structure):
    _fields_ = (
        ("version", Version),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    )


FUNCTION_OF_POINTER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)  # drops the GIL around a call

# For a destructor too, where the capsule is no longer an object: by its address.
_is_valid = of_python("PyCapsule_IsValid", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)
_pointer_of = of_python("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)
_set_name = of_python("PyCapsule_SetName", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)

# A capsule keeps the pointer to its name.
_NAMES = {
    text: ctypes.create_string_buffer(text.encode())
    for text in ("dltensor", "dltensor_versioned", "used_dltensor", "used_dltensor_versioned")
}


def name_of(capsule: Any) -> str:
    return str(capsule_name(capsule).decode())


def named_capsule(name: str, pointer: int = 1) -> Any:
    """Give a capsule of nothing, under any name; the name lives for the process."""
    text = _NAMES.setdefault(name, ctypes.create_string_buffer(name.encode()))
    capsule: Any = new_capsule(pointer, ctypes.cast(text, ctypes.c_char_p), None)
    return capsule


def _destroy_capsule(capsule: int) -> None:
    """Destroy a capsule as python_spec says: call the deleter unless it was claimed."""
    for name, kind in ((b"dltensor", Legacy), (b"dltensor_versioned", Versioned)):
        if _is_valid(capsule, name):
            managed = kind.from_address(_pointer_of(capsule, name))
            if managed.deleter:
                FUNCTION_OF_POINTER(managed.deleter)(ctypes.addressof(managed))


_delete_unclaimed = FUNCTION_OF_POINTER(_destroy_capsule)

# ctypes frees the code of a callback with its object; deleters may be called to the very end.
_kept: list["Producer"] = []


@atexit.register
def _drop_all() -> None:
    for producer in _kept:
        producer.drop()


class Producer:
    """A producer of one capsule at a time; counts what its deleter is told.

    Every field is as given, however wrong. The deleter overwrites the structure, its shape, its
    strides and its memory: nobody may look at them any more. ``deleter`` may be the address of
    another one, which is not counted. Capsules are held until ``drop()``: their destructor is
    Python, which cannot run while an exception is on its way.
    """

    def __init__(
        self,
        shape: tuple[int, ...] = (2, 3),
        strides: tuple[int, ...] | None = None,
        *,
        dtype: tuple[int, int, int] = (2, 32, 1),
        device: tuple[int, int] = (1, 0),
        versioned: bool = True,
        version: tuple[int, int] = (1, 3),
        flags: int = 0,
        deleter: bool | int = True,
        context: int | None = None,
        data: int | None = -1,
        byte_offset: int = 0,
        ndim: int | None = None,
        null_shape: bool = False,
    ) -> None:
        self.deleted = 0
        self.handed = 0  # how often its structure was given without a capsule
        self.capsules: list[Any] = []
        self.asked: list[dict[str, Any]] = []
        self.device = device
        self.memory = ctypes.create_string_buffer(self._bytes(shape, dtype) + byte_offset % 4096)
        self._shape = (ctypes.c_int64 * max(len(shape), 1))(*shape)
        self._strides = (
            None if strides is None else (ctypes.c_int64 * max(len(strides), 1))(*strides)
        )
        self.managed = Versioned() if versioned else Legacy()
        tensor = self.managed.tensor
        tensor.data = ctypes.addressof(self.memory) if data == -1 else data
        tensor.device = DeviceStruct(*device)
        tensor.ndim = len(shape) if ndim is None else ndim
        tensor.dtype = DTypeStruct(*dtype)
        if not null_shape:
            tensor.shape = ctypes.cast(self._shape, ctypes.POINTER(ctypes.c_int64))
        if self._strides is not None:
            tensor.strides = ctypes.cast(self._strides, ctypes.POINTER(ctypes.c_int64))
        tensor.byte_offset = byte_offset
        self.managed.context = context
        if versioned:
            self.managed.version = Version(*version)
            self.managed.flags = flags
        self._deleter = FUNCTION_OF_POINTER(self._delete)
        _kept.append(self)
        self.counts = deleter is True
        if self.counts:
            self.managed.deleter = ctypes.cast(self._deleter, ctypes.c_void_p)
        elif deleter:
            self.managed.deleter = int(deleter)

    @staticmethod
    def _bytes(shape: tuple[int, ...], dtype: tuple[int, int, int]) -> int:
        count = math.prod(shape)
        return count * dtype[1] * dtype[2] // 8 + 1 if 0 <= count < 2**16 else 1

    @property
    def address(self) -> int:
        return ctypes.addressof(self.memory)

    def _delete(self, managed: int) -> None:
        assert managed == ctypes.addressof(self.managed)
        self.deleted += 1
        ctypes.memset(managed, 0xDD, ctypes.sizeof(self.managed))
        for extents in (self._shape, self._strides):
            if extents is not None:
                ctypes.memset(extents, 0xDD, ctypes.sizeof(extents))
        ctypes.memset(self.memory, 0xDD, len(self.memory))

    def hand(self) -> int:
        """Give the structure itself, which is whose it is given to."""
        self.handed += 1
        return ctypes.addressof(self.managed)

    def capsule(self) -> Any:
        kind = "dltensor_versioned" if isinstance(self.managed, Versioned) else "dltensor"
        made: Any = new_capsule(
            ctypes.addressof(self.managed),
            ctypes.cast(_NAMES[kind], ctypes.c_char_p),
            ctypes.cast(_delete_unclaimed, ctypes.c_void_p),
        )
        self.capsules.append(made)
        return made

    def drop(self) -> None:
        """Let the capsules go that were made; what is unclaimed is deleted."""
        self.capsules.clear()

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        self.asked.append(
            {"stream": stream, "max_version": max_version, "dl_device": dl_device, "copy": copy}
        )
        return self.capsule()

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device


class Owned:
    """A managed tensor whose deleter is this one's to call."""

    managed: Any

    @property
    def pointer(self) -> int:
        return ctypes.addressof(self.managed)

    @property
    def deleter(self) -> int:
        return int(self.managed.deleter)

    def delete(self) -> None:
        """Call the deleter on this thread, without the GIL."""
        FUNCTION_OF_POINTER(self.deleter)(self.pointer)

    def delete_on_another_thread(self) -> None:
        """Call the deleter on a thread that Python has never seen."""
        libc = ctypes.CDLL(None)
        thread = ctypes.c_ulong()
        start = ctypes.c_void_p(self.deleter)
        assert (
            libc.pthread_create(ctypes.byref(thread), None, start, ctypes.c_void_p(self.pointer))
            == 0
        )
        assert libc.pthread_join(thread, None) == 0

    def delete_at_process_exit(self) -> None:
        """Call the deleter when the process ends, after the interpreter is gone; print "late"."""
        libc = ctypes.CDLL(None)
        libc.strdup.restype = ctypes.c_void_p
        at_exit = libc["__cxa_atexit"]
        at_exit.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
        # The last to be registered is the first to run.
        assert at_exit(ctypes.cast(libc.puts, ctypes.c_void_p), libc.strdup(b"late"), None) == 0
        assert at_exit(self.deleter, self.pointer, None) == 0


class Retyped:
    """An array of a library, exported without a version, as elements of another type."""

    def __init__(self, x: Any, dtype: tuple[int, int, int], shape: tuple[int, ...] = ()) -> None:
        self._x, self._dtype, self._shape = x, dtype, shape

    def __dlpack__(self) -> Any:
        capsule = self._x.__dlpack__()
        tensor = Legacy.from_address(_pointer_of(id(capsule), b"dltensor")).tensor
        tensor.dtype = DTypeStruct(*self._dtype)
        for axis, extent in enumerate(self._shape):
            tensor.shape[axis] = extent
        return capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def fields_of(tensor: Any) -> dict[str, Any]:
    """Give a DLTensor's fields as plain values."""
    return {
        "data": tensor.data or 0,
        "device": (tensor.device.type, tensor.device.id),
        "dtype": (tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes),
        "shape": tuple(tensor.shape[: tensor.ndim]),
        "strides": tuple(tensor.strides[: tensor.ndim]) if tensor.strides else None,
        "byte_offset": tensor.byte_offset,
    }


@dataclass
class Taken(Owned):
    """What a capsule held, claimed from it; the deleter is this one's to call."""

    managed: Any
    versioned: bool
    data: int
    device: tuple[int, int]
    dtype: tuple[int, int, int]
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    byte_offset: int
    flags: int
    version: tuple[int, int] | None

    @classmethod
    def of(cls, capsule: Any) -> Self:
        name = name_of(capsule)
        versioned = name == "dltensor_versioned"
        assert versioned or name == "dltensor", name
        pointer = _pointer_of(id(capsule), name.encode())
        managed = (Versioned if versioned else Legacy).from_address(pointer)
        used = _NAMES[f"used_{name}"]
        assert _set_name(capsule, ctypes.cast(used, ctypes.c_char_p)) == 0
        return cls(managed, versioned, **cls._fields(managed, versioned=versioned))

    @staticmethod
    def _fields(managed: Any, *, versioned: bool) -> dict[str, Any]:
        return fields_of(managed.tensor) | {
            "flags": managed.flags if versioned else 0,
            "version": (managed.version.major, managed.version.minor) if versioned else None,
        }
