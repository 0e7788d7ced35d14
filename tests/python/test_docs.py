# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The pages say what is true: tables, commands, links and examples are held against the tree."""

import inspect
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import anystream
from anystream import _core, testing
from anystream._cli.devices import accepted
from anystream._cli.platforms import why_no_sycl
from anystream._entry_points import GROUPS
from anystream._peers import PEERS

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    """Every command of a shell block, without its comment."""
    lines = [
        line
        for page in PAGES
        for block in blocks(page.read_text(), "sh")
        for line in block.splitlines()
    ]
    return sorted({line.partition("#")[0].strip() for line in lines} - {""})


def rows(text: str, header: str) -> list[list[str]]:
    """Give the cells of the table that begins with a header."""
    lines = text[text.index(header) :].splitlines()[2:]
    table = []
    for line in lines:
        if not line.startswith("|"):
            break
        table.append([cell.strip() for cell in line.strip("|").split("|")])
    return table


def python(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        env={**os.environ, "COLUMNS": "80"},
    )


# ---- examples ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "example"),
    [("python", "examples/python/handoff.py"), ("cpp", "examples/cpp/handoff.cpp")],
)
def test_the_code_of_the_readme_is_the_example(language: str, example: str) -> None:
    [block] = blocks(read("README.md"), language)
    lines = [line.strip() for line in read(example).splitlines()]
    for line in filter(None, map(str.strip, block.splitlines())):
        assert line in lines, f"{example} has no line {line!r}"


def test_the_examples_are_short() -> None:
    for example in ("examples/python/handoff.py", "examples/cpp/handoff.cpp"):
        assert read(example).count("\n") <= 40


def test_the_library_with_one_dlpack_is_the_example() -> None:
    example = read("examples/python/one_dlpack.py")
    first, snippet, last = blocks(read("docs/write-a-dlpack.md"), "python")
    assert first in example
    assert last in example
    assert "anystream.resolve_stream(self.device, stream)" in snippet
    assert example.count("\n") <= 65


def test_the_code_of_the_proposal_runs() -> None:
    signature, *examples = blocks(read("docs/proposal.md"), "python")
    assert signature.startswith("def __dlpack_stream__(self)")
    assert len(examples) == 2
    for code in examples:
        done = python("-c", code)
        assert done.returncode == 0, done.stderr


def test_the_python_example_runs() -> None:
    if why := why_no_sycl():
        pytest.skip(why)
    done = python(str(ROOT / "examples/python/handoff.py"))
    assert done.returncode == 0, done.stderr
    first, second, third = done.stdout.splitlines()
    assert first in ("handed over while q1 was submitted", "handed over while q1 was running")
    assert second == "y is on q2: True"
    assert third == "right elements: 4000000 of 4000000"


def test_the_code_of_the_page_on_handing_over_runs() -> None:
    pytest.importorskip("torch", reason="torch is not installed (PEERS=all installs it)")
    code = blocks(read("docs/handoff.md"), "python")
    done = python("-c", "\n".join([*code, "assert x.tolist() == y.tolist() == [0, 1, 2]"]))
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("ReadOnlyWarning: read-only memory of numpy was handed to torch") == 1


def test_the_code_of_the_page_on_the_way_back_runs() -> None:
    done = python("-c", "\n".join(blocks(read("docs/way-back.md"), "python")))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "PendingReleases(number=0, bytes=0)\n"


def test_the_code_of_the_page_on_opencl_runs() -> None:
    pytest.importorskip("pyopencl", reason="pyopencl is not installed (PEERS=all installs it)")
    done = python("-W", "ignore", "-c", "\n".join(blocks(read("docs/opencl.md"), "python")))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "True True 66.0\n"


def test_the_code_of_the_page_on_watching_runs(tmp_path: Path) -> None:
    page = read("docs/watching.md")
    done = python("-c", "\n".join(blocks(page, "python")), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    [shown] = blocks(page, "text")
    assert done.stderr == " ".join(shown.splitlines()) + "\n"
    trace = json.loads((tmp_path / "hand-offs.json").read_text())
    assert [event["ph"] for event in trace if event["ph"] in "stf"] == ["s", "t", "f"]


def test_the_code_of_the_page_on_testing_runs() -> None:
    code = blocks(read("docs/testing.md"), "python")
    done = python("-c", "\n".join([*code, "print('the end')"]))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("1000 schedules, and no read of what was not there\n")
    assert done.stdout.endswith("the end\n")
    shown = blocks(read("docs/testing.md"), "text")[0].splitlines()
    assert set(shown[:4]) < set(done.stdout.splitlines())


def test_the_code_of_the_page_on_platforms_runs() -> None:
    page = read("docs/platforms.md")
    done = python("-c", "\n".join([*blocks(page, "python"), "print('the end')"]))
    assert done.returncode == 0, done.stderr
    assert done.stdout == blocks(page, "text")[0] + "the end\n"


def test_the_keywords_of_the_page_on_platforms_are_there() -> None:
    known = inspect.signature(anystream.register_platform).parameters
    page = read("docs/platforms.md")
    named = {word for given, _ in rows(page, "| given |") for word in re.findall(r"`(\w+)`", given)}
    assert named <= known.keys()
    for toml in blocks(page, "toml"):
        assert tomllib.loads(toml)["project"]["entry-points"].keys() == set(GROUPS)


# ---- commands ------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [line for line in commands() if line.startswith("make ")])
def test_a_make_target_is_there(command: str) -> None:
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    done = subprocess.run(
        [*shlex.split(command), "--dry-run"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr


# `anystream doctor` is run by test_cli_doctor.py.
ANYSTREAM = [line for line in commands() if line.startswith("anystream ") and "doctor" not in line]


@pytest.mark.parametrize("command", ANYSTREAM)
def test_a_command_of_the_pages_runs(command: str) -> None:
    if "dpnp" in command and (why := why_no_sycl()):
        pytest.skip(why)
    done = python("-m", *shlex.split(command))
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_command_goes_unchecked() -> None:
    known = ("make ", "anystream ")
    assert [line for line in commands() if not line.startswith(known)] == []


def test_the_options_of_the_doctor_are_listed() -> None:
    listed = {row[0].strip("`").split()[0] for row in rows(read("docs/doctor.md"), "| option |")}
    printed = python("-m", "anystream", "doctor", "--help").stdout
    assert listed == set(re.findall(r"--[a-z]+", printed)) - {"--help"}


# ---- tables --------------------------------------------------------------------------------------


def device_table() -> list[str]:
    lines = [
        "| DLPack | word | None from a consumer | `stream` may be |",
        "| --- | --- | --- | --- |",
    ]
    for row in _core.DEVICE_TABLE:
        number = f"{row['dlpack']} {row['value']}"
        lines.append(f"| {number} | `{row['name']}` | {row['on_none']} | {accepted(row)} |")
    for row in _core.PLATFORM_TABLE:
        device = next(one for one in _core.DEVICE_TABLE if one["id"] == row["device"])
        number = f"{device['dlpack']} {device['value']}, {row['name']}"
        lines.append(f"| {number} | `{device['name']}` | {row['on_none']} | {accepted(row)} |")
    return lines


def test_the_table_of_streams_is_the_one_of_the_check() -> None:
    page = read("docs/streams.md")
    begin, end = "<!-- device table: begin -->\n", "<!-- device table: end -->"
    written = page.partition(begin)[2].partition(end)[0].splitlines()
    assert written == device_table(), "docs/streams.md; it should be:\n" + "\n".join(device_table())


def test_each_rule_for_none_is_explained() -> None:
    explained = {row[0] for row in rows(read("docs/streams.md"), "| rule | meaning |")}
    assert explained == {row["on_none"] for row in _core.DEVICE_TABLE}


def test_the_errors_of_the_table_are_there() -> None:
    table = rows(read("docs/errors.md"), "| what happened |")
    header = read("include/anystream/error.hpp")
    for _, cpp, python_side in table:
        name = cpp.strip("`")
        assert name.startswith("std::") or f"class {name} " in header, name
        classes = re.findall(r"`([\w.]+)`", python_side)
        for one in classes:
            assert issubclass(python_class(one), BaseException)
        if len(classes) == 2:
            assert issubclass(python_class(classes[0]), python_class(classes[1]))


def python_class(name: str) -> type:
    import builtins

    module, _, short = name.rpartition(".")
    home = anystream if module or short.startswith("Driver") else builtins
    found: type = getattr(home, short)
    return found


def test_the_table_of_faults_is_the_one_of_the_device() -> None:
    written = rows(read("docs/testing.md"), "| fault |")
    assert {row[0]: row[1] for row in written} == testing.FAULTS


def test_the_folders_of_the_layout_are_there() -> None:
    for folder, *_ in rows(read("docs/layout.md"), "| folder |"):
        assert (ROOT / folder.strip("`")).is_dir(), folder


# ---- facts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        assert "://" in target or (page.parent / target).exists(), target


def test_the_changelog_begins_with_this_version() -> None:
    [latest, *_] = re.findall(r"^## ([\d.]+)", read("CHANGELOG.md"), re.MULTILINE)
    assert latest == anystream.__version__


def test_the_sets_of_the_readme_are_those_that_are_installed() -> None:
    groups = PROJECT["dependency-groups"]
    small, everything = rows(read("README.md"), "| set |")
    named = re.split(r", | and ", small[1])
    assert named == groups["peers-small"]
    for requirement in groups["peers-all"]:
        if isinstance(requirement, str):
            assert re.split(r"[=\[<>]", requirement)[0] in everything[1]
    [torch] = [one for one in groups["peers-all"] if str(one).startswith("torch")]
    assert torch in everything[2]


def test_the_libraries_of_the_readme_are_those_of_the_table() -> None:
    page = read("README.md")
    [taken_only] = re.findall(r"those of ([\w, ]+) are taken only", " ".join(page.split()))
    named = set(re.split(r", | and ", taken_only))
    assert named == {peer.name for peer in PEERS if not peer.consumer}
    table = page.split("<!-- support table: begin -->")[1].split("<!-- support table: end")[0]
    listed = re.findall(r"^\| ([\w.]+) \|", table, re.MULTILINE)
    assert listed == [peer.name for peer in PEERS]


def test_the_extras_that_are_named_exist() -> None:
    texts = [page.read_text(encoding="utf-8") for page in PAGES]
    sources = (ROOT / "python" / "anystream").rglob("*.py")
    texts += [source.read_text(encoding="utf-8") for source in sources]
    named = {extra for text in texts for extra in re.findall(r"anystream\[(\w+)\]", text)}
    assert named
    assert named <= PROJECT["project"]["optional-dependencies"].keys()


def test_the_optional_tools_are_those_that_ci_installs() -> None:
    packages = re.findall(r'^  "[^:]+:([^"]+)"$', read(".ci/run"), re.MULTILINE)
    for package in " ".join(packages).split():
        assert package in read("README.md")
