# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""From the facts of a hand-off to what is done. No array, stream or library is touched here."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from anystream._core import OrderingError
from anystream._device import Device
from anystream._peer import Does, Frees
from anystream._plan import EndsOn, Move, Orders, Proof, Route, Sends, Step
from anystream._release import Release
from anystream._warnings import refuse_readonly

Ordering = Literal["device", "host", "none"]
Relation = Literal["", "same", "same_out_of_order", "different", "unrelated"]
# The stream that the result is for: named by the user; the consumer library's own; nobody's, since
# the array stays where its work is; unwanted (-1); one that the library has but does not tell; or
# none, because the result is on the host.
Reader = Literal["named", "current", "stays", "unordered", "unknown", "host"]

_CPU = 1


@dataclass(frozen=True, slots=True)
class Facts:
    """All that a plan depends on; equal facts have one plan."""

    producer: str
    route: Route
    source: Device
    # "word": no row tells, so ordering is the producer's word; "idle": its interface says that
    # nothing is pending.
    does: Does | Literal["word", "idle"]
    quiet: int | None
    sendable: bool  # its __dlpack__ has the keyword `stream`
    choosable: bool  # anystream can choose a stream of the device where nobody names one
    streams: str  # where the producer's streams were found, in words; "" if they are not known
    several: bool
    vouched: bool  # the streams are those that the producer itself orders from
    memory: str
    consumer: str  # a peer; "" for an anystream.Array
    target: Device
    reader: Reader
    reader_is: str  # in words
    relation: Relation
    overtakes: bool  # the stream that is to wait is out-of-order, and its barriers may not hold
    ordering: Ordering
    copy: bool | None
    copies: bool  # the consumer copies host memory by itself
    backend: Literal["ready", "missing", "none"]  # can anystream itself order on the device?
    # The producer's library may hold work that is not on the device yet: what hands it over, and
    # what waits for it, in words; "" where it does not.
    commits: str = ""
    waits: str = ""
    alignment: int = 1  # bytes: the consumer copies host memory that starts at no multiple
    # Is the memory read-only, where writing is meant or the consumer's arrays cannot say so? Import
    # tells of some.
    readonly: Literal["no", "yes", "perhaps"] = "no"
    writes: bool = False  # writing is meant, and the memory may be read-only
    release: Release = "ordered"
    # "ours": an Array, which has a way back itself; "elsewhere": in the order of a stream of its
    # library's choice, which need not be the one that was named.
    frees: Frees | Literal["ours", "elsewhere"] = "immediate"


class Order(NamedTuple):
    """How pending work is dealt with; the fields are those of a plan's actions."""

    sends: Sends
    orders: Orders
    ends_on: EndsOn
    step: Step
    proof: Proof


class DriverMissingError(Exception):
    """Ordering is for anystream to do, and it cannot: the caller raises DriverUnavailable."""


def decide_order(facts: Facts) -> Order:
    """Decide how pending work is dealt with.

    Raises OrderingError where order cannot be had, DriverMissingError where only a backend that
    this version does not have could order.
    """
    if facts.source.type == _CPU:
        return _on_the_host(facts)
    if wants_no_order(facts):
        why = "it was asked for: ordering='none', or -1 as a stream"
        return Order("quiet", "nothing", _stays_on(facts), Step("none", why), "")
    if facts.streams:
        return _known(facts)
    return _unknown(facts)


def wants_no_order(facts: Facts) -> bool:
    """Tell whether it was said that nothing is to be ordered."""
    return facts.ordering == "none" or facts.reader == "unordered"


def _on_the_host(facts: Facts) -> Order:
    ends_on = _elsewhere(facts)
    if facts.does == "waits":
        why = f"{facts.producer} evaluates late: its __dlpack__ waits until the values are there"
        return Order("nothing", "nothing", ends_on, Step("by the producer", why), "nothing")
    why = "what is in host memory is there; no stream is sent to its producer"
    return Order("nothing", "nothing", ends_on, Step("nothing to order", why), "nothing")


def _stays_on(facts: Facts) -> EndsOn:
    if facts.target != facts.source:
        return _elsewhere(facts)
    return "producer" if facts.reader in ("stays", "unordered", "unknown") else "consumer"


def _elsewhere(facts: Facts) -> EndsOn:
    """Give the stream of a result that is not where the producer's work is."""
    if facts.target.type == _CPU:
        return "nothing"
    return "consumer" if facts.reader in ("named", "current") else "own queue"


# -- the producer's stream is known ---------------------------------------------------------------


def _known(facts: Facts) -> Order:
    if facts.reader == "stays" and facts.source == facts.target:
        return _stay(facts)
    if facts.reader == "stays":
        return _host_wait(facts)
    if facts.reader in ("host", "unknown") or facts.ordering == "host":
        return _host_wait(facts)
    if facts.backend == "ready":
        return _by_hand(facts)
    if facts.relation == "same":
        return Order("quiet", "nothing", "consumer", _RELATIONS["same"], "device")
    if facts.does == "orders" and facts.vouched and facts.sendable:
        return _by_producer(facts)
    raise DriverMissingError


def _stay(facts: Facts) -> Order:
    if facts.ordering == "host":
        return _host_wait(facts)
    if not facts.several:
        why = "the array stays on its producer's stream and is ordered when it is handed on"
        step, proof = _on_device(facts, Step("nothing yet", why))
        return Order("quiet", "nothing", "producer", step, proof)
    if facts.backend != "ready":
        raise DriverMissingError
    why = "the array stays on the first stream, which waits for the others"
    step, proof = _on_device(facts, Step("record, wait", why))
    return Order("quiet", "join", "producer", step, proof)


def _host_wait(facts: Facts) -> Order:
    if facts.backend != "ready":
        raise DriverMissingError
    reasons = {
        "host": "the host reads the values",
        "stays": "the values go through the host",
        "unknown": f"{facts.consumer} names no stream of {facts.target} that could wait",
    }
    why = "ordering='host' asks for it" if facts.ordering == "host" else reasons[facts.reader]
    step = Step("host wait if work is pending", why)
    return Order(_quietly(facts), "host", _stays_on(facts), step, "host")


_RELATIONS: dict[str, Step] = {
    "same": Step("nothing", "both are one in-order stream"),
    "same_out_of_order": Step(
        "barrier", "both are one out-of-order queue: a barrier holds later work back"
    ),
    "different": Step(
        "record, wait", "the consumer's stream waits on the device for what is pending now"
    ),
    "unrelated": Step(
        "host wait if work is pending", "the streams belong to platforms that share no event"
    ),
}


def _by_hand(facts: Facts) -> Order:
    orders: Orders = "nothing" if facts.relation == "same" and not facts.several else "device"
    step, proof = _on_device(facts, _RELATIONS[facts.relation])
    if facts.relation == "unrelated":
        proof = "host"
    return Order(_quietly(facts), orders, "consumer", step, proof)


def _on_device(facts: Facts, step: Step) -> tuple[Step, Proof]:
    """Give what the device does, and whether it does so for certain."""
    if not facts.overtakes:
        return step, "device"
    whose = "array's" if facts.reader == "stays" else "consumer's"
    return Step(
        step.what,
        f"{step.why}; the {whose} queue is out-of-order: the host waits where a barrier would not "
        "hold",
    ), "barrier"


def _quietly(facts: Facts) -> Sends:
    """Call the producer so that it does nothing; one without a row gets what it must understand."""
    if facts.does != "word" or not facts.sendable:
        return "quiet"
    if facts.reader in ("named", "current"):
        return "consumer"
    return "own queue" if facts.choosable else "quiet"


# -- the producer's stream is not known -----------------------------------------------------------


def _unknown(facts: Facts) -> Order:
    if facts.does == "waits" or facts.waits:
        return _waited_for(facts)
    if facts.does == "idle":
        why = "its interface says that nothing is pending: it names no stream"
        step = Step("nothing to order", why)
        return Order("nothing", "nothing", _stays_on(facts), step, "nothing")
    if facts.route in ("capsule", "array", "cuda interface"):
        return _nothing_known(facts, f"{facts.producer} names no stream; producer_stream= does")
    if facts.does in ("orders", "word") and facts.sendable and (_wants(facts) or facts.choosable):
        return _by_producer(facts)
    if facts.reader == "stays" and facts.ordering == "device":
        return _nothing_known(facts, f"{facts.producer} names no stream; producer_stream= does")
    if facts.backend == "none":
        return _nothing_known(facts, f"nobody here knows of streams of {facts.source}")
    if facts.backend == "missing":
        raise DriverMissingError
    ignores = " ignores the stream that it is given and" if facts.route == "dlpack" else ""
    raise OrderingError(
        f"{facts.producer}{ignores} names no stream of its own, so nothing can be ordered after "
        f"its work on {facts.source}.\n"
        "  Pass producer_stream=, the stream that wrote x; or, if nothing is pending, "
        "ordering='none' (without strict=True)."
    )


def _waited_for(facts: Facts) -> Order:
    """Have the producer's library wait on the host, in its ``__dlpack__`` or by a function."""
    if facts.does == "waits":
        why = f"__dlpack__ of {facts.producer} waits on the host until the values are there"
        return Order("nothing", "nothing", _stays_on(facts), Step("by the producer", why), "host")
    why = (
        f"{facts.producer} tells no stream of {facts.source}, and may hold work that it has not "
        f"committed: {facts.waits} commits it and waits until it has ended"
    )
    return Order("quiet", "nothing", _stays_on(facts), Step("host wait", why), "host")


def _wants(facts: Facts) -> bool:
    """Tell whether there is a consumer's stream that a producer could be sent."""
    return facts.reader in ("named", "current") and facts.ordering == "device"


def _nothing_known(facts: Facts, why: str) -> Order:
    step = Step("nothing is known to be pending", why)
    stays = facts.reader == "stays" and facts.source == facts.target
    ends_on = "nothing" if stays else _stays_on(facts)
    return Order("quiet", "nothing", ends_on, step, "")


def _by_producer(facts: Facts) -> Order:
    """Name the stream to the producer, and let it order."""
    proof: Proof = "device" if facts.does == "orders" else "word"
    word = "" if facts.does == "orders" else "; no row of the table vouches for it"
    if _wants(facts):
        why = f"{facts.producer} makes the stream that it is given wait{word}"
        return Order("consumer", "nothing", "consumer", Step("by the producer", why), proof)
    why = f"{facts.producer} makes a stream wait that anystream gives it{word}"
    if facts.reader == "stays" and facts.ordering == "device":
        return Order("own queue", "nothing", "own queue", Step("by the producer", why), proof)
    if facts.backend != "ready":
        raise DriverMissingError
    step = Step("by the producer, then host wait", f"{why}, and the host waits for that stream")
    ends_on = _stays_on(facts)
    return Order(
        "own queue", "host", "own queue" if ends_on == "producer" else ends_on, step, "host"
    )


# -- memory ---------------------------------------------------------------------------------------


def decide_moves(facts: Facts) -> tuple[Move, ...]:
    """Decide what becomes of the memory. Raises BufferError for a copy that is forbidden."""
    if facts.copies and facts.copy is False:
        raise BufferError(
            f"copy=False, but {facts.consumer} copies whatever it imports from the host.\n"
            "  Pass copy=None or copy=True."
        )
    # A consumer that copies needs no copy of ours, but for a layout that it does not take.
    copied: tuple[Move, ...] = ()
    if facts.copy:
        copied = ("copy to fit",) if facts.copies else ("copy",)
    if facts.source == facts.target:
        return copied
    if facts.target.type != _CPU:
        _refuse_move(facts, f"{facts.source} memory is not {facts.target} memory")
        return ("to device",) if facts.source.type == _CPU else ("host copy", "to device")
    if facts.memory == "device" or copied == ("copy",):
        _refuse_move(facts, "the host cannot read the memory where it is")
        return ("host copy",)
    if facts.memory in ("shared", "host"):
        return ("host view", *copied)
    return ("host view or copy", *copied)


def _refuse_move(facts: Facts, why: str) -> None:
    if facts.copy is False:
        raise BufferError(
            f"copy=False, but {why}: {facts.producer} on {facts.source} to "
            f"{facts.consumer or 'an Array'} on {facts.target} takes a copy.\n"
            "  Pass copy=None or copy=True."
        )


# Moves that make new memory, which may be written to.
_COPIES: frozenset[Move] = frozenset(("copy", "host copy", "host view or copy", "to device"))


def check_writing(facts: Facts, moves: tuple[Move, ...], *, strict: bool) -> None:
    """Raise BufferError for a view of read-only memory that is refused; import tells of others."""
    if facts.readonly == "yes" and not facts.copies and _COPIES.isdisjoint(moves):
        refuse_readonly(facts.producer, facts.consumer, writable=facts.writes, strict=strict)
