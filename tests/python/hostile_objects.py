# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Hostile classes: methods that are none, properties that raise, names of libraries on impostors.

What such a class raises by itself is the user's to see: `OWN` pairs it with the object.
"""

from collections.abc import Callable
from typing import Any

from anystream import Array, _peers
from ctypes_tensors import Producer
from hostile import Case, Giver


class PluggedOutError(Exception):
    """Nobody's but the producer's."""


def _raise(error: BaseException) -> Any:
    raise error


def _made(*bases: type, producer: Producer | None = None, **names: Any) -> Any:
    """Make an object of a new class with these attributes."""
    x = type("Made", bases or (Giver,), names)(producer or Producer())
    assert isinstance(x, Giver)
    return x


def _wrong(what: str, error: type[Exception], says: str, **names: Any) -> Case:
    return Case("class", what, lambda: _made(**names), error, says)


class _Meta(type):
    """Has DLPack's methods, so that the class has them and its instances do not."""

    def __dlpack__(cls, **_: Any) -> Any:
        return Producer().capsule()

    def __dlpack_device__(cls) -> tuple[int, int]:
        return (1, 0)


class _OnTheMetaclass(metaclass=_Meta):
    pass


def _only_device() -> Any:
    class OnlyDevice:
        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

    return OnlyDevice()


def _class_lie() -> Any:
    """Make an object that says it is an Array of ours."""
    return _made(__class__=property(lambda _: Array), __dlpack__=None)


_NO_ARRAY = "anystream takes an array"


def _no_array(x: Any) -> Case:
    return Case("class", f"no array: {x!r:.20}", lambda: x, TypeError, _NO_ARRAY)


OBJECTS = [
    Case(
        "class",
        "the class itself",
        lambda: Giver,
        TypeError,
        f"{_NO_ARRAY}.*the class [a-z.]*Giver",
    ),
    Case("class", "a class by its metaclass", lambda: _OnTheMetaclass, TypeError, _NO_ARRAY),
    Case("class", "an instance of that", _OnTheMetaclass, TypeError, _NO_ARRAY),
    Case("class", "only a device", _only_device, TypeError, _NO_ARRAY),
    Case("class", "says it is ours", _class_lie, TypeError, "callable|anystream takes"),
    *(_no_array(x) for x in (None, 3, 3.5, "array", object(), ..., NotImplemented, {1}, len)),
    _wrong("__dlpack__ is an int", TypeError, "callable", __dlpack__=5),
    _wrong("__dlpack__ is None", TypeError, "callable|anystream takes", __dlpack__=None),
    _wrong("__dlpack_device__ is None", TypeError, "callable|anystream", __dlpack_device__=None),
    _wrong("__dlpack_device__ is a pair", TypeError, "callable", __dlpack_device__=(1, 0)),
    _wrong("wants arguments", TypeError, "argument", __dlpack__=lambda self, a, b: None),
    _wrong("wants a keyword", TypeError, "argument", __dlpack__=lambda self, *, token: None),
    _wrong("takes no self", TypeError, "argument", __dlpack__=lambda: None),
    _wrong("device wants arguments", TypeError, "argument", __dlpack_device__=lambda s, a: (1, 0)),
]


def _own(error: BaseException) -> list[tuple[str, BaseException, Callable[[], Any]]]:
    raising = property(lambda _: _raise(error))
    return [
        ("__dlpack__", error, lambda: Giver(Producer(), (1, 0), lambda _: _raise(error))),
        ("__dlpack_device__", error, lambda: _made(__dlpack_device__=lambda _: _raise(error))),
        ("__dlpack__ as a property", error, lambda: _made(__dlpack__=raising)),
        ("__dlpack_device__ as a property", error, lambda: _made(__dlpack_device__=raising)),
    ]


# An AttributeError of a property is how Python says that there is no such attribute.
OWN = [
    *_own(PluggedOutError("pulled")),
    *_own(TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")),
    *_own(RuntimeError("no more")),
    *_own(BufferError("mine")),
    *_own(KeyboardInterrupt("the user")),
    *_own(SystemExit(3)),
    *_own(StopIteration("end")),
    *_own(MemoryError("none left")),
    *_own(AttributeError("an attribute of mine"))[:2],
]


def impostor(module: str, name: str) -> Any:
    """Make an object whose class has the name of a library's, and nothing else of it."""
    return _made(__module__=module, __qualname__=name)


# Every class that the peers table knows by name.
NAMES = sorted({pair for peer in _peers.PEERS for pair in peer.arrays})
