# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Handing an array over: the executor of plans, and the functions that users call."""

from types import ModuleType
from typing import Any, Literal

from anystream._arguments import check_policy
from anystream._consumer import give
from anystream._core import (
    Array,
    OrderingError,
    Stream,
    _array_copy,
    _array_from_capsule,
    _array_host_view,
    _array_on_stream,
    _capsule_device,
    order_streams,
    synchronize_stream,
)
from anystream._device import Device
from anystream._facts import Job, Request, prepare
from anystream._fit import copied_there, fitted
from anystream._known import HOST, Known, known, remember
from anystream._plan import Move, Plan
from anystream._producer import ProducerType, export, keywords_for, usm_array
from anystream._streams import copying_queue, lenient, own_queue, queue_of, row_of

Ordering = Literal["device", "host", "none"]


def handoff(
    x: Any,
    *,
    to: Any,
    stream: Any = None,
    producer_stream: Any = None,
    ordering: Ordering = "device",
    copy: bool | None = None,
    device: Any = None,
    strict: bool = False,
) -> Any:
    """Give an array of any library to another one, ready to be used on a stream.

    The result is an array of the library ``to``, of the same shape, dtype and values, and a view of
    the same memory wherever the library can take it. What was pending on x when this was called is
    ordered before what is queued on ``stream`` afterwards, on the device, without the host waiting;
    ``explain`` with the same arguments shows how.

    Args:
        x: An array of any library; an ``anystream.Array``; an object with ``__dlpack__`` or with
            ``__sycl_usm_array_interface__``; or a DLPack capsule, which is consumed.
        to: The library, by name or as its module: "numpy", "torch", "jax", "dpnp", "dpctl",
            "tvm_ffi", "mlx". It is imported.
        stream: The stream on which the result will be used: an object of any library, a capsule, an
            int where the device type has them, or -1 for no ordering. None: the library's current
            stream (dpnp, dpctl: the default queue of the device).
        producer_stream: The stream, or a list of those, that x's pending work is on. None: x's own
            queue, else its library's current stream on this thread.
        ordering: "device"; "host", to wait on the host; "none", when nothing is pending.
        copy: True for new memory, False for BufferError rather than new memory, None for either.
        device: Where the result shall be, e.g. "oneapi:0"; None: where x is, if the library takes
            that, else where it does.
        strict: OrderingError instead of a plan whose order is not proved on the device.

    Raises:
        TypeError, ValueError: an argument is of the wrong type, or out-of-order, or unknown.
        BufferError: the exchange is impossible, or takes a copy that ``copy=False`` forbids.
        OrderingError: order cannot be had, or (strict) not be proved.
        DriverUnavailable: a driver that ordering needs is missing.
        ModuleNotFoundError: the library ``to`` is not installed.
        Errors of the producer itself come through as they are.

    Any thread, with the GIL; where a plan has the host wait, the GIL is dropped meanwhile.
    """
    if to is None:
        raise TypeError("handoff(to=…) takes the name of a library or its module; got None.")
    check_policy("handoff", copy, ordering, strict)
    if stream is None and producer_stream is None and device is None:
        found = _found(x, to, copy, ordering, strict)
        if found is not None:
            return _execute_known(found, x, copy)
    return _run(Request(x, to, stream, producer_stream, device, copy, ordering, strict))


def explain(
    x: Any,
    *,
    to: Any = None,
    stream: Any = None,
    producer_stream: Any = None,
    ordering: Ordering = "device",
    copy: bool | None = None,
    device: Any = None,
    strict: bool = False,
) -> Plan:
    """Show what ``handoff`` with these arguments does, or ``from_dlpack`` where ``to`` is None.

    Returns the very Plan that the hand-off executes. x is not exported, nothing is ordered and
    nobody waits; drivers are opened where it takes one to tell queues apart, and the library ``to``
    is imported. Raises what the hand-off would raise before it starts. Any thread, with the GIL.
    """
    plan, _ = prepare(Request(x, to, stream, producer_stream, device, copy, ordering, strict))
    return plan


def import_array(
    x: Any,
    *,
    device: Any = None,
    copy: bool | None = None,
    stream: Any = None,
    producer_stream: Any = None,
    ordering: Ordering = "device",
    strict: bool = False,
) -> Array:
    """Import an array for ``from_dlpack``, which has the documentation."""
    if stream is None and producer_stream is None and device is None:
        found = known(x, None, copy, ordering, strict)
        if found is not None:
            return _imported(found, x)
    request = Request(x, None, stream, producer_stream, device, copy, ordering, strict)
    result: Array = _run(request)
    return result


def _run(request: Request) -> Any:
    plan, job = prepare(request)
    remember(plan, job)
    return execute(plan, job)


def _found(x: Any, to: Any, copy: bool | None, ordering: str, strict: bool) -> Known | None:
    return known(x, to, copy, ordering, strict) if isinstance(to, (str, ModuleType)) else None


def _execute_known(found: Known, x: Any, copy: bool | None) -> Any:
    assert found.peer is not None  # noqa: S101 - it was found by its `to`
    assert found.consumer is not None  # noqa: S101
    array = fitted(found.peer, found.consumer, _imported(found, x), copy)
    return give(found.peer, found.consumer, array, None)


def _imported(found: Known, x: Any) -> Array:
    capsule = export(found.told, x, found.keywords)
    if _capsule_device(capsule) != HOST:
        _check_place(found.told, Device(HOST), Device(_capsule_device(capsule)))
    return _array_from_capsule(capsule, None, found.plan, "", found.told.row.immutable)


def execute(plan: Plan, job: Job) -> Any:
    """Do what a plan says with the objects of a job."""
    own = _own_queue(plan, job)
    array = _acquire(plan, job, own)
    _order(plan, job, own)
    final = _final_stream(plan, job, own)
    for move in plan.actions.moves:
        array = _moved(move, plan, job, array, final)
    if not plan.actions.moves and array.stream is not final:
        array = _array_on_stream(array, final, plan)
    return _delivered(job, array)


def _own_queue(plan: Plan, job: Job) -> Stream | None:
    """Choose the stream that nobody named, where the plan has one."""
    if plan.actions.sends == "own queue":
        return own_queue(job.source)
    return own_queue(job.target) if plan.actions.ends_on == "own queue" else None


def _acquire(plan: Plan, job: Job, own: Stream | None) -> Array:
    x, stream = job.request.x, _first_stream(plan, job, own)
    match plan.actions.route:
        case "array":
            return _array_on_stream(x, stream, plan)
        case "usm":
            return usm_array(job.told, x, stream, plan)
        case "capsule":
            return _array_from_capsule(x, stream, plan, job.source.platform)
    capsule = export(job.told, x, keywords_for(job.told, _sent(plan, job, own)))
    _check_place(job.told, job.source, Device(_capsule_device(capsule)))
    immutable = job.told.row.immutable
    return _array_from_capsule(capsule, stream, plan, job.source.platform, immutable)


def _check_place(told: ProducerType, source: Device, found: Device) -> None:
    """Refuse a capsule that is elsewhere than its producer said, since that was what is ordered."""
    pinned = row_of(source).get("memory") == "host"  # some libraries export it as the host's
    if found.__dlpack_device__() == source.__dlpack_device__() or (pinned and found.type == 1):
        return
    raise BufferError(
        f"__dlpack_device__ of this {told.name} array says {source}, its capsule {found}.\n"
        "  That is a fault of its library."
    )


def _first_stream(plan: Plan, job: Job, own: Stream | None) -> Stream | None:
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
    return queue_of(stream) if row.get("objects") == "sycl" else stream


def _order(plan: Plan, job: Job, own: Stream | None) -> None:
    reader = job.reading.stream
    match plan.actions.orders:
        case "join":
            _order_all(job.producers[1:], lenient(job.producers[0]), strict=job.request.strict)
        case "device" if reader is not None:
            _order_all(job.producers, reader, strict=job.request.strict)
        case "host":
            for stream in job.producers or filter(None, (own,)):
                synchronize_stream(stream)


def _order_all(producers: tuple[Stream, ...], reader: Stream, *, strict: bool) -> None:
    done = [order_streams(producer, reader) for producer in producers]
    if strict and "host_wait" in done:
        raise OrderingError(
            "strict=True: the host had to wait, because a barrier would not have held in this "
            "out-of-order queue.\n  Name an in-order queue, or pass strict=False."
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
            return copied_there(_array_on_stream(array, final, plan), plan)
        case "to device":
            return _array_copy(array, job.target.__dlpack_device__(), final, plan)
        case "host copy":
            return _array_copy(array, (1, 0), array.stream or copying_queue(job.source), plan)
        case "host view":
            return _array_host_view(array, plan)
    return _viewed_or_copied(plan, job, array)


def _viewed_or_copied(plan: Plan, job: Job, array: Array) -> Array:
    if array.memory_kind in ("shared", "host"):
        return _array_host_view(array, plan)
    if job.request.copy is False:
        raise BufferError(
            f"copy=False, but the host cannot read this {job.source} memory.\n"
            "  Pass copy=None or copy=True."
        )
    return _array_copy(array, (1, 0), array.stream or copying_queue(job.source), plan)


def _delivered(job: Job, array: Array) -> Any:
    if job.peer is None or job.consumer is None:
        return array
    ready = fitted(job.peer, job.consumer, array, job.request.copy)
    named = job.reading.stream if job.reading.reader == "named" else None
    return give(job.peer, job.consumer, ready, named)
