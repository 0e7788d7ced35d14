# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The usual call, a host array of a library with a row and no stream named, without planning anew.

What a plan depends on there is the same for all arrays of a class but for what is asked of each
array again: where it is, whether its library would export it wrongly, whether it may be written to.
"""

from typing import Any, NamedTuple

from anystream._facts import Job
from anystream._peer import Consumer, Peer, Refusal
from anystream._plan import Plan
from anystream._producer import (
    ProducerType,
    applies,
    is_of_a_library,
    keywords_for,
    may_not_write,
    producer_type,
)
from anystream._routes import QUICK, remember_handover, remember_queue, remember_route, type_fits

HOST = (1, 0)


class Known(NamedTuple):
    """A plan and all that it takes to execute it on another array of the class."""

    told: ProducerType
    plan: Plan
    keywords: dict[str, Any]  # of the call of __dlpack__
    peer: Peer | None
    consumer: Consumer | None
    refusals: tuple[Refusal, ...]  # those that one array of a class may meet, and another not
    readonly: str | None  # what the plan says of writing; None: nothing
    fits: bool  # are its elements of a type that the row's quick way is right for?


_known: dict[tuple[Any, ...], Known] = {}
_MOST = 1000


def known(x: Any, to: Any, copy: bool | None, ordering: str, strict: bool) -> Known | None:
    """Find the plan of a call that names no device and no stream; None: it must be planned."""
    key = (type(x), to, copy, ordering, strict)
    found = _known.get(key)
    if found is not None and found.readonly is not None:
        found = _known.get((*key, may_not_write(found.told, x)))
    if found is None or producer_type(x) is not found.told:
        return None
    for refusal in found.refusals:
        if applies(refusal, x):
            return None
    if x.__dlpack_device__() != HOST:
        return None
    if type_fits(found.told, x) is not found.fits:  # jax's bfloat16 goes another way than float32
        return None
    return found


def remember(plan: Plan, job: Job) -> None:
    """Keep a plan, if it is one of a usual call."""
    request, told = job.request, job.told
    named = (request.device, request.stream, request.producer_stream)
    if any(value is not None for value in named) or is_of_a_library(told):
        return
    usual = (request.copy, request.ordering) == (None, "device")
    as_usual = usual and request.release == "ordered"
    if plan.actions.route == "usm struct" and as_usual and request.to is None:
        remember_queue(plan, told, request.x, job.producers[0], job.source)
    if not _plain(plan, job):
        return
    # Strict or not: where such a plan may be refused, because memory is read-only, it is asked.
    if usual and not request.writable:
        if job.consumer is None:
            remember_route(plan, told, request.x)
        else:
            remember_handover(plan, told, request.x, request.to, job.consumer)
    if plan.actions.route == "array":
        return
    if len(_known) >= _MOST:  # classes that a program makes on and on must not pile up
        _known.clear()
    lost = job.consumer is not None and job.consumer.readonly == "lost"
    quiet = plan.actions.quiet
    asks = plan.actions.sends == "quiet" and quiet is not None
    key = (type(request.x), request.to, request.copy, request.ordering, request.strict)
    readonly = may_not_write(told, request.x) if lost else None
    _known[key] = known_now = Known(
        told,
        plan,
        keywords_for(told, {"stream": quiet} if asks else {}),
        job.peer,
        job.consumer,
        tuple(row for row in told.row.refusals if not row.test.startswith("class ")),
        readonly,
        type_fits(told, request.x),
    )
    if readonly is not None:  # the plan tells of it, so there is one for each answer
        _known[*key, readonly] = known_now


def forget_known() -> None:
    """Forget the plans of usual calls: there are new rows."""
    _known.clear()


def _plain(plan: Plan, job: Job) -> bool:
    """Tell whether a plan is to export a host array, and to do nothing else about it."""
    actions, row = plan.actions, job.told.peer and job.told.peer.producer
    done = (actions.orders, actions.moves, actions.ends_on)
    at_home = job.source == job.target and job.source.__dlpack_device__() == HOST
    predicates = job.consumer.takes if job.consumer else ((HOST[0], ""),)
    return (
        (row is not None or actions.route in ("table", "array"))
        and at_home
        and (actions.route in ("dlpack", "array") or actions.route in QUICK)
        and done == ("nothing", (), "nothing")
        and (HOST[0], "") in predicates
    )
