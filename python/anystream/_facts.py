# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Gathering the facts of a hand-off. No array is exported here, and nothing is ordered."""

from typing import Any, Literal, NamedTuple

from anystream import _core, _platforms
from anystream._arguments import check_policy
from anystream._consumer import consumer_peer, takes
from anystream._core import Stream
from anystream._decide import DriverMissingError, Facts, Ordering, Reader, Relation
from anystream._device import Device, named_device
from anystream._peer import Behaviour, Consumer, Does, Frees, Peer, class_names
from anystream._plan import Move, Plan
from anystream._planner import plan_for
from anystream._producer import (
    ProducerType,
    array_of,
    device_of,
    may_not_write,
    memory_kind,
    of_array,
    own_streams,
    producer_type,
    refuse,
    uncommitted_by,
)
from anystream._recognise import FAMILIES
from anystream._release import Release
from anystream._routes import route_of
from anystream._streams import (
    can_choose,
    can_make,
    can_order,
    check_unplaced,
    current_of,
    may_overtake,
    named,
    named_producers,
    row_of,
    what_is_current,
)

_CPU = 1
_RANKS: tuple[Relation, ...] = ("same", "same_out_of_order", "different", "unrelated")
_SHARED = {row["value"]: row["id"] for row in _core.PLATFORM_TABLE}


class Request(NamedTuple):
    """What the user asked for, as it was said."""

    x: Any
    to: Any
    stream: Any
    producer_stream: Any
    device: Any
    copy: bool | None
    ordering: Ordering
    strict: bool
    exported: Any = None  # the capsule that x gave, where it has been called
    quick: bool = True  # may x be imported by its row's quick way?
    writable: bool = False
    method: str = ""  # what was called instead of from_dlpack
    release: Release = "ordered"

    @property
    def where(self) -> str:
        """The function that was called, for messages."""
        return "handoff" if self.to is not None else self.method or "from_dlpack"


class Reading(NamedTuple):
    """The stream that the result is for."""

    reader: Reader
    words: str
    stream: Stream | None = None
    argument: Any = None  # as the user gave it, where only the producer may know it


class Job(NamedTuple):
    """The live objects that a plan is executed on."""

    request: Request
    told: ProducerType
    source: Device
    target: Device
    producers: tuple[Stream, ...]
    reading: Reading
    peer: Peer | None
    consumer: Consumer | None


def prepare(request: Request) -> tuple[Plan, Job]:
    """Resolve a request and plan it. Raises what an impossible hand-off raises."""
    check_policy(request.where, request.copy, request.ordering, request.strict, request.writable)
    told = producer_type(request.x)
    refuse(told, request.x)
    source = device_of(told, request.x)
    if source.type != _CPU and (array := array_of(told, request.x)) is not None:
        request, told = request._replace(x=array), of_array(told, array)
    source = _with_platform(source, told, request)
    peer, consumer = (None, None) if request.to is None else consumer_peer(request.to)
    target = _target(request, source, peer, consumer)
    reading = _reading(request, source, target, peer, consumer)
    if reading.stream is not None and source.type == _CPU:
        target = Device(reading.stream.device)
    if source != target:
        _check_arrival(request, target, reading)
    producers, words, vouched = _producers(request, told, source)
    job = Job(request, told, source, target, producers, reading, peer, consumer)
    plan = _planned(_facts(job, words, vouched), request.strict)
    _check_copies(plan, source)
    return plan, job


def check_many(request: Request, *, empty: bool) -> None:
    """Check what is wrong for all of many arrays, or for none.

    Where there is none to plan for, that is all that can be told without an array.
    """
    check_policy(request.where, request.copy, request.ordering, request.strict, request.writable)
    peer, consumer = (None, None) if request.to is None else consumer_peer(request.to)
    if not empty:
        return
    if request.device is None:
        check_unplaced(request.stream, request.producer_stream, request.where)
        return
    device = named_device(request.device, f"{request.where}(device=…)")
    _check_taken(peer, consumer, device)
    _check_host(request, device)
    check_unplaced(None, request.producer_stream, request.where)
    _reading(request, device, device, peer, None)


def _planned(facts: Facts, strict: bool) -> Plan:
    try:
        return plan_for(facts, strict=strict)
    except DriverMissingError:
        row = row_of(facts.source)
        if "callbacks" in row:
            _platforms.refuse_missing(row, ("record", "wait"), _WHAT_NEEDS_ORDER)
        _core.device_info(facts.source.type, facts.source.id, facts.source.platform)
        raise _core.DriverUnavailable(
            f"anystream cannot order streams of {facts.source}."
        ) from None


_WHAT_NEEDS_ORDER = "ordering one stream after another, or the host after one,"


def _with_platform(source: Device, told: ProducerType, request: Request) -> Device:
    """Name the platform of a shared device type: by the producer's row, or a stream's class."""
    row_of(source)  # where the device type has no platform, other packages are asked for one
    shared = {_SHARED.get(source.type, ""), *_platforms.names_beside(source.type)} - {""}
    if not shared or source.platform:
        return source
    given = (request.stream, request.producer_stream)
    named = (told.row.platform, *(_platform_of(stream) for stream in given))
    platform = next((name for name in named if name in shared), "")
    return Device(source.type, source.id, platform) if platform else source


def _platform_of(stream: Any) -> str:
    if isinstance(stream, Stream):
        return stream.platform
    names = class_names(type(stream))
    return next((FAMILIES[name] for name in names if name in FAMILIES), "")


def _target(
    request: Request, source: Device, peer: Peer | None, consumer: Consumer | None
) -> Device:
    if peer is not None and not row_of(source):
        raise BufferError(
            f"{peer.name} cannot be given arrays on {source}: DLPack has not named that device "
            "type.\n  anystream.from_dlpack carries them."
        )
    if request.device is not None:
        wanted = named_device(request.device, f"{request.where}(device=…)")
    elif peer is None or consumer is None:
        return source
    else:
        wanted = _best(source, peer, consumer)
    _check_taken(peer, consumer, wanted)
    if wanted.__dlpack_device__() == source.__dlpack_device__():
        return source
    _check_host(request, wanted)
    return wanted


def _check_taken(peer: Peer | None, consumer: Consumer | None, wanted: Device) -> None:
    if peer is None or consumer is None or takes(peer, consumer, wanted):
        return
    taken = [
        row["name"]
        for row in _core.DEVICE_TABLE
        if takes(peer, consumer, Device((row["value"], 0)))
    ]
    raise BufferError(
        f"{peer.name}, as it is installed here, takes arrays on {', '.join(taken)}; got {wanted}."
        "\n  Name a device that it takes with device=."
    )


def _check_host(request: Request, wanted: Device) -> None:
    """Refuse another number for the host: DLPack gives it 0, and a result would be there."""
    if wanted.type == _CPU and wanted.id:
        raise ValueError(
            f"{request.where}(device=…) takes cpu for the host, which is one device; got {wanted}."
            '\n  Write device="cpu".'
        )


def _best(source: Device, peer: Peer, consumer: Consumer) -> Device:
    if takes(peer, consumer, source):
        return source
    onto = (Device((kind, 0)) for kind in consumer.onto)
    return next((device for device in onto if takes(peer, consumer, device)), Device((_CPU, 0)))


def _reading(
    request: Request,
    source: Device,
    target: Device,
    peer: Peer | None,
    consumer: Consumer | None,
) -> Reading:
    where = f"{request.where}(stream=…)"
    form, stream, argument = named(request.stream, target, where)
    if form == "unordered":
        return Reading("unordered", "none wanted (-1)")
    if target.type == _CPU:
        return Reading("host", "none: the result is on the host")
    if form == "default":
        return _default(source, target, peer, consumer)
    if stream is not None and (request.ordering != "none" or can_order(target)):
        _core.check_consumer(stream, where)
    return Reading("named", "the one that was named", stream, argument)


def _default(
    source: Device, target: Device, peer: Peer | None, consumer: Consumer | None
) -> Reading:
    """Choose the stream where the user named none."""
    stays = source == target and can_order(source)
    if peer is not None and consumer is not None and consumer.stays and stays:
        return Reading("stays", f"the producer's: {peer.name} is given it with the array")
    if peer is not None and consumer is not None and consumer.asks and stays:
        return Reading("stays", f"the producer's, until {peer.name} names its own in its import")
    if peer is None:
        return Reading("stays", "the producer's" if source == target else "a new one of our own")
    current = current_of(peer, target)
    if current is None:
        return Reading("unknown", f"not known: {peer.name} does not tell")
    return Reading("current", what_is_current(peer, target), current)


def _check_arrival(request: Request, target: Device, reading: Reading) -> None:
    """Refuse a copy to a device that nobody here copies to, or has named a stream of."""
    if target.type == _CPU:
        return
    if not can_order(target):
        _refuse_arrival(request, target)
    if reading.reader in ("named", "current") or can_make(target):
        return
    raise ValueError(
        f"{request.where}(device=…): a copy to {target} is made on a stream, and there is none "
        "there that anystream could choose; got no stream.\n  Name one: stream=."
    )


def _refuse_arrival(request: Request, target: Device) -> None:
    row = row_of(target)
    if "callbacks" in row:
        _platforms.refuse_missing(row, ("record", "wait", "copy"), "a copy to its devices")
    backend = row.get("backend", "")
    if any(row["name"] == backend and row["has_backend"] for row in _core.drivers()):
        _core.device_info(target.type, target.id, target.platform)  # says what is missing
    raise _core.DriverUnavailable(
        f"{request.where}(device=…): x is not on {target}, and this version of anystream copies "
        "nothing to devices of that type.\n"
        "  Copy x there with a library that can, and hand over that copy."
    )


def _check_copies(plan: Plan, source: Device) -> None:
    """Refuse a plan that waits for a device, or copies from it, where nobody here can."""
    if plan.actions.orders == "host":
        _check_waiting(row_of(source))
    if source.type == _CPU or _OURS.isdisjoint(plan.actions.moves):
        return
    row = row_of(source)
    if "callbacks" in row:
        _platforms.refuse_missing(row, ("record", "copy"), "a copy from its devices")
    elif not can_order(source):
        _core.device_info(source.type, source.id, source.platform)  # says what is missing


def _check_waiting(row: dict[str, Any]) -> None:
    """Refuse a wait on the host that a registered platform has no function for."""
    if "callbacks" in row and "complete" not in row["callbacks"]:
        _platforms.refuse_missing(row, ("synchronize",), "waiting on the host")


# Moves that are copies of ours.
_OURS: frozenset[Move] = frozenset(("copy", "host copy"))


def _producers(
    request: Request, told: ProducerType, source: Device
) -> tuple[tuple[Stream, ...], str, bool]:
    """Find the producer's streams, say where, and whether the producer itself orders from them."""
    if request.producer_stream is not None:
        where = f"{request.where}(producer_stream=…)"
        ordered = request.ordering != "none"
        given = named_producers(request.producer_stream, source, where, ordered=ordered)
        return given, "producer_stream=" if given else "", False
    if source.type == _CPU:
        return (), "", False
    streams, words = own_streams(told, request.x, source)
    return streams, words, told.route == "dlpack"


def _facts(job: Job, words: str, vouched: bool) -> Facts:
    request, told = job.request, job.told
    behaviour = _behaviour(told, job.source)
    # Streams that are named as -1 have nothing pending that matters.
    ordering = "none" if request.producer_stream is not None and not words else request.ordering
    reader = job.reading.stream if ordering != "none" else None
    waiting = _waiting(job) if ordering != "none" else None
    readonly = _readonly(job)
    return Facts(
        producer=told.name,
        route=route_of(told, request.x, job.source, quick=request.quick),
        source=job.source,
        does=_does(told, behaviour),
        quiet=None if behaviour is None else behaviour.quiet,
        sendable=_sendable(job, behaviour),
        choosable=can_choose(job.source),
        streams=words,
        several=len(job.producers) > 1,
        vouched=vouched,
        memory="" if job.source.type == _CPU else memory_kind(told, request.x),
        consumer="" if job.peer is None else job.peer.name,
        target=job.target,
        reader=job.reading.reader,
        reader_is=job.reading.words,
        relation=_relation(job.producers, reader),
        overtakes=waiting is not None and may_overtake(waiting),
        ordering=ordering,
        copy=request.copy,
        copies=job.consumer is not None and job.consumer.copies and job.target.type == _CPU,
        alignment=1 if job.consumer is None or job.target.type != _CPU else job.consumer.alignment,
        readonly=readonly,
        writes=request.writable and readonly != "no",
        backend=_backend(job.source),
        **_uncommitted(job),
        release="ordered" if job.source.type == _CPU else request.release,  # there it is all one
        frees=_frees(job),
    )


def _uncommitted(job: Job) -> dict[str, str]:
    row = uncommitted_by(job.told, job.source)
    if row is None:
        return {}
    return {name: f"{row.module}.{getattr(row, name)}" for name in ("commits", "waits")}


def _frees(job: Job) -> Frees | Literal["ours", "elsewhere"]:
    told = job.told
    if told.route == "array":
        return "ours"
    if told.row.frees != "stream_ordered" or job.request.producer_stream is None or not told.peer:
        return told.row.frees
    has_own = any(row.device_type == job.source.type for row in told.peer.current)
    return "elsewhere" if has_own else told.row.frees


def _waiting(job: Job) -> Stream | None:
    """Give the stream that is made to wait: for the producer's, for its others, or for a copy."""
    if job.reading.stream is not None or job.reading.reader != "stays":
        return job.reading.stream
    several, copied = len(job.producers) > 1, job.request.copy and job.source == job.target
    return job.producers[0] if several or (copied and job.producers) else None


def _readonly(job: Job) -> Literal["no", "yes", "perhaps"]:
    if job.consumer is None or not (job.consumer.readonly == "lost" or job.request.writable):
        return "no"
    return may_not_write(job.told, job.request.x)


def _does(told: ProducerType, behaviour: Behaviour | None) -> Does | Literal["word", "idle"]:
    if told.memory is not None and told.memory.idle and told.row.unnamed == "idle":
        return "idle"
    return "word" if behaviour is None else behaviour.does


def _sendable(job: Job, behaviour: Behaviour | None) -> bool:
    """Tell whether its ``__dlpack__`` takes a stream: that of the reader, where one is known.

    Some do not take the number of the calling thread's.
    """
    stream = job.reading.stream
    refused = stream is not None and behaviour is not None and stream.handle in behaviour.refuses
    return "stream" in job.told.keywords and not refused


def _behaviour(told: ProducerType, source: Device) -> Behaviour | None:
    if told.route in ("array", "capsule") or told.memory is not None:
        return Behaviour((), "ignores")
    return told.behaviour(source.type)


def _relation(producers: tuple[Stream, ...], reader: Stream | None) -> Relation:
    if reader is None or not producers:
        return ""
    return max((_core.relation(one, reader) for one in producers), key=_RANKS.index)


def _backend(source: Device) -> Any:
    if can_order(source):
        return "ready"
    return "missing" if row_of(source).get("backend") else "none"
