# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The planner as a table: from facts, without any library, to what is done."""

from dataclasses import replace
from typing import Any

import pytest

from anystream import Device, OrderingError
from anystream._decide import DriverMissingError, Facts
from anystream._planner import plan_for

CPU, SYCL, CUDA, VULKAN = (Device(name) for name in ("cpu", "oneapi:0", "cuda:0", "vulkan:0"))

# A library with a row, on SYCL, whose queue is known, handed to another on a queue that was named.
BY_HAND = Facts(
    producer="p",
    route="dlpack",
    source=SYCL,
    does="orders",
    quiet=None,
    sendable=True,
    choosable=True,
    streams="x.queue",
    several=False,
    vouched=True,
    memory="device",
    consumer="c",
    target=SYCL,
    reader="named",
    reader_is="the one that was named",
    relation="different",
    overtakes=False,
    ordering="device",
    copy=None,
    copies=False,
    backend="ready",
)
HOST = {"target": CPU, "reader": "host", "relation": ""}
STAYS = {"consumer": "", "reader": "stays", "relation": ""}
OVERTAKES: dict[str, Any] = {"overtakes": True}
NOBODY = {"streams": "", "vouched": False, "relation": ""}
ON_CPU: dict[str, Any] = {"source": CPU, "memory": "", "backend": "ready"} | HOST | NOBODY
ON_CUDA = {"source": CUDA, "target": CUDA, "backend": "missing", "quiet": -1}

# changes to BY_HAND, then: what is ordered, the stream that is sent, what is done, where it ends.
TABLE: list[tuple[dict[str, Any], str, str, str, str]] = [
    ({}, "record, wait", "quiet", "device", "consumer"),
    ({"relation": "same"}, "nothing", "quiet", "nothing", "consumer"),
    ({"relation": "same_out_of_order"}, "barrier", "quiet", "device", "consumer"),
    ({"relation": "unrelated"}, "host wait if work is pending", "quiet", "device", "consumer"),
    ({"ordering": "host"}, "host wait if work is pending", "quiet", "host", "consumer"),
    ({"ordering": "none"}, "none", "quiet", "nothing", "consumer"),
    ({"reader": "unordered", "relation": ""}, "none", "quiet", "nothing", "producer"),
    ({"reader": "unknown"}, "host wait if work is pending", "quiet", "host", "producer"),
    (HOST, "host wait if work is pending", "quiet", "host", "nothing"),
    (STAYS, "nothing yet", "quiet", "nothing", "producer"),
    (STAYS | {"several": True}, "record, wait", "quiet", "join", "producer"),
    # the stream that is to wait is out-of-order
    (OVERTAKES, "record, wait", "quiet", "device", "consumer"),
    (OVERTAKES | {"relation": "same_out_of_order"}, "barrier", "quiet", "device", "consumer"),
    (OVERTAKES | STAYS | {"copy": True}, "nothing yet", "quiet", "nothing", "producer"),
    (OVERTAKES | STAYS | {"several": True}, "record, wait", "quiet", "join", "producer"),
    (STAYS | {"ordering": "host"}, "host wait if work is pending", "quiet", "host", "producer"),
    # the producer's stream is not known
    (NOBODY, "by the producer", "consumer", "nothing", "consumer"),
    (NOBODY | {"does": "word"}, "by the producer", "consumer", "nothing", "consumer"),
    (NOBODY | {"does": "waits"}, "by the producer", "nothing", "nothing", "consumer"),
    (NOBODY | STAYS, "by the producer", "own queue", "nothing", "own queue"),
    (NOBODY | HOST, "by the producer, then host wait", "own queue", "host", "nothing"),
    (
        NOBODY | {"ordering": "host"},
        "by the producer, then host wait",
        "own queue",
        "host",
        "consumer",
    ),
    (
        NOBODY | {"route": "capsule"},
        "nothing is known to be pending",
        "quiet",
        "nothing",
        "consumer",
    ),
    (NOBODY | {"route": "array"}, "nothing is known to be pending", "quiet", "nothing", "consumer"),
    (
        NOBODY | STAYS | {"does": "ignores"},
        "nothing is known to be pending",
        "quiet",
        "nothing",
        "nothing",
    ),
    # nor can one be chosen
    (
        NOBODY | STAYS | {"does": "word", "choosable": False},
        "nothing is known to be pending",
        "quiet",
        "nothing",
        "nothing",
    ),
    # nobody's class, but the user named its stream
    ({"does": "word", "vouched": False}, "record, wait", "consumer", "device", "consumer"),
    ({"does": "word", "sendable": False}, "record, wait", "quiet", "device", "consumer"),
    # the host's memory
    (ON_CPU, "nothing to order", "nothing", "nothing", "nothing"),
    (ON_CPU | {"does": "waits"}, "by the producer", "nothing", "nothing", "nothing"),
    (
        ON_CPU | {"target": SYCL, "reader": "named"},
        "nothing to order",
        "nothing",
        "nothing",
        "consumer",
    ),
    (
        ON_CPU | {"target": SYCL, "reader": "stays"},
        "nothing to order",
        "nothing",
        "nothing",
        "own queue",
    ),
    # a platform whose backend comes later
    (ON_CUDA, "by the producer", "consumer", "nothing", "consumer"),
    (ON_CUDA | {"relation": "same"}, "nothing", "quiet", "nothing", "consumer"),
    (ON_CUDA | STAYS, "nothing yet", "quiet", "nothing", "producer"),
    (ON_CUDA | {"ordering": "none"}, "none", "quiet", "nothing", "consumer"),
    (ON_CUDA | NOBODY, "by the producer", "consumer", "nothing", "consumer"),
    (ON_CUDA | NOBODY | STAYS, "by the producer", "own queue", "nothing", "own queue"),
    # a device type for which nobody agreed on streams
    (
        {"source": VULKAN, "target": VULKAN, "backend": "none", "does": "word"} | NOBODY,
        "by the producer",
        "consumer",
        "nothing",
        "consumer",
    ),
    (
        {"source": VULKAN, "target": VULKAN, "backend": "none", "does": "ignores"} | NOBODY,
        "nothing is known to be pending",
        "quiet",
        "nothing",
        "consumer",
    ),
]


def facts(changes: dict[str, Any]) -> Facts:
    return replace(BY_HAND, **changes)


@pytest.mark.parametrize(("changes", "ordering", "sends", "orders", "ends_on"), TABLE)
def test_what_is_done(
    changes: dict[str, Any], ordering: str, sends: str, orders: str, ends_on: str
) -> None:
    plan = plan_for(facts(changes), strict=False)
    assert plan.ordering.what == ordering
    assert (plan.actions.sends, plan.actions.orders, plan.actions.ends_on) == (
        sends,
        orders,
        ends_on,
    )


PROVED = [
    {},
    {"relation": "same"},
    STAYS,
    STAYS | {"several": True},
    NOBODY,
    NOBODY | STAYS,
    {"does": "word"},
    ON_CPU,
    ON_CPU | {"does": "waits"},
    ON_CUDA,
    ON_CUDA | {"relation": "same"},
]
UNPROVED = [
    OVERTAKES,
    OVERTAKES | {"relation": "same_out_of_order"},
    OVERTAKES | {"relation": "unrelated"},
    OVERTAKES | STAYS | {"copy": True},
    OVERTAKES | STAYS | {"several": True},
    {"relation": "unrelated"},
    {"ordering": "host"},
    {"ordering": "none"},
    {"reader": "unordered"},
    {"reader": "unknown"},
    HOST,
    NOBODY | HOST,
    NOBODY | {"does": "word"},
    NOBODY | {"does": "waits"},
    NOBODY | {"route": "capsule"},
    NOBODY | {"route": "array"},
    NOBODY | STAYS | {"does": "ignores"},
    NOBODY | STAYS | {"does": "word"},
]


@pytest.mark.parametrize("changes", PROVED)
def test_strict_takes_what_is_proved(changes: dict[str, Any]) -> None:
    assert plan_for(facts(changes), strict=True) is plan_for(facts(changes), strict=False)


@pytest.mark.parametrize("changes", UNPROVED)
def test_strict_refuses_what_is_not(changes: dict[str, Any]) -> None:
    assert plan_for(facts(changes), strict=False).ordering.what
    with pytest.raises(OrderingError, match=r"^strict=True: .* The plan was: .*\n  \S"):
        plan_for(facts(changes), strict=True)


NO_ORDER = "ordering='none' and -1 ask for none: leave one of the two out."
NAME_IT = "Name the stream that x's work is on: producer_stream=."
NOBODY_THERE = "orders no streams of vulkan:0: order x with the library that owns it, then pass "


@pytest.mark.parametrize(
    ("changes", "advice"),
    [
        ({"ordering": "none"}, NO_ORDER),
        ({"reader": "unordered"}, NO_ORDER),
        (NOBODY | {"ordering": "none", "route": "capsule"}, NO_ORDER),
        (NOBODY | {"route": "capsule"}, NAME_IT),
        (NOBODY | {"does": "word"}, NAME_IT),
        (
            NOBODY | {"source": VULKAN, "target": VULKAN, "backend": "none", "does": "ignores"},
            NOBODY_THERE + "strict=False.",
        ),
    ],
)
def test_what_strict_advises_can_be_done(changes: dict[str, Any], advice: str) -> None:
    with pytest.raises(OrderingError) as caught:
        plan_for(facts(changes), strict=True)
    assert str(caught.value).endswith(advice)


@pytest.mark.parametrize(
    ("changes", "whose"), [({}, "consumer's"), (STAYS | {"several": True}, "array's")]
)
def test_where_a_barrier_may_not_hold_strict_says_so(changes: dict[str, Any], whose: str) -> None:
    with pytest.raises(
        OrderingError,
        match=rf"the {whose} queue is out-of-order: the host waits where a barrier would not "
        r"hold\)\.\n  Name an in-order queue, or let the host wait: pass strict=False\.$",
    ):
        plan_for(facts(OVERTAKES | changes), strict=True)


@pytest.mark.parametrize(
    "changes",
    [
        NOBODY | {"does": "ignores"},
        NOBODY | {"does": "ignores"} | HOST,
        NOBODY | {"does": "word", "sendable": False},
    ],
)
def test_what_cannot_be_ordered_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(OrderingError, match="producer_stream="):
        plan_for(facts(changes), strict=False)
    assert plan_for(facts(changes | {"ordering": "none"}), strict=False).ordering.what == "none"


@pytest.mark.parametrize(
    "changes",
    [
        {"vouched": False},
        {"does": "ignores"},
        {"does": "ignores"} | NOBODY,
        HOST,
        {"ordering": "host"},
        {"reader": "unknown"},
        STAYS | {"several": True},
        NOBODY | HOST,
    ],
)
def test_what_takes_a_backend_that_is_not_there(changes: dict[str, Any]) -> None:
    with pytest.raises(DriverMissingError):
        plan_for(facts(ON_CUDA | changes), strict=False)


MOVES: list[tuple[dict[str, Any], tuple[str, ...], str]] = [
    ({}, (), "view"),
    ({"copy": True}, ("copy",), "copy"),
    (HOST, ("host copy",), "copy to the host"),
    (HOST | {"memory": "shared"}, ("host view",), "view"),
    (HOST | {"memory": "host"}, ("host view",), "view"),
    (HOST | {"memory": "shared", "copy": True}, ("host copy",), "copy to the host"),
    (HOST | {"memory": ""}, ("host view or copy",), "view, else copy to the host"),
    (ON_CPU | {"target": SYCL, "reader": "named"}, ("to device",), "copy to the device"),
    (
        {"target": VULKAN, "relation": "unrelated"},
        ("host copy", "to device"),
        "copy to the host, then copy to the device",
    ),
    (ON_CPU | {"copies": True}, (), "copy by c"),
    # A consumer that copies does so once, but where it does not take the layout.
    (
        ON_CPU | {"copies": True, "copy": True},
        ("copy to fit",),
        "copy where the layout is none that c takes, then copy by c",
    ),
    (
        HOST | {"memory": "shared", "copies": True, "copy": True},
        ("host view", "copy to fit"),
        "view, then copy where the layout is none that c takes, then copy by c",
    ),
    (
        HOST | {"copies": True, "copy": True},
        ("host copy",),
        "copy to the host, then copy by c",
    ),
]


@pytest.mark.parametrize(("changes", "moves", "words"), MOVES)
def test_how_memory_moves(changes: dict[str, Any], moves: Any, words: str) -> None:
    plan = plan_for(facts(changes), strict=False)
    assert plan.actions.moves == moves
    assert plan.copy.what == words


@pytest.mark.parametrize(
    "changes",
    [
        HOST,
        ON_CPU | {"target": SYCL, "reader": "named"},
        {"target": VULKAN, "relation": "unrelated"},
    ],
)
def test_copy_false_refuses_a_copy(changes: dict[str, Any]) -> None:
    with pytest.raises(BufferError, match=r"copy=False, but .*\n  Pass copy=None"):
        plan_for(facts(changes | {"copy": False}), strict=False)


def test_copy_false_takes_a_view() -> None:
    assert plan_for(facts({"copy": False}), strict=False).actions.moves == ()
    shared = facts(HOST | {"memory": "shared", "copy": False})
    assert plan_for(shared, strict=False).actions.moves == ("host view",)


def test_plans_are_interned() -> None:
    assert plan_for(facts({}), strict=False) is plan_for(replace(BY_HAND), strict=False)
    assert plan_for(facts({}), strict=False) is not plan_for(facts({"copy": True}), strict=False)


def test_a_plan_has_a_reason_for_each_step() -> None:
    plan = plan_for(BY_HAND, strict=False)
    assert list(plan.steps()) == [
        "producer",
        "consumer",
        "device",
        "protocol",
        "stream",
        "ordering",
        "copy",
        "release",
    ]
    for name, step in plan.steps().items():
        assert step.what
        assert step.why
        assert f"{name:<9} {step.what}  ({step.why})" in str(plan).splitlines()
    assert plan.to_dict()["ordering"] == {"what": plan.ordering.what, "why": plan.ordering.why}
    assert "p | c | oneapi:0" in repr(plan)


def test_a_plan_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        plan_for(BY_HAND, strict=False).copy = None  # type: ignore[misc, assignment]
