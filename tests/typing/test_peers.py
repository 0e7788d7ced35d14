# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What docs/typing-peers.md says of other libraries' classes is what the checkers say of them."""

import pytest

from typed_peers import END, PAGE, PROBES, Probe, Row, installed, rows, table, written

PAGE_TEXT = PAGE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[Probe, Row]:
    return rows(tmp_path_factory.mktemp("peers"))


def test_the_page_has_a_row_for_each_class() -> None:
    assert list(written(PAGE_TEXT)) == list(PROBES)


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.asked)
def test_the_checkers_say_what_the_page_says(found: dict[Probe, Row], probe: Probe) -> None:
    row = written(PAGE_TEXT)[probe]
    release = installed(probe)
    if not release:
        pytest.skip(f"{probe.distribution} is not installed: make test-python")
    if release != row.release:
        pytest.skip(
            f"the page is about {probe.distribution} {row.release}, here is {release}: "
            "python tools/typed_peers.py --write"
        )
    assert found[probe] == row


def test_every_no_has_its_reason() -> None:
    for row in written(PAGE_TEXT).values():
        assert {row.mypy, row.basedpyright} <= {"yes", "no", "untyped"}
        reason = row.why.partition(": ")
        assert bool(row.why) == ({row.mypy, row.basedpyright} != {"yes"}), row
        assert not row.why or (reason[0] in ("mypy", "basedpyright") and reason[2]), row


def test_a_table_is_read_as_it_is_written() -> None:
    page = written(PAGE_TEXT)
    assert written(PAGE_TEXT.partition(END)[0]) == page
    assert table(page) in PAGE_TEXT
