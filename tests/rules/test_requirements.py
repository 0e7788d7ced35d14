# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The package needs nothing at run time, and what is installed for work on it is written once."""

import re
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from install import install_optional, install_required
from requirements import project, requirements
from sources import ROOT


class FakePip:
    """Has wheels for some names; an install of several is all or nothing."""

    def __init__(self, *available: str) -> None:
        self.available = set(available)
        self.calls: list[list[str]] = []

    def __call__(self, arguments: Sequence[str]) -> bool:
        self.calls.append(list(arguments))
        return {name for name in arguments if not name.startswith("-")} <= self.available


def test_nothing_is_needed_at_run_time() -> None:
    assert project()["project"]["dependencies"] == []


def test_the_build_tools_are_those_of_the_build() -> None:
    assert set(project()["build-system"]["requires"]) <= set(requirements("build"))


def test_the_cli_group_is_the_extra() -> None:
    assert requirements("cli") == project()["project"]["optional-dependencies"]["cli"]


def test_the_small_set_is_part_of_all() -> None:
    assert requirements("peers-small") == ["numpy", "dpctl", "dpnp", "intel-opencl-rt"]
    assert set(requirements("peers-small")) < set(requirements("peers-all"))


def test_torch_is_named_with_its_version() -> None:
    assert [name for name in requirements("peers-all") if "torch" in name] == ["torch==2.13.0"]


def test_an_unknown_group_lists_the_known() -> None:
    with pytest.raises(ValueError, match=r"no dependency group 'peers'; pyproject\.toml has build"):
        requirements("peers")


def test_groups_include_each_other_once() -> None:
    groups: dict[str, list[Any]] = {"a": ["x", {"include-group": "b"}], "b": ["x", "y"]}
    assert requirements("a", groups) == ["x", "y"]


def test_required_is_all_or_nothing() -> None:
    assert install_required(["x", "y"], FakePip("x", "y")) == []
    assert install_required(["x", "y"], FakePip("x")) == ["x", "y"]


def test_optional_installs_what_is_there() -> None:
    pip = FakePip("x", "z")
    assert install_optional(["x", "y", "z"], pip) == ["y"]
    assert all("--only-binary=:all:" in call for call in pip.calls)


def test_pip_is_given_names_only() -> None:
    for group in project()["dependency-groups"]:
        assert not [name for name in requirements(group) if ":" in name or name.startswith("-")]


@pytest.mark.parametrize(
    "program", ["check_text", "check_includes", "check_sizes", "check_knowledge"]
)
def test_checks_are_programs(program: str) -> None:
    command = [sys.executable, str(ROOT / "tools" / f"{program}.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == (1 if done.stdout else 0), done.stderr


def test_hooks_have_the_versions_of_the_checks() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    pinned = set(re.findall(r'"([\w-]+==[\d.]+)"', hooks))
    assert pinned
    assert pinned <= set(requirements("check"))
