# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The one plan of each set of facts, in words."""

from threading import RLock
from typing import Literal
from weakref import WeakValueDictionary

from anystream._core import OrderingError
from anystream._decide import (
    Facts,
    Order,
    check_writing,
    decide_moves,
    decide_order,
    wants_no_order,
)
from anystream._plan import Actions, Move, Plan, Proof, Route, Step
from anystream._release_words import decide_release
from anystream._streams import row_of

_CPU = 1

# The plans of late, and all that anybody still holds: plans are compared by identity, so a set of
# facts must not get a second one while there is a first. Classes that a program makes on and on
# have facts of their own, so the former must not grow without bound.
_recent: dict[Facts, Plan] = {}
_MOST_PLANS = 1000
_living: WeakValueDictionary[Facts, Plan] = WeakValueDictionary()
_one_at_a_time = RLock()

# What strict refuses, and how to mend it.
_NAME_IT = "Name the stream that x's work is on: producer_stream=."
_UNPROVED = {
    "": _NAME_IT,
    "word": _NAME_IT,
    "barrier": "Name an in-order queue, or let the host wait: pass strict=False.",
    "host": "Let the host wait: pass strict=False.",
}


def plan_for(facts: Facts, *, strict: bool) -> Plan:
    """Give the one plan of these facts.

    Raises BufferError for an impossible hand-off, OrderingError (strict, or where order cannot be
    had at all) and DriverMissingError.
    """
    plan = _recent.get(facts) or _remembered(facts)
    check_writing(facts, plan.actions.moves, strict=strict)
    if strict and plan.actions.proof in _UNPROVED:
        raise OrderingError(
            "strict=True: the order cannot be proved on the device. The plan was: "
            f"{plan.ordering.what} ({plan.ordering.why}).\n  {_cure(facts, plan.actions.proof)}"
        )
    return plan


def _cure(facts: Facts, proof: Proof) -> str:
    if proof == "" and wants_no_order(facts):
        return (
            "strict=True asks for an order that is proved, ordering='none' and -1 ask for none: "
            "leave one of the two out."
        )
    if proof == "" and facts.backend != "ready":
        return (
            f"anystream orders no streams of {facts.source}: order x with the library that owns "
            "it, then pass strict=False."
        )
    return _UNPROVED[proof]


def _remembered(facts: Facts) -> Plan:
    with _one_at_a_time:
        plan = _living.get(facts)
        if plan is None:
            _living[facts] = plan = _plan(facts, decide_order(facts), decide_moves(facts))
        if len(_recent) >= _MOST_PLANS:
            _recent.clear()
        _recent[facts] = plan
        return plan


def _plan(facts: Facts, order: Order, moves: tuple[Move, ...]) -> Plan:
    back = decide_release(facts, moves)
    return Plan(
        producer=Step(facts.producer, _PRODUCERS[_knowledge(facts)]),
        consumer=Step(*_consumer_words(facts)),
        device=_device_step(facts),
        protocol=Step(*_PROTOCOLS[facts.route]),
        stream=Step(*_stream_words(facts, order)),
        ordering=_with_commit(facts, order.step),
        copy=_copy_step(facts, moves),
        release=back.step,
        actions=Actions(
            facts.route,
            order.sends,
            facts.quiet,
            order.orders,
            moves,
            order.ends_on,
            order.proof,
            back.release,
            back.frees_in_order,
            _flush(facts),
        ),
    )


def _flush(facts: Facts) -> Literal["", "commit", "wait"]:
    if not facts.waits or wants_no_order(facts):
        return ""
    return "commit" if facts.streams else "wait"


def _with_commit(facts: Facts, step: Step) -> Step:
    if _flush(facts) != "commit":
        return step
    why = f"{facts.commits} commits first what {facts.producer} may hold back"
    return Step(step.what, f"{step.why}; {why}")


_PRODUCERS = {
    "row": "its row of the peers table says how it exports",
    "ours": "one of our own: nothing is called",
    "none": "no row of the peers table: called by its signature",
    "capsule": "it says nothing of its producer",
    "interface": "its interface describes its memory: nothing of it is called",
}


def _knowledge(facts: Facts) -> str:
    if facts.route in ("array", "capsule"):
        return "ours" if facts.route == "array" else "capsule"
    if facts.route in ("cuda interface", "usm", "array interface", "handle"):
        return "interface"
    return "none" if facts.does == "word" else "row"


def _consumer_words(facts: Facts) -> tuple[str, str]:
    if facts.consumer:
        return facts.consumer, "named by to="
    return "anystream.Array", "what from_dlpack gives"


def _device_step(facts: Facts) -> Step:
    missing = facts.route == "cuda interface" and facts.backend != "ready"
    assumed = _ASSUMED if missing else ""
    row = row_of(facts.source)
    if "callbacks" in row:
        assumed = f"; platform {row['id']}, which was registered"
    if facts.source == facts.target:
        return Step(str(facts.source), f"where the array is{assumed}")
    why = f"where the array is, and where it goes{assumed}"
    return Step(f"{facts.source} to {facts.target}", why)


_ASSUMED = "; the interface does not tell its number, and no driver could be asked: 0 is assumed"


_PROTOCOLS: dict[Route, tuple[str, str]] = {
    "array": ("none", "an anystream.Array is used as it is"),
    "dlpack": ("__dlpack__", "called once, with the keywords that it takes"),
    "array struct": (
        "the array's struct",
        "its layout is published, and this is the class that it is of, no subclass",
    ),
    "table": (
        "the C exchange API",
        (
            "its class has __dlpack_c_exchange_api__, and no subclass overrides __dlpack__; by the "
            "managed form, which keeps the memory and tells read-only"
        ),
    ),
    "buffer": ("the buffer protocol", "the buffer is held until the array goes"),
    "copied buffer": (
        "__copy__, then the buffer protocol",
        "the copy is a view, and keeps its memory when the array is given another",
    ),
    "usm struct": (
        "the array's struct",
        (
            "its layout and its queue's C exports are published, this is the class that they are "
            "of, no subclass, and its context is the one that DLPack's device numbers mean"
        ),
    ),
    "cuda interface": ("__cuda_array_interface__", "the producer has no __dlpack__"),
    "usm": ("__sycl_usm_array_interface__", "the producer has no __dlpack__"),
    "array interface": (
        "__array_interface__",
        "the producer has no __dlpack__, or none that knows the type of its elements",
    ),
    "handle": (
        "its handle",
        "the producer has no protocol: its row says where the array tells of its memory",
    ),
    "capsule": ("the capsule", "consumed"),
}


def _stream_words(facts: Facts, order: Order) -> tuple[str, str]:
    sent = {
        "nothing": "no stream is sent",
        "quiet": "the producer is asked to order nothing",
        "consumer": "the producer is sent the consumer's stream",
        "own queue": "the producer is sent a stream that anystream chose",
    }[order.sends]
    if facts.source.type == _CPU or facts.route != "dlpack":
        sent = "no stream is sent"
    producer = f"; producer's: {facts.streams}" if facts.streams else ""
    return facts.reader_is, sent + producer


def _copy_step(facts: Facts, moves: tuple[Move, ...]) -> Step:
    what = [_MOVES[move].format(facts.consumer) for move in moves]
    why = [_REASONS[move] for move in moves]
    if facts.copies:
        what.append(f"copy by {facts.consumer}")
        why.append("it copies whatever it imports from the host")
        return Step(", then ".join(what), "; ".join(why))
    if not what:
        what.append("view")
        why.append("the consumer uses the producer's memory, where it can take it as it is")
    if facts.readonly != "no" and not _copied(moves):
        why.append(_READ_ONLY["meant" if facts.writes else facts.readonly].format(facts.consumer))
    if facts.alignment > 1 and facts.copy is None and not _copied(moves):
        what[-1] += (
            f", or a copy by {facts.consumer} where the memory is not "
            f"{facts.alignment}-byte aligned"
        )
        why.append("its import tells where it is")
    return Step(", then ".join(what), "; ".join(why))


def _copied(moves: tuple[Move, ...]) -> bool:
    return any(move in moves for move in ("copy", "host copy", "to device"))


_READ_ONLY = {
    "yes": "it is read-only and {} cannot say so: do not write to it, or ask for copy=True",
    "perhaps": "where it is read-only, {} cannot say so: then do not write to it, or ask for "
    "copy=True; strict=True refuses it",
    "meant": "writing is meant: where it is read-only, it is refused",
}


_MOVES: dict[Move, str] = {
    "copy": "copy",
    "copy to fit": "copy where the layout is none that {} takes",
    "host view": "view",
    "host copy": "copy to the host",
    "host view or copy": "view, else copy to the host",
    "to device": "copy to the device",
}
_REASONS: dict[Move, str] = {
    "copy": "copy=True asks for it",
    "copy to fit": "a layout is mended by a copy only, and copy=True allows it",
    "host view": "the host can read this memory",
    "host copy": "only the device can read the memory where it is",
    "host view or copy": "a view if the host can read the memory, which its import will tell",
    "to device": "the consumer reads the device's memory only; the host waits for the copy",
}
