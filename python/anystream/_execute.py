# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Executing a plan: the array is imported, its work is ordered, it is moved, and it is given."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from anystream._consumer import give
from anystream._core import (
    Array,
    Stream,
    _array_copy,
    _array_from_capsule,
    _array_host_view,
    _array_on_stream,
    _capsule_device,
    check_order,
    order_streams,
    synchronize_stream,
)
from anystream._device import Device
from anystream._facts import Job
from anystream._fit import copied_there, copied_to_fit, elements_for, fitted
from anystream._known import HOST, Known
from anystream._many import Once
from anystream._memory import Memory, wrapped
from anystream._peer import Consumer, Peer, follow
from anystream._place import OnDevice, has_current_device
from anystream._plan import Move, Plan
from anystream._producer import ProducerType, export, is_capsule, keywords_for, uncommitted_by
from anystream._routes import QUICK, taken, taken_on_device
from anystream._streams import copying_queue, lenient, own_queue, queue_of, row_of
from anystream._warnings import refuse_readonly, warn_readonly
from anystream._watch import Note, watching


def execute(plan: Plan, job: Job, imported: Array | None = None) -> Any:
    """Do what a plan says with the objects of a job; ``imported`` is x where that has been done."""
    own = own_queue_of(plan, job, own_queue)
    if imported is None:
        array = acquire(plan, job, own)
    else:
        array = _array_on_stream(imported, first_stream(plan, job, own), plan)
    order(plan, job, own)
    return finish(plan, job, own, array)


def finish(plan: Plan, job: Job, own: Stream | None, array: Array) -> Any:
    """Move an array that is in order, give it to its consumer, and tell those that watch."""
    if not watching():
        return _finish(plan, job, own, array)
    note = Note()
    result = _finish(plan, job, own, note.watched(array, plan))
    note.made(plan, job.producers, _final_stream(plan, job, own), array)
    return result


def _finish(plan: Plan, job: Job, own: Stream | None, array: Array) -> Any:
    peer, consumer, request = job.peer, job.consumer, job.request
    if peer is None or consumer is None:
        return _in_place(plan, job, own, array)
    kind = elements_for(peer, consumer, array)  # what is refused is not copied first
    array = _in_place(plan, job, own, array)
    named = job.reading.stream if job.reading.reader == "named" else None
    return _given(
        job.told,
        peer,
        consumer,
        array,
        kind,
        stream=named,
        asks=consumer.asks and job.reading.reader != "unordered" and request.ordering != "none",
        copy=request.copy,
        writable=request.writable,
        strict=request.strict,
    )


def execute_known(found: Known, x: Any, copy: bool | None, *, strict: bool) -> Any:
    """Do what a plan that is known says with one more array, and tell those that watch."""
    array = import_known(found, x)
    if not watching():
        return _given_if_named(found, array, copy, strict=strict)
    note = Note()
    result = _given_if_named(found, note.watched(array, found.plan), copy, strict=strict)
    note.made(found.plan, (), None, array)
    return result


def _given_if_named(found: Known, array: Array, copy: bool | None, *, strict: bool) -> Any:
    return array if found.peer is None else give_known(found, array, copy, strict=strict)


def give_known(found: Known, array: Array, copy: bool | None, *, strict: bool) -> Any:
    """Give what has been imported as a plan that is known says."""
    peer, consumer = found.peer, found.consumer
    assert peer is not None  # noqa: S101 - it was found by its `to`
    assert consumer is not None  # noqa: S101
    told, kind = found.told, elements_for(peer, consumer, array)
    return _given(
        told, peer, consumer, array, kind, stream=None, copy=copy, writable=False, strict=strict
    )


def import_known(found: Known, x: Any) -> Array:
    """Import one more array of a class whose plan is known."""
    if found.plan.actions.route in QUICK:
        return taken(found.plan, found.told, x)
    capsule = export(found.told, x, found.keywords)
    place = _capsule_device(capsule)
    if place != HOST:
        _check_place(found.told, Device(HOST), Device(place))
    return _array_from_capsule(capsule, None, found.plan, "", found.told.row.immutable)


def own_queue_of(plan: Plan, job: Job, choose: Callable[[Device], Stream]) -> Stream | None:
    """Choose the stream that nobody named, where the plan has one."""
    if plan.actions.sends == "own queue":
        return choose(job.source)
    return choose(job.target) if plan.actions.ends_on == "own queue" else None


def acquire(plan: Plan, job: Job, own: Stream | None) -> Array:
    """Import an array by its plan's route; nothing of ours orders yet."""
    x, stream = job.request.x, first_stream(plan, job, own)
    _check_captures(plan, job)
    if job.told.memory is not None:
        ordered = stream if plan.actions.proof else None
        return wrapped(job.told.memory.taken(ordered), stream, plan)
    match plan.actions.route:
        case "array":
            return _array_on_stream(x, stream, plan)
        case "capsule":
            return _array_from_capsule(x, stream, plan, job.source.platform)
    if plan.actions.route in QUICK or plan.actions.route == "usm struct":
        on_device = plan.actions.route == "usm struct"
        quick = taken_on_device(plan, x, job.source) if on_device else taken(plan, job.told, x)
        return quick if stream is None else _array_on_stream(quick, stream, plan)
    capsule = job.request.exported
    if capsule is None:
        with OnDevice(job.source):
            capsule = export(job.told, x, keywords_for(job.told, _sent(plan, job, own)))
    found, immutable = Device(_capsule_device(capsule)), job.told.row.immutable
    _check_place(job.told, job.source, found)
    if found.type != job.source.type and stream is not None:
        array = _array_from_capsule(capsule, None, plan, "", immutable)
        return _as_pinned(array, job.source, stream, plan)
    return _array_from_capsule(capsule, stream, plan, job.source.platform, immutable)


def _as_pinned(array: Array, device: Device, stream: Stream, plan: Plan) -> Array:
    """Say of memory that its capsule calls the host's that a device's stream works on it."""
    memory = Memory(
        array.data_ptr,
        array.shape,
        array.strides,
        array.dtype.triple,
        device,
        owner=array,
        readonly=array.readonly,
        byte_offset=array.byte_offset,
    )
    return wrapped(memory, stream, plan)


def _check_captures(plan: Plan, job: Job) -> None:
    """Refuse an order that would break a capture into a graph, before anybody is called."""
    if not job.producers or not has_current_device(job.source):
        return
    reader, orders = job.reading.stream, plan.actions.orders
    if orders == "host":
        reader = None
    elif reader is None or (orders != "device" and plan.actions.sends != "consumer"):
        return
    for producer in job.producers:
        check_order(producer, reader)


def _check_place(told: ProducerType, source: Device, found: Device) -> None:
    """Refuse a capsule that is elsewhere than its producer said, since that was what is ordered."""
    # Pinned memory: some libraries export it as the host's.
    pinned = source.type != found.type == 1 and row_of(source).get("memory") == "host"
    if found.__dlpack_device__() == source.__dlpack_device__() or pinned:
        return
    raise BufferError(
        f"__dlpack_device__ of this {told.name} array says {source}, its capsule {found}.\n"
        "  That is a fault of its library."
    )


def first_stream(plan: Plan, job: Job, own: Stream | None) -> Stream | None:
    """Give the stream that the array is on before anything has been ordered."""
    if job.producers:
        return job.producers[0]
    if plan.actions.sends == "consumer":
        return job.reading.stream
    return own if plan.actions.sends == "own queue" else None


def _sent(plan: Plan, job: Job, own: Stream | None) -> dict[str, Any]:
    """Give the producer's `stream` keyword, or leave it out."""
    actions = plan.actions
    if actions.sends == "consumer":
        return {"stream": _form(job.reading.stream, job.reading.argument, job.source)}
    if actions.sends == "own queue":
        return {"stream": _form(own, None, job.source)}
    # A CPU producer is never sent a stream, not even -1.
    return {} if actions.quiet is None or actions.sends == "nothing" else {"stream": actions.quiet}


def _form(stream: Stream | None, argument: Any, device: Device) -> Any:
    """Give a stream in the form that producers on a device type take."""
    if stream is None:
        return argument
    row = row_of(device)
    if row.get("integers") in ("cuda", "rocm"):
        return int(stream.handle)
    if row.get("objects") == "sycl":
        return queue_of(stream)
    # Nobody agreed on a form: the producer may know the user's own. A capsule could be consumed.
    return stream if argument is None or is_capsule(argument) else argument


def order(plan: Plan, job: Job, own: Stream | None, once: Once | None = None) -> None:
    """Order pending work as planned; with ``once``, what that has ordered already is."""
    reader = job.reading.stream
    _flush(plan, job)
    match plan.actions.orders:
        case "join":
            _order_all(job.producers[1:], lenient(job.producers[0]), once)
        case "device" if reader is not None:
            _order_all(job.producers, reader, once)
        case "host":
            for stream in job.producers or filter(None, (own,)):
                if once is None or once.first(stream, None):
                    synchronize_stream(stream)


def _flush(plan: Plan, job: Job) -> None:
    """Have the producer's library hand over what it holds back, or wait for it, too."""
    row = uncommitted_by(job.told, job.source) if plan.actions.flush else None
    if row is not None:
        commits = plan.actions.flush == "commit"
        follow(import_module(row.module), row.commits if commits else row.waits)


def _order_all(producers: tuple[Stream, ...], reader: Stream, once: Once | None) -> None:
    for producer in producers:
        if once is None or once.first(producer, reader):
            order_streams(producer, reader)


def _in_place(plan: Plan, job: Job, own: Stream | None, array: Array) -> Array:
    """Move an array to where it shall be, and put it on the stream that it shall be on."""
    final = _final_stream(plan, job, own)
    for move in plan.actions.moves:
        array = _moved(move, plan, job, array, final)
    if plan.actions.moves:
        return array
    # Where the producer's stream is not known: kept until the consumer's own is done.
    homes = job.producers or ((final,) if final else ())
    if plan.actions.release is not None and homes:
        return _with_way_back(plan, homes, array, final)
    return array if array.stream is final else _array_on_stream(array, final, plan)


def _with_way_back(
    plan: Plan, homes: tuple[Stream, ...], array: Array, final: Stream | None
) -> Array:
    """Give an array whose memory goes back to streams, as the plan has it."""
    return _array_on_stream(
        array,
        final,
        plan,
        homes=homes,
        release=plan.actions.release,
        frees_in_order=plan.actions.frees_in_order,
        fresh=plan.actions.route != "array" and not watching(),
    )


def _final_stream(plan: Plan, job: Job, own: Stream | None) -> Stream | None:
    match plan.actions.ends_on:
        case "producer":
            return job.producers[0] if job.producers else None
        case "consumer":
            return job.reading.stream
        case "own queue":
            return own
    return None


def _moved(move: Move, plan: Plan, job: Job, array: Array, final: Stream | None) -> Array:
    match move:
        case "copy":
            copy = copied_there(_array_on_stream(array, final, plan), plan)
            _hold_back(plan, job, final)
            return copy
        case "copy to fit" if job.consumer is not None:
            return copied_to_fit(job.consumer, _array_on_stream(array, final, plan), plan)
        case "to device":
            return _array_copy(array, job.target.__dlpack_device__(), final, plan)
        case "host copy":
            return _array_copy(array, (1, 0), array.stream or copying_queue(job.source), plan)
        case "host view":
            return _array_host_view(array, plan)
    return _viewed_or_copied(plan, job, array)


def _hold_back(plan: Plan, job: Job, copier: Stream | None) -> None:
    """Let the producer's later work come after a copy: it is of what was there when it was made.

    An out-of-order queue cannot be held back in each case without the host waiting: it is not.
    """
    if copier is None or plan.actions.orders != "device":
        return
    for producer in job.producers:
        if producer.in_order:
            order_streams(copier, producer)


def _viewed_or_copied(plan: Plan, job: Job, array: Array) -> Array:
    if array.memory_kind in ("shared", "host"):
        return _array_host_view(array, plan)
    if job.request.copy is False:
        raise BufferError(
            f"copy=False, but the host cannot read this {job.source} memory.\n"
            "  Pass copy=None or copy=True."
        )
    return _array_copy(array, (1, 0), array.stream or copying_queue(job.source), plan)


def _given(
    told: ProducerType,
    peer: Peer,
    consumer: Consumer,
    array: Array,
    kind: Any,
    *,
    stream: Stream | None,
    asks: bool = False,
    copy: bool | None,
    writable: bool,
    strict: bool,
) -> Any:
    """Give an array, and warn of read-only memory that looks writable once that is done."""
    ready = fitted(peer, consumer, array, copy)
    if not array.readonly or consumer.copies:
        return give(peer, consumer, ready, kind, stream, asks=asks)
    lost = consumer.readonly == "lost"
    refuse_readonly(told.name, peer.name, writable=writable, strict=strict and lost)
    result = give(peer, consumer, ready, kind, stream, asks=asks)
    if lost:
        warn_readonly(told.name, peer.name)
    return result
