# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What all tests of this folder have: libraries or the reason why not, figures, a last word."""

import os
from collections.abc import Callable
from typing import Any

import pytest

import driver
from libraries import LIBRARIES
from library import Library

Use = Callable[[str], Library]
Figures = Callable[[str], None]

# jax would take three quarters of the memory, before the others have any.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

_figures: list[str] = []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let libraries warn of the machine that they find."""
    for item in items:
        item.add_marker(pytest.mark.filterwarnings("default"))


@pytest.fixture
def use(request: pytest.FixtureRequest) -> Use:
    """Give a library by its name; skips with its reason where it cannot run."""

    def found(name: str) -> Library:
        library = LIBRARIES[name]
        if library.why_not:
            pytest.skip(library.why_not)
        library.start()
        request.node.user_properties.append(("library", name))
        return library

    return found


@pytest.fixture
def figures() -> Figures:
    """Take lines to be shown at the end: what was measured, of which nothing is asked."""
    return _figures.append


def _passed(terminalreporter: Any, name: str) -> int:
    reports = terminalreporter.stats.get("passed", [])
    return sum(("library", name) in report.user_properties for report in reports)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say what was measured, and which library ran on what."""
    terminalreporter.section("CUDA libraries")
    reason = driver.why_no_driver()
    terminalreporter.write_line(f"on no device: {reason}" if reason else f"on {driver.title()}")
    for name, library in LIBRARIES.items():
        count = _passed(terminalreporter, name)
        told = library.why_not or f"{library.version}, in {count} tests that passed"
        terminalreporter.write_line(f"{name}: {'did not run: ' * bool(library.why_not)}{told}")
    for line in _figures:
        terminalreporter.write_line(line)
