# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What is known about a producer, and calling its __dlpack__: once, with keywords that it knows."""

import inspect
from dataclasses import dataclass
from typing import Any, Literal

from anystream._arguments import got
from anystream._core import Array, Stream, _array_from_pointer, _capsule_device, parse_dtype
from anystream._device import Device, DeviceType, pair_of
from anystream._peer import Behaviour, Peer, Producer, Refusal, class_names, follow
from anystream._peers import SYCL_OWNER
from anystream._plan import Route
from anystream._recognise import peer_of, row_class
from anystream._streams import as_stream, current_of, row_of, what_is_current

_MAX_VERSION = (1, 3)  # of the DLPack structs that the core reads
_KEYWORDS = frozenset({"stream", "max_version", "dl_device", "copy"})
_UNKNOWN = Producer()
_USM = "__sycl_usm_array_interface__"


@dataclass(frozen=True, slots=True)
class ProducerType:
    """What the class of an array tells."""

    name: str  # in a plan
    peer: Peer | None
    route: Route
    exporter: Any  # the __dlpack__ that `keywords` are of
    keywords: frozenset[str]

    @property
    def row(self) -> Producer:
        """The producer's columns of the table, or those of nobody."""
        return (self.peer and self.peer.producer) or _UNKNOWN

    def behaviour(self, device_type: int) -> Behaviour | None:
        """Tell what its ``__dlpack__`` does on a device type; None where no row does."""
        rows = self.row.behaviour
        return next((row for row in rows if device_type in row.devices or not row.devices), None)


_types: dict[type, ProducerType] = {}
_MOST_TYPES = 1000


def producer_type(x: Any) -> ProducerType:
    """Tell how an object is exported; remembered per class, for as long as its method stays."""
    kind = type(x)
    remembered = _types.get(kind)
    if remembered is not None and remembered.exporter is getattr(kind, "__dlpack__", None):
        return remembered
    told = _tell(x, kind)
    if told.route == "dlpack" and told.exporter is None:  # the object's own, not its class's
        return told
    if len(_types) >= _MOST_TYPES:  # classes that a program makes on and on must not pile up
        _types.clear()
    _types[kind] = told
    return told


def _tell(x: Any, kind: type) -> ProducerType:
    peer = peer_of(kind)
    name = peer.name if peer else f"{kind.__module__}.{kind.__qualname__}"
    exporter = getattr(kind, "__dlpack__", None)
    route = _route(x, kind)
    if route == "array":
        name = "anystream"
    if route == "capsule":
        name = "a DLPack capsule"
    keywords = _keywords(x, kind, peer) if route == "dlpack" else frozenset[str]()
    return ProducerType(name, peer, route, exporter, keywords)


def _route(x: Any, kind: type) -> Route:
    if kind is Array:
        return "array"
    if (kind.__module__, kind.__qualname__) == ("builtins", "PyCapsule"):
        return "capsule"
    if not isinstance(x, type):  # a class has the methods, but is no array
        if hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__"):
            return "dlpack"
        if hasattr(x, _USM):
            return "usm"
    raise TypeError(
        "anystream takes an array: an object with __dlpack__ and __dlpack_device__ or with "
        f'{_USM}, a "dltensor" or "dltensor_versioned" capsule, or an anystream.Array; '
        f"got {f'the class {x.__qualname__}' if isinstance(x, type) else got(x)}.\n"
        "  Make it an array of a library first."
    )


def _keywords(x: Any, kind: type, peer: Peer | None) -> frozenset[str]:
    """Give the keywords of its ``__dlpack__``: by row, else by its signature, else none."""
    if peer is not None and peer.producer is not None and not _overridden(kind):
        return frozenset(peer.producer.keywords)
    try:
        parameters = inspect.signature(x.__dlpack__).parameters.values()
    except ValueError:  # written in C, and silent about its parameters: call it bare
        return frozenset()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return _KEYWORDS
    return _KEYWORDS & {
        parameter.name
        for parameter in parameters
        if parameter.kind is not parameter.POSITIONAL_ONLY
    }


def _overridden(kind: type) -> bool:
    """Tell whether a subclass of the table's class brings a ``__dlpack__`` of its own."""
    named = row_class(kind)
    definer = next((base for base in kind.__mro__ if "__dlpack__" in vars(base)), None)
    return named is None or definer is None or not issubclass(named, definer)


def refuse(told: ProducerType, x: Any) -> None:
    """Raise BufferError for an array that its library would export with wrong values."""
    for refusal in told.row.refusals:
        if applies(refusal, x):
            raise BufferError(
                f"this {told.name} array cannot be handed over: {refusal.why}.\n  {refusal.fix}"
            )


def applies(refusal: Refusal, x: Any) -> bool:
    """Tell whether an array is one that a row refuses."""
    if refusal.test.startswith("class "):
        module, _, name = refusal.test.removeprefix("class ").partition(":")
        return (module, name) in class_names(type(x))
    return bool(follow(x, refusal.test))


def device_of(told: ProducerType, x: Any) -> Device:
    """Tell where an array is; its ``__dlpack__`` is not called, a capsule is not consumed."""
    if told.route == "array":
        return Device(x.device)
    if told.route == "capsule":
        return Device(_capsule_device(x))
    if told.route == "dlpack":
        pair = x.__dlpack_device__()
        if isinstance(pair, tuple) and len(pair) == 2 and pair[1] is None:
            pair = (pair[0], 0)  # some libraries say None for the host's number
        return Device(pair_of(pair, f"__dlpack_device__ of this {told.name} array"))
    return Device(_usm_stream(told, x).device)


def _usm_stream(told: ProducerType, x: Any) -> Stream:
    if told.row.own_stream:
        return Stream(follow(x, told.row.own_stream), out_of_order="barrier")
    queue = _usm_fields(x)["syclobj"]
    try:
        stream = Stream(queue, out_of_order="barrier")
    except TypeError:
        stream = None
    if stream is None or not stream.device or row_of(stream.device).get("objects") != "sycl":
        takes, fix = SYCL_OWNER
        raise TypeError(
            f'{_USM}["syclobj"]: anystream takes the queue that the work on the memory is on, '
            f"{takes}; got {got(queue)}.\n  {fix}"
        )
    return stream


_FIELDS = frozenset({"data", "shape", "typestr", "syclobj"})


def _usm_fields(x: Any) -> dict[str, Any]:
    """Read ``__sycl_usm_array_interface__``, of which nothing needed may be missing."""
    fields = getattr(x, _USM)
    if isinstance(fields, dict) and fields.keys() >= _FIELDS:
        return fields
    missing = sorted(_FIELDS - fields.keys()) if isinstance(fields, dict) else []
    raise BufferError(
        f"{_USM} is a dict with {', '.join(sorted(_FIELDS))}; got "
        f"{'one without ' + ', '.join(missing) if missing else got(fields)}.\n"
        "  That is a fault of the class of x."
    )


def own_streams(told: ProducerType, x: Any, device: Device) -> tuple[tuple[Stream, ...], str]:
    """Find the stream that an array's work is on, and say in words where it was found."""
    if told.route == "array":
        return ((x.stream,), "the stream that the Array is on") if x.stream else ((), "")
    if told.route == "usm":
        return (_usm_stream(told, x),), "its own queue"
    if told.row.own_stream:
        queue = as_stream(follow(x, told.row.own_stream), device)
        return (queue,), f"x.{told.row.own_stream}"
    if told.peer is None or device.type == 1:
        return (), ""
    current = current_of(told.peer, device)
    return ((current,), what_is_current(told.peer, device)) if current else ((), "")


def memory_kind(told: ProducerType, x: Any) -> str:
    """Tell "device", "shared" or "host" where the array tells without being exported; else ""."""
    if told.route == "array":
        return str(x.memory_kind)
    return str(follow(x, told.row.memory_kind)) if told.row.memory_kind else ""


def may_not_write(told: ProducerType, x: Any) -> Literal["no", "yes", "perhaps"]:
    """Tell whether an array's memory is read-only; "perhaps" where only its export will tell."""
    row = told.peer.producer if told.peer else None
    if told.route == "dlpack" and row is not None:
        return "yes" if row.immutable or (row.writable and not follow(x, row.writable)) else "no"
    if told.route == "array":
        return "yes" if x.readonly else "no"
    if told.route == "usm":
        return "yes" if _flagged(told, _usm_fields(x)["data"][1]) else "no"
    return "perhaps"


def _flagged(told: ProducerType, flag: object) -> bool:
    return bool(flag) == (told.row.usm_flag == "readonly")


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


def _translate(told: ProducerType, error: Exception) -> None:
    for row in told.row.translations:
        if row.error in class_names(type(error)):
            raise BufferError(
                f"this {told.name} array cannot be exported: {row.why}.\n  {row.fix}"
            ) from error


def usm_array(told: ProducerType, x: Any, stream: Stream | None, plan: Any) -> Array:
    """Wrap what ``__sycl_usm_array_interface__`` describes; the object is kept alive."""
    fields = _usm_fields(x)
    pointer, flag = fields["data"]
    dtype = _dtype_of(fields["typestr"])
    strides = fields.get("strides")
    return _array_from_pointer(
        int(pointer),
        tuple(fields["shape"]),
        None if strides is None else tuple(strides),
        dtype,
        (DeviceType.ONE_API, 0 if stream is None else stream.device.id),
        byte_offset=int(fields.get("offset", 0)) * dtype[1] // 8,
        readonly=_flagged(told, flag),
        owner=x,
        stream=stream,
        plan=plan,
    )


_KIND_NAMES = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex"}


def _dtype_of(typestr: str) -> tuple[int, int, int]:
    """Read an array interface's type string, "<f4"."""
    kind, size = typestr[1], int(typestr[2:])
    if kind not in _KIND_NAMES or typestr[0] not in "<|=":
        raise BufferError(f"typestr {typestr!r} has no DLPack type.")
    return parse_dtype("bool" if kind == "b" else f"{_KIND_NAMES[kind]}{size * 8}")
