# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What a hand-off refuses only once x has been imported, told without exporting x.

Where a row says how an array is read without a call into its library, it is read here, and let go
again. Of other arrays only their export would tell, and that is for the hand-off to make.
"""

from anystream._core import Array, _array_empty, parse_dtype
from anystream._facts import Job
from anystream._fit import check_fit, elements_for
from anystream._memory import Triple, wrapped
from anystream._peer import follow
from anystream._plan import Plan
from anystream._routes import taken, taken_on_device
from anystream._typestr import DTYPES

_CPU = 1
_HOST = (1, 0)


def rehearse(plan: Plan, job: Job) -> None:
    """Raise what handing x over as planned would raise for its elements and its layout.

    Raises DeclinedError where x is to be planned without its quick way.
    """
    peer, consumer = job.peer, job.consumer
    array = _read(plan, job)
    if peer is None or consumer is None:
        return
    if array is not None:
        elements_for(peer, consumer, array)
        row_major = _is_put_in_order(plan, array)
        check_fit(peer, consumer, array, job.request.copy, row_major=row_major)
    elif dtype := _told_dtype(job):
        elements_for(peer, consumer, _array_empty((0,), dtype, _HOST))


def _read(plan: Plan, job: Job) -> Array | None:
    """Import an array that is read where it is; None where its library would be called."""
    x, told = job.request.x, job.told
    if told.memory is not None:
        return wrapped(told.memory, None, plan)
    match plan.actions.route:
        case "array":
            return x  # type: ignore[no-any-return]
        case "usm struct":
            return taken_on_device(plan, x, job.source)
        case "array struct":
            return taken(plan, told, x)
        case "table" if told.peer is not None:  # of another class it might be an export like any
            return taken(plan, told, x)
    return None


def _told_dtype(job: Job) -> Triple | None:
    """Give the type of the elements by the row's path: their values may be yet to be computed."""
    path, names = job.told.row.route_types
    if not path or (name := str(follow(job.request.x, path))) not in names:
        return None
    return DTYPES.get(name) or parse_dtype(name.rpartition(".")[2])


def _is_put_in_order(plan: Plan, array: Array) -> bool:
    """Tell whether the plan copies an array into row-major order; on a device its strides stay."""
    moves = plan.actions.moves
    if "host view or copy" in moves:
        return array.memory_kind not in ("shared", "host")
    if "copy" in moves:
        return array.__dlpack_device__()[0] == _CPU
    return not {"host copy", "to device", "copy to fit"}.isdisjoint(moves)
