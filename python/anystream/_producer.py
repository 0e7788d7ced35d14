# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What is known about a producer, and calling its __dlpack__: once, with keywords that it knows."""

import inspect
import sys
from dataclasses import dataclass, replace
from typing import Any, Literal

from anystream import _elements, _interfaces
from anystream._arguments import got
from anystream._core import Array, Stream, _capsule_device
from anystream._device import Device, pair_of
from anystream._many import how_to_hand_over
from anystream._memory import Memory, in_elements
from anystream._peer import (
    Behaviour,
    Peer,
    Producer,
    Refusal,
    Uncommitted,
    class_names,
    follow,
    holds,
)
from anystream._plan import Route
from anystream._recognise import peer_of, row_class
from anystream._streams import as_stream, current_of, what_is_current

_MAX_VERSION = (1, 3)  # of the DLPack structs that the core reads
KEYWORDS = frozenset({"stream", "max_version", "dl_device", "copy"})
_UNKNOWN = Producer()


class NotAnArrayError(TypeError, AttributeError):
    """What was given is no array: a TypeError, and what the array API standard says it is.

    That is AttributeError, because the methods of an array are missing.
    """


@dataclass(frozen=True, slots=True)
class ProducerType:
    """What the class of an array tells, and what an interface of the array itself does."""

    name: str  # in a plan
    peer: Peer | None
    route: Route
    exporter: Any  # the __dlpack__ that `keywords` are of
    keywords: frozenset[str]
    overridden: bool  # a subclass of the row's class brings a __dlpack__ of its own
    memory: Memory | None = None  # what an interface of this one array says; then it is not called

    @property
    def row(self) -> Producer:
        """The producer's columns of the table, or those of nobody."""
        return (self.peer and self.peer.producer) or _UNKNOWN

    def behaviour(self, device_type: int) -> Behaviour | None:
        """Tell what its ``__dlpack__`` does on a device type; None where no row does."""
        rows = self.row.behaviour
        return next((row for row in rows if device_type in row.devices or not row.devices), None)


OWN_ARRAY = "__anystream__"  # the method of DLPackMixin's classes
_OWN_NAME = "anystream"
_types: dict[type, ProducerType] = {}
_MOST_TYPES = 1000


def producer_type(x: Any) -> ProducerType:
    """Tell how an object is exported; remembered per class, for as long as its method stays."""
    kind = type(x)
    remembered = _types.get(kind)
    if remembered is not None and remembered.exporter is getattr(kind, "__dlpack__", None):
        return _with_elements(remembered, x)
    told = _tell(x, kind)
    if told.memory is not None or (told.route == "dlpack" and told.exporter is None):
        return told  # it is the object's own, not its class's
    if len(_types) >= _MOST_TYPES:  # classes that a program makes on and on must not pile up
        _types.clear()
    _types[kind] = told
    return _with_elements(told, x)


def _with_elements(told: ProducerType, x: Any) -> ProducerType:
    """Go round a ``__dlpack__`` that does not know the type of this array's elements."""
    if told.overridden or _elements.plain(x, told.row):
        return told
    memory = _elements.described(x, told.row, told.name)
    return replace(told, route="array interface", memory=memory)


def array_of(told: ProducerType, x: Any) -> Array | None:
    """Ask an object that is a library's array by DLPackMixin for its Array, which knows the stream.

    None where it has none to give, or a row of the table says how it is to be exported.
    """
    if told.route != "dlpack" or told.peer is not None or not hasattr(type(x), OWN_ARRAY):
        return None
    array = x.__anystream__()
    if type(array) is not Array:
        raise TypeError(
            f"{told.name}.__anystream__() is to give an anystream.Array; got {got(array)}.\n  "
            "anystream.from_pointer(…) makes one of memory that you have."
        )
    return array


def of_array(told: ProducerType, array: Array) -> ProducerType:
    """Tell the same library's way where its Array goes in its object's place."""
    return replace(producer_type(array), name=told.name)


def is_of_a_library(told: ProducerType) -> bool:
    """Tell whether an Array stands for an object of a library, of whose class nothing is known."""
    return told.route == "array" and told.name != _OWN_NAME


def _tell(x: Any, kind: type) -> ProducerType:
    peer = None if kind is Array or is_capsule(x) else peer_of(kind)
    name = peer.name if peer else ".".join(class_names(kind)[0])
    exporter = getattr(kind, "__dlpack__", None)
    route, memory = _route(x, kind, (peer and peer.producer) or _UNKNOWN)
    if route == "array":
        name = _OWN_NAME
    if route == "capsule":
        name = "a DLPack capsule"
    keywords = _keywords(x, kind, peer) if route == "dlpack" else frozenset[str]()
    overridden = peer is not None and route == "dlpack" and _overridden(kind)
    return ProducerType(name, peer, route, exporter, keywords, overridden, memory)


def _route(x: Any, kind: type, row: Producer) -> tuple[Route, Memory | None]:
    if kind is Array:
        return "array", None
    if is_capsule(x):
        return "capsule", None
    if not isinstance(x, type):  # a class has the methods, but is no array
        methods = (getattr(x, "__dlpack__", None), getattr(x, "__dlpack_device__", None))
        if None not in methods and row.dlpack:
            return "dlpack", None
        if found := _interfaces.described(x, row):
            return found
    raise NotAnArrayError(
        "anystream takes an array: an object with __dlpack__ and __dlpack_device__, with "
        f"{', '.join(name for name, _, _ in _interfaces.INTERFACES)} or with the buffer protocol; "
        'a "dltensor" or "dltensor_versioned" capsule; or an anystream.Array; or a list, a '
        f"tuple or a dict of these; got {got(x)}.\n  {how_to_hand_over(x)}"
    )


_FAULT = "That is a fault of its library."


def _keywords(x: Any, kind: type, peer: Peer | None) -> frozenset[str]:
    """Give the keywords of its ``__dlpack__``: by row, else by its signature, else none."""
    row = peer.producer if peer is not None else None
    if row is not None and row.keywords is not None and not _overridden(kind):
        return frozenset(row.keywords)
    if not callable(x.__dlpack__):
        raise TypeError(f"__dlpack__ of an array is callable; got {got(x.__dlpack__)}.\n  {_FAULT}")
    try:
        parameters = inspect.signature(x.__dlpack__).parameters.values()
    except ValueError:  # written in C, and silent about its parameters: call it bare
        return frozenset()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return KEYWORDS
    return KEYWORDS & {
        parameter.name
        for parameter in parameters
        if parameter.kind is not parameter.POSITIONAL_ONLY
    }


def _overridden(kind: type) -> bool:
    """Tell whether a subclass of the table's class brings a ``__dlpack__`` of its own."""
    named = row_class(kind)
    definer = next((base for base in kind.__mro__ if "__dlpack__" in vars(base)), None)
    return named is None or definer is None or not issubclass(named, definer)


def forget_types() -> None:
    """Forget what was told of classes: there are new rows."""
    _types.clear()


def is_capsule(x: object) -> bool:
    """Tell whether an object is a capsule, whose class has a public name from 3.13 on."""
    kind = type(x)
    return kind.__qualname__ == "PyCapsule" and kind.__module__ == "builtins"


def refuse(told: ProducerType, x: Any) -> None:
    """Raise BufferError for an array that its library would export with wrong values."""
    for refusal in told.row.refusals:
        if applies(refusal, x):
            raise BufferError(
                f"this {told.name} array cannot be handed over: {refusal.why}.\n  {refusal.fix}"
            )
    _refuse_strides(told, x)


def _refuse_strides(told: ProducerType, x: Any) -> None:
    if told.route != "dlpack" or told.overridden or not told.row.byte_strides[0]:
        return
    strides, size = (follow(x, path) for path in told.row.byte_strides)
    if in_elements(strides, x.shape, size) is None:
        raise BufferError(
            f"this {told.name} array cannot be handed over: its strides of {strides} bytes are no "
            f"multiples of the {size} bytes of an element, and DLPack counts whole elements.\n"
            "  Pass a copy: x.copy()."
        )


def applies(refusal: Refusal, x: Any) -> bool:
    """Tell whether an array is one that a row refuses."""
    if refusal.test.startswith("class "):
        module, _, name = refusal.test.removeprefix("class ").partition(":")
        return (module, name) in class_names(type(x))
    if not _true_of(x, refusal.test):
        return False
    return not (refusal.unless and follow(x, refusal.unless))


def _true_of(x: Any, test: str) -> bool:
    if not test.startswith("not "):
        return bool(follow(x, test))
    try:
        return not follow(x, test.removeprefix("not "))
    except RuntimeError:  # how torch says that a tensor has no storage that could be asked
        return True


def device_of(told: ProducerType, x: Any) -> Device:
    """Tell where an array is; its ``__dlpack__`` is not called, a capsule is not consumed."""
    if told.route == "array":
        return Device(x.device)
    if told.route == "capsule":
        return Device(_capsule_device(x))
    if told.memory is not None:
        return told.memory.device
    pair = x.__dlpack_device__()
    if isinstance(pair, tuple) and len(pair) == 2 and pair[1] is None:
        pair = (pair[0], 0)  # some libraries say None for the host's number
    kind, number = pair_of(pair, f"__dlpack_device__ of this {told.name} array")
    return Device((_meant(told, kind), number))


def _meant(told: ProducerType, kind: int) -> int:
    """Give the device type that a library means, where its row knows that it says another."""
    for claim in told.row.claims:
        module = sys.modules.get(told.peer.modules[0]) if told.peer else None
        if claim.says == kind and module is not None and holds(module, claim.where):
            return claim.means
    return kind


def own_streams(told: ProducerType, x: Any, device: Device) -> tuple[tuple[Stream, ...], str]:
    """Find the stream that an array's work is on, and say in words where it was found."""
    if told.route == "array":
        return ((x.stream,), "the stream that the Array is on") if x.stream else ((), "")
    if told.memory is not None:
        memory = told.memory
        if memory.stream is not None:
            return (memory.stream,), memory.stream_is
        if told.row.unnamed == "idle":
            return (), ""
    elif told.row.own_stream:
        queue = as_stream(follow(x, told.row.own_stream), device)
        return (queue,), f"x.{told.row.own_stream}"
    if told.peer is None or device.type == 1:
        return (), ""
    current = current_of(told.peer, device)
    return ((current,), what_is_current(told.peer, device)) if current else ((), "")


def uncommitted_by(told: ProducerType, device: Device) -> Uncommitted | None:
    """Tell what hands over work that an array's library may hold back on a device."""
    rows = told.row.uncommitted if told.route == "dlpack" else ()
    return next((row for row in rows if row.device_type == device.type), None)


def memory_kind(told: ProducerType, x: Any) -> str:
    """Tell "device", "shared" or "host" where the array tells without being exported; else ""."""
    if told.route == "array":
        return str(x.memory_kind)
    return str(follow(x, told.row.memory_kind)) if told.row.memory_kind else ""


def may_not_write(told: ProducerType, x: Any) -> Literal["no", "yes", "perhaps"]:
    """Tell whether an array's memory is read-only; "perhaps" where only its export will tell."""
    row = told.peer.producer if told.peer else None
    if told.memory is not None:
        return "yes" if told.memory.readonly else "no"
    if told.route == "dlpack" and row is not None:
        return "yes" if row.immutable or (row.writable and not follow(x, row.writable)) else "no"
    if told.route == "array":
        return "yes" if x.readonly else "no"
    return "perhaps"


def keywords_for(told: ProducerType, stream: dict[str, Any]) -> dict[str, Any]:
    """Give the keywords that a ``__dlpack__`` is called with: of those it knows, what is meant."""
    keywords = {name: value for name, value in stream.items() if name in told.keywords}
    if "max_version" in told.keywords:
        keywords["max_version"] = _MAX_VERSION
    return keywords


def export(told: ProducerType, x: Any, keywords: dict[str, Any]) -> Any:
    """Call the array's ``__dlpack__``, once; its errors go through, but for the table's."""
    try:
        return x.__dlpack__(**keywords)
    except Exception as error:
        _translate(told, error)
        raise


def translate_table_error(told: ProducerType, error: Exception) -> None:
    """Raise BufferError for the class of error by which a library's table says "impossible"."""
    if told.row.table_error and (told.row.table_error in class_names(type(error))):
        reason = str(error).partition("\n")[0]
        raise BufferError(
            f"this {told.name} array cannot be exported: {reason}\n"
            "  Convert it with its own library first."
        ) from error


def _translate(told: ProducerType, error: Exception) -> None:
    for row in told.row.translations:
        if row.error in class_names(type(error)):
            raise BufferError(
                f"this {told.name} array cannot be exported: {row.why}.\n  {row.fix}"
            ) from error
