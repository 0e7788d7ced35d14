# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The quick ways to import an array: for which arrays they are right, and taking them.

They read what ``__dlpack__`` would tell, without the call. So they are for exactly the classes that
a row names, or that bring DLPack's C exchange API: a subclass may mean more than its memory.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from anystream._core import (
    Array,
    Stream,
    _has_exchange_table,
    _has_handover,
    _import_by,
    _import_usm,
    _remember_handover,
    _remember_route,
    _remember_usm_queue,
    parse_dtype,
)
from anystream._device import Device
from anystream._natives import natives_of
from anystream._peer import Consumer, follow
from anystream._plan import Plan, Route
from anystream._producer import ProducerType, translate_table_error
from anystream._recognise import row_class

if TYPE_CHECKING:
    from anystream._core import _RouteRow

_HOST = (1, 0)
QUICK: frozenset[Route] = frozenset(("array struct", "table", "buffer", "copied buffer"))


def route_of(told: ProducerType, x: Any, source: Device, *, quick: bool) -> Route:
    """Choose how an array is imported: quickly where that is right, else as its class tells."""
    if not quick or told.route != "dlpack":
        return told.route
    if source.__dlpack_device__() != _HOST:
        return _route_on_device(told, x)
    kind = type(x)
    if told.peer is None:
        return "table" if _has_exchange_table(kind) else "dlpack"
    if row_class(kind) is not kind or told.overridden or not type_fits(told, x):
        return "dlpack"
    if told.row.route == "table" and not _has_exchange_table(kind):  # an older version of it
        return "dlpack"
    return told.row.route if told.row.route in QUICK else "dlpack"


def _route_on_device(told: ProducerType, x: Any) -> Route:
    kind, row = type(x), told.row
    if row.route != "usm struct" or row_class(kind) is not kind or told.overridden:
        return "dlpack"
    context, expected = row.route_same
    return row.route if follow(x, context) == follow(x, expected) else "dlpack"


def type_fits(told: ProducerType, x: Any) -> bool:
    """Tell whether an array's elements are of a type that the row's quick way is right for."""
    path, names = told.row.route_types
    return not path or str(follow(x, path)) in names


class DeclinedError(Exception):
    """A quick way is not for this one array after all: it is to be planned without."""


def taken(plan: Plan, told: ProducerType, x: Any) -> Array:
    """Import an array by its plan's quick way; an error of the array's own goes through."""
    row = told.row
    try:
        array = _import_by(x, plan.actions.route, plan, row.immutable, row.offset)
    except Exception as error:
        translate_table_error(told, error)
        raise
    if array is None:
        raise DeclinedError
    return array


def taken_on_device(plan: Plan, x: Any, source: Device) -> Array:
    """Import an array of a device by its plan's quick way; it is on no stream yet."""
    array = _import_usm(x, plan, source.__dlpack_device__())
    if array is None:
        raise DeclinedError
    return array


def remember_queue(plan: Plan, told: ProducerType, x: Any, stream: Stream, source: Device) -> None:
    """Tell the extension how ``from_dlpack(x)`` imports the arrays of a queue."""
    queue = follow(x, told.row.own_stream)
    _remember_usm_queue(x, queue, stream, plan, source.__dlpack_device__())
    remember_route(plan, told, x)


def remember_route(plan: Plan, told: ProducerType, x: Any) -> None:
    """Tell the extension how ``from_dlpack(x)`` imports arrays of x's class, if no call need plan.

    It forgets what was told of a class that has been changed since.
    """
    if _is_quick(plan, told):
        _remember_route(x, _row(plan, told, x))


def _is_quick(plan: Plan, told: ProducerType) -> bool:
    """Tell whether a plan goes the way that arrays of its very class go without being planned."""
    route = plan.actions.route
    if told.peer is not None and (route != told.row.route or told.overridden):
        return False
    return route != "dlpack" or _ignores_streams(told)


def _row(plan: Plan, told: ProducerType, x: Any) -> "_RouteRow":
    route, row = plan.actions.route, told.row
    way = "bare dlpack" if route == "dlpack" and row.flagless else route
    natives, asks_device = natives_of(row, x), told.peer is None
    return (way, plan, row.immutable, row.forbids, row.offset, natives, asks_device)


def remember_handover(plan: Plan, told: ProducerType, x: Any, to: Any, consumer: Consumer) -> None:
    """Tell the extension how ``handoff(x, to=to)`` of x's class is done, if no call need plan."""
    if not consumer.quick or not _is_quick(plan, told) or _has_handover(x, to):
        return
    target = None
    if consumer.quick == "table":
        target = follow(import_module(consumer.module), consumer.array)
    triples = [parse_dtype(name) for name in consumer.dtypes] if target else []
    backwards = consumer.layout == "any"
    _remember_handover(x, to, _row(plan, told, x), target, backwards, triples)


def _ignores_streams(told: ProducerType) -> bool:
    """Tell whether one bare call is what any array of the class is exported by."""
    return "max_version" in told.keywords and all(
        row.does == "ignores" and row.quiet is None for row in told.row.behaviour
    )
