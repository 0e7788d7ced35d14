# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Shows that no route is lazy: what an import reads is there, is right, is ours, and is let go.

For the same arrays as are timed, and for one of another shape, dtype and layout of each library:
the facts of the Array are those that the library itself tells; they stay when the library changes
its own array in place; the memory lives as long as the Array, and no longer.
"""

import gc
import importlib
from collections.abc import Callable, Sequence
from typing import Any

import anystream
from producers import PRODUCERS, Producer
from rotation import Effort, print_note
from truths import TRUTHS, Truth

TITLE = "no route is lazy"
SAME = "facts as its own"
KEPT = "kept when it changes"
RELEASED = "owner held, then released"


def check(true: object, route: str, what: str) -> None:
    """Raise if something does not hold: the figures of this run would be worth nothing."""
    if not true:
        raise RuntimeError(f"the import {route} is not whole: {what}")


def _route(array: Any) -> str:
    return f"by {anystream.explain(array).actions.route!r}"


def _ours(array: anystream.Array) -> dict[str, Any]:
    return {
        "pointer": array.data_ptr + array.byte_offset,
        "shape": array.shape,
        "strides": array.strides,
        "dtype": str(array.dtype),
        "readonly": array.readonly,
        "device": array.__dlpack_device__(),
    }


def _theirs(array: Any, truth: Truth) -> dict[str, Any]:
    return {
        "pointer": truth.pointer(array),
        "shape": tuple(array.shape),
        "strides": truth.strides(array),
        "dtype": str(array.dtype).rpartition(".")[2],
        "readonly": truth.readonly(array),
        "device": tuple(map(int, array.__dlpack_device__())),
    }


def _check_facts(array: Any, truth: Truth) -> None:
    ours, theirs = _ours(anystream.from_dlpack(array)), _theirs(array, truth)
    wrong = [
        f"{name} {ours[name]}, not {theirs[name]}" for name in ours if ours[name] != theirs[name]
    ]
    check(not wrong, _route(array), ", ".join(wrong))


def _check_copied(array: Any, change: Callable[[Any], object]) -> None:
    ours = anystream.from_dlpack(array)
    before = _ours(ours)
    change(array)
    check(
        tuple(array.shape) != before["shape"], _route(array), "the library did not change its own"
    )
    check(_ours(ours) == before, _route(array), "it follows a change of the library's own array")


def _check_released(truth: Truth, modules: Sequence[Any]) -> None:
    array, alive = truth.watched(*modules)
    route, ours = _route(array), anystream.from_dlpack(array)
    del array
    gc.collect()
    check(alive(), route, "its memory was freed while in use")
    check(ours.size > 0, route, "it has no elements")
    del ours
    gc.collect()
    check(not alive(), route, "its memory is still held after the Array has gone")


def _shown(producer: Producer) -> str:
    if why := producer.why_not():
        return f"{producer.library:10} {why}"
    truth = TRUTHS[producer.library]
    modules = [importlib.import_module(name) for name in (*producer.modules, *truth.modules)]
    array = producer.make()
    shown = [SAME]
    for each in (array, truth.another(*modules)):
        _check_facts(each, truth)
    if truth.change is not None:
        _check_copied(producer.make(), truth.change)
        shown.append(KEPT)
    _check_released(truth, modules)
    shown.append(RELEASED)
    return f"{producer.library:10} {_route(array):20} {', '.join(shown)}"


def bench_whole(_effort: Effort) -> None:
    """Print a line for each library; raise if one of its routes is not whole."""
    print_note(TITLE, [_shown(producer) for producer in PRODUCERS])
