# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The explorer sees: each fault is found within 1,000 schedules, and nothing where there is none.

A further hand-off, as one with a way back, is a row of explore_table.py.
"""

from typing import Any

import pytest

from anystream.testing import FAULTS, ExplorationError, explore
from explore_table import CASES, Case, reused, there_and_back
from simulated_rig import put_a_library_there

SCHEDULES = 1000
FOUND = [(case, fault) for case in CASES for fault in case.faults]


@pytest.fixture(autouse=True)
def _library(monkeypatch: pytest.MonkeyPatch) -> None:
    put_a_library_there(monkeypatch)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.fn.__name__)
def test_a_right_hand_off_is_right_in_every_schedule(case: Case) -> None:
    schedules, orders = explore(case.fn, schedules=SCHEDULES)
    assert schedules == SCHEDULES
    assert orders > 1


@pytest.mark.parametrize("fn", [there_and_back, reused])
def test_release_and_reuse_are_right_in_ten_times_as_many(fn: Any) -> None:
    assert explore(fn, schedules=10 * SCHEDULES).schedules == 10_000


@pytest.mark.parametrize(
    ("case", "fault"), FOUND, ids=[f"{case.fn.__name__}-{fault}" for case, fault in FOUND]
)
def test_a_fault_is_found(case: Case, fault: str) -> None:
    with pytest.raises(ExplorationError) as found:
        explore(case.fn, schedules=SCHEDULES, fault=fault)
    with pytest.raises(ExplorationError) as again:
        explore(case.fn, replay=found.value.replay)
    assert again.value.schedule == found.value.schedule
    assert again.value.findings == found.value.findings
    assert found.value.replay.endswith(f", fault {fault}")


def test_each_fault_is_found_by_a_case() -> None:
    assert {fault for case in CASES for fault in case.faults} == set(FAULTS)
    assert len(FAULTS) >= 14
