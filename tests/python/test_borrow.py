# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What borrow is told: its messages name it, and no policy has its promise broken."""

from typing import Any

import pytest

import anystream
from anystream.testing import values
from way_back_rig import ELEMENTS, Story, all_equal

WRONG: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"release": "soon"}, ValueError, r'borrow\(release=…\) takes "ordered", .*; got str'),
    ({"release": 5}, TypeError, r'borrow\(release=…\) takes "ordered", .*; got int 5'),
    ({"release": "deferred"}, ValueError, r"borrow\(release=…\) takes .*; got 'deferred', which"),
    ({"ordering": "soon"}, ValueError, r"borrow\(ordering=…\) takes "),
    ({"strict": "yes"}, TypeError, r"borrow\(strict=…\) takes "),
    ({"stream": "s"}, TypeError, r"borrow\(stream=…\): "),
    ({"stream": 5}, TypeError, r"borrow\(stream=…\): "),
    ({"producer_stream": 5}, TypeError, r"borrow\(producer_stream=…\): "),
]


@pytest.mark.parametrize(("said", "error", "text"), WRONG)
def test_what_it_does_not_take_is_told_by_its_name(
    said: dict[str, Any], error: type[Exception], text: str
) -> None:
    story = Story()
    x = story.device.full(ELEMENTS, 1, "int32", story.producer)
    with pytest.raises(error, match="^" + text), anystream.borrow(x, **said):
        pass


@pytest.mark.parametrize("said", [said for said, _, _ in WRONG if "stream" not in next(iter(said))])
def test_of_a_host_array_it_is_told_too(said: dict[str, Any]) -> None:
    for _ in range(3):  # also where the plan is known
        anystream.from_dlpack(bytearray(4), copy=False)
        with pytest.raises((TypeError, ValueError), match=r"^borrow\("):
            anystream.borrow(bytearray(4), **said)


@pytest.mark.parametrize("policy", ["ordered", "deferred"])
def test_within_a_block_of_another_policy_it_is_brought_back(policy: Any) -> None:
    story = Story()
    x = story.device.full(ELEMENTS, 1, "int32", story.producer)
    story.producer.synchronize()
    story.consumer.hold()
    with anystream.releasing(policy), anystream.borrow(x, stream=story.consumer) as a:
        story.consumer.fill(a, 5)
    target = story.device.empty(ELEMENTS, "int32", story.producer)
    story.producer.copy(target, x)
    story.consumer.release()
    story.producer.synchronize()
    assert values(target) == all_equal(5)


def test_the_hosts_memory_is_borrowed_as_it_is() -> None:
    memory = bytearray(4)
    with anystream.borrow(memory) as a:
        assert a.plan is anystream.explain(memory, copy=False)
