# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Handing an array over: the functions that users call."""

from contextlib import suppress
from types import ModuleType, NoneType
from typing import Any, Literal, NamedTuple, TypedDict, TypeVar, Unpack, overload

from anystream._arguments import check_policy, tells_its_parameters
from anystream._consumer import consumer_peer
from anystream._core import Array, Stream, _has_route, _make_room
from anystream._device import DeviceLike
from anystream._execute import (
    acquire,
    execute,
    execute_known,
    finish,
    give_known,
    order,
    own_queue_of,
)
from anystream._facts import Job, Request, check_many, prepare
from anystream._known import Known, known, remember
from anystream._many import Many, Once, is_many, many_of
from anystream._plan import Plan
from anystream._rehearse import rehearse
from anystream._release import Release, release_here
from anystream._routes import DeclinedError, remember_handover, remember_route
from anystream._strict import strict_here

_CPU = 1
Ordering = Literal["device", "host", "none"]
_Key = TypeVar("_Key")


SIGNATURE = (
    "handoff(x, *, to, stream=None, producer_stream=None, ordering='device', copy=None, "
    "device=None, strict=None, writable=False, release=None)"
)


def handoff(
    x: Any,
    *,
    to: Any,
    stream: Any = None,
    producer_stream: Any = None,
    ordering: Ordering = "device",
    copy: bool | None = None,
    device: Any = None,
    strict: bool | None = None,
    writable: bool = False,
    release: Release | None = None,
) -> Any:
    """Give an array of any library to another one, ready to be used on a stream.

    The result is an array of the library ``to``, of the same shape, dtype and values, and a view of
    the same memory wherever the library can take it. What was pending on x when this was called is
    ordered before what is queued on ``stream`` afterwards, on the device, without the host waiting;
    ``explain`` with the same arguments shows how.

    A list, a tuple or a dict of arrays gives one of results: two streams are then ordered once,
    however many of the arrays are theirs.

    Args:
        x: An array of any library; an ``anystream.Array``; an object with ``__dlpack__``, with
            ``__cuda_array_interface__``, ``__sycl_usm_array_interface__``, ``__array_interface__``
            or the buffer protocol; or a DLPack capsule, which is consumed.
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
        strict: True for OrderingError instead of a plan whose order is not proved on the device,
            and BufferError instead of a view of read-only memory in a library that cannot say so.
            None: as ``anystream.strict()`` or ANYSTREAM_STRICT has it, else False.
        writable: The result is to be written to: BufferError instead of a view of read-only memory.
        release: What happens when the last reference to the result's memory goes, on a device with
            streams: "ordered", the producer's stream waits on the device for the streams that used
            it, and only then is it written, reused or freed; "deferred", the memory is kept until
            they are done, and nothing waits; "host", who lets go waits; "none", nothing is ordered.
            None: as ``anystream.releasing()`` has it, else "ordered".

    Warns:
        ReadOnlyWarning: read-only memory goes to a library whose arrays cannot say so; once for
            each pair of libraries.

    Raises:
        TypeError, ValueError: an argument is of the wrong type, or out-of-order, or unknown.
        BufferError: the exchange is impossible, or takes a copy that ``copy=False`` forbids; or the
            memory is read-only, and ``writable=True`` or ``strict=True`` refuses that.
        OrderingError: order cannot be had, or (strict) not be proved.
        DriverUnavailable: a driver that ordering needs is missing.
        ModuleNotFoundError: the library ``to`` is not installed.
        Errors of the producer itself come through as they are.

    Any thread, with the GIL; where a plan has the host wait, the GIL is dropped meanwhile.
    """
    if to is None:
        consumer_peer(to)  # no library: it says which there are
    check_policy("handoff", copy, ordering, strict, writable)
    strict, release = strict_here(strict), release_here(release, "handoff")
    if stream is None and producer_stream is None and device is None and not writable:
        found = _found(x, to, copy, ordering, strict=strict)
        if found is not None:
            with suppress(DeclinedError):
                result = execute_known(found, x, copy, strict=strict)
                if (copy, ordering) == (None, "device") and found.consumer:
                    remember_handover(found.plan, found.told, x, to, found.consumer)
                return result
    return _run(
        Request(
            x,
            to,
            stream,
            producer_stream,
            device,
            copy,
            ordering,
            strict,
            writable=writable,
            release=release,
        )
    )


class _Policies(TypedDict, total=False):
    """The keywords of ``explain``."""

    to: str | ModuleType | None
    stream: Any
    producer_stream: Any
    ordering: Ordering
    copy: bool | None
    device: DeviceLike | None
    strict: bool | None
    writable: bool
    release: Release | None


@overload
def explain(x: list[Any], **policies: Unpack[_Policies]) -> list[Plan]: ...
@overload
def explain(x: tuple[Any, ...], **policies: Unpack[_Policies]) -> tuple[Plan, ...]: ...
@overload
def explain(x: dict[_Key, Any], **policies: Unpack[_Policies]) -> dict[_Key, Plan]: ...
@overload
def explain(x: Any, **policies: Unpack[_Policies]) -> Plan: ...
@tells_its_parameters
def explain(
    x: Any,
    *,
    to: Any = None,
    stream: Any = None,
    producer_stream: Any = None,
    ordering: Ordering = "device",
    copy: bool | None = None,
    device: Any = None,
    strict: bool | None = None,
    writable: bool = False,
    release: Release | None = None,
) -> Any:
    """Show what ``handoff`` with these arguments does, or ``from_dlpack`` where ``to`` is None.

    Returns the very Plan that the hand-off executes. x is not exported, nothing is ordered and
    nobody waits; drivers are opened where it takes one to tell queues apart, and the library ``to``
    is imported. Raises what the hand-off would raise before it starts, or for elements and a layout
    that the library does not take, where looking at x tells them. Any thread, with the GIL.

    A list, a tuple or a dict of arrays gives one of plans; what they say of order is done once for
    each pair of streams.
    """
    if to is None and writable is not False:
        raise TypeError(
            "explain(writable=…) is of hand-offs to a library; got to=None.\n  Name it: to=."
        )
    strict = strict_here(strict)
    request = Request(
        x,
        to,
        stream,
        producer_stream,
        device,
        copy,
        ordering,
        strict,
        writable=writable,
        release=release_here(release, "explain"),
    )
    if not is_many(x):
        return _explained(request)
    many = many_of(x)
    check_many(request, empty=not many.arrays)
    return many.rebuilt(many.each(lambda one: _explained(request._replace(x=one)), many.arrays))


def _explained(request: Request) -> Plan:
    with suppress(DeclinedError):
        plan, job = prepare(request)
        rehearse(plan, job)
        return plan
    return prepare(request._replace(quick=False))[0]


def import_array(
    x: Any,
    *,
    device: Any = None,
    copy: bool | None = None,
    stream: Any = None,
    producer_stream: Any = None,
    ordering: Ordering = "device",
    strict: bool | None = None,
    release: Release | None = None,
    exported: Any = None,
    method: str = "",
) -> Any:
    """Import an array, or many, for ``from_dlpack``, which has the documentation.

    ``exported`` is the capsule that x has given already, by a bare call. ``method`` is the one of
    Array that was called, for messages.
    """
    strict = strict_here(strict)
    if exported is None and stream is None and producer_stream is None and device is None:
        found = _found(x, None, copy, ordering, strict=strict)
        if found is not None:
            with suppress(DeclinedError):
                array = execute_known(found, x, copy, strict=strict)
                # Not of an array that cannot be exported: it would not show how others are.
                if (copy, ordering) == (None, "device") and not _has_route(x):
                    remember_route(found.plan, found.told, x)
                return array
    request = Request(
        x,
        None,
        stream,
        producer_stream,
        device,
        copy,
        ordering,
        strict,
        exported,
        quick=exported is None,
        method=method,
        release=release_here(release, "from_dlpack"),
    )
    return _run(request)


def hand_on(x: Any, to: Any, array: Array) -> Any:
    """Do what ``handoff(x, to=to)`` does, where the extension has imported x already."""
    strict = strict_here(None)
    found = _found(x, to, None, "device", strict=strict)
    if found is not None:
        return give_known(found, array, None, strict=strict)
    release = release_here(None, "handoff")
    plan, job = prepare(Request(x, to, None, None, None, None, "device", strict, release=release))
    remember(plan, job)
    return execute(plan, job, array)


def _run(request: Request) -> Any:
    if is_many(request.x):
        return _run_many(request, many_of(request.x))
    with suppress(DeclinedError):
        plan, job = prepare(request)
        _make_room_for(job)
        result = execute(plan, job)
        if not request.writable:
            remember(plan, job)
        return result
    return execute(*prepare(request._replace(quick=False)))


def _found(x: Any, to: Any, copy: bool | None, ordering: str, *, strict: bool) -> Known | None:
    """Find the plan of a usual call."""
    if not isinstance(to, (str, ModuleType, NoneType)):
        return None
    return known(x, to, copy, ordering, strict)


def _make_room_for(job: Job) -> None:
    """Wait where more memory of devices waits to go back than may; host arrays need none of it."""
    if job.source.type != _CPU or job.target.type != _CPU:
        _make_room()


class _Stage(NamedTuple):
    """One of many arrays that has been imported."""

    plan: Plan
    job: Job
    own: Stream | None
    array: Array


def _run_many(request: Request, many: Many) -> Any:
    """Hand many arrays over in steps: all are planned, all imported, all ordered, all given.

    So nothing is exported before everything that can be refused beforehand was, and an event comes
    after all that the producers' exports may have left on their streams.
    """
    check_many(request, empty=not many.arrays)
    once = Once()
    planned = many.each(lambda x: prepare(request._replace(x=x)), many.arrays)
    for _, job in planned:
        _make_room_for(job)
    stages = many.each(lambda one: _imported_one(*one, once), planned)
    try:
        many.each(lambda stage: order(stage.plan, stage.job, stage.own, once), stages)
        return many.rebuilt(many.each(lambda stage: finish(*stage), stages))
    finally:
        stages.clear()  # an error's traceback must not keep what was imported


def _imported_one(plan: Plan, job: Job, once: Once) -> _Stage:
    own = own_queue_of(plan, job, once.own_queue)
    with suppress(DeclinedError):
        return _Stage(plan, job, own, acquire(plan, job, own))
    plan, job = prepare(job.request._replace(quick=False))
    return _Stage(plan, job, own, acquire(plan, job, own))
