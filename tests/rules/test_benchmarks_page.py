# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The page of benchmarks has a row for each competitor and each target; its figures are a run's."""

import re
from pathlib import Path

import pytest

import imports
import page
from producers import PRODUCERS
from rotation import Table, Timing
from sources import ROOT
from targets import TARGETS, Verdict, judge

PAGE = (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8")


def table(header: str, text: str = PAGE) -> list[list[str]]:
    """Give the cells of the table under a header."""
    lines = text[text.index(header + "\n") :].splitlines()[2:]
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def plain(cell: str) -> str:
    return cell.replace("`", "")


def test_each_importer_has_a_row_and_each_library_a_column() -> None:
    rows = table(page.header_of_imports())
    assert [row[0] for row in rows] == imports.rows()
    assert {len(row) for row in rows} == {len(PRODUCERS) + 1}


def test_each_other_competitor_has_a_row() -> None:
    expected = [[title, name] for title, names in page.ROWS.items() for name in names]
    assert [list(map(plain, row[:2])) for row in table(page.OTHERS)] == expected


def test_each_target_has_a_row() -> None:
    found = [(plain(row[0]), row[1], float(row[3])) for row in table(page.TARGETS)]
    assert found == [tuple(target) for target in TARGETS]


def test_what_is_said_of_a_target_follows_from_its_ratio() -> None:
    for _, _, ratio, at_most, word in table(page.TARGETS):
        if ratio == "–":
            assert word == "not measured"
        elif ratio != at_most:  # rounded, they may be equal either way
            assert word == ("reached" if float(ratio) < float(at_most) else "not reached")


def test_the_page_says_what_it_was_measured_on() -> None:
    figures = PAGE.partition(page.BEGIN)[2]
    assert re.match(
        r".+, \d+ cores; \S+ \d+\.\d+\.\d+\.\n\n(?:[\w-]+ [\w.+]+(?:, |\.\n))+", figures
    )


def test_every_target_is_a_row_of_a_table() -> None:
    titles = {imports.title(producer.library): imports.rows() for producer in PRODUCERS}
    for target in TARGETS:
        assert target.other in (titles | page.ROWS)[target.table]


@pytest.mark.parametrize(
    ("own", "word"), [((25.0, 20.0), "reached"), ((31.0, 30.5), "not reached")]
)
def test_a_target_is_judged_by_minima(own: tuple[float, ...], word: str) -> None:
    timings = (Timing("anystream", own), Timing("nanobind", (100.0, 400.0)))
    [verdict, *others] = judge([Table(imports.title("numpy"), timings)])
    assert verdict.word == word
    assert verdict.ratio == pytest.approx(min(own) / 100)
    assert {other.word for other in others} == {"not measured"}


def test_what_did_not_run_is_no_ratio() -> None:
    timings = (Timing("anystream", (), "refused"), Timing("nanobind", (100.0,)))
    [verdict, *_] = judge([Table(imports.title("numpy"), timings)])
    assert verdict.ratio is None


def test_figures_are_written_between_the_marks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    timings = (Timing("anystream", (21.0, 30.0)), Timing("numpy", (105.0,)))
    monkeypatch.setattr("page.PRINTED", [Table(imports.title("numpy"), timings)])
    file = tmp_path / "page.md"
    file.write_text(f"before\n{page.BEGIN}old\n{page.END}\nafter\n", encoding="utf-8")
    page.write(file, [Verdict(TARGETS[0], 0.2)])
    text = file.read_text(encoding="utf-8")
    assert text.startswith(f"before\n{page.BEGIN}")
    assert text.endswith(f"{page.END}\nafter\n")
    assert "old" not in text
    assert [row[:2] for row in table(page.header_of_imports(), text)][:2] == [
        ["anystream", "21"],
        ["numpy", "105"],
    ]
    assert table(page.TARGETS, text)[0][2:] == ["0.20", "0.30", "reached"]


def test_a_page_without_marks_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_text("nothing\n", encoding="utf-8")
    with pytest.raises(ValueError, match="has no lines"):
        page.write(file, [])
    assert file.read_text(encoding="utf-8") == "nothing\n"
