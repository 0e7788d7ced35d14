# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The commands that a newcomer types are there, and say what they take."""

import os
import re
import subprocess

import pytest

from built import program
from sources import ROOT


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [program("make"), "--no-print-directory", *arguments]
    # A make that runs the tests hands its own flags and variables down.
    handed_down = ("MAKE", "MFLAGS", "PEERS", "PYTHON", "JOBS", "STRICT", "FUZZ_SECONDS")
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(handed_down)
    }
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment
    )


def steps(*arguments: str) -> str:
    done = make("--dry-run", "--always-make", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def targets() -> set[str]:
    return set(re.findall(r"(?m)^([a-z][a-z-]*) {2,}\S", make("help").stdout))


def test_help_is_what_make_says() -> None:
    assert make().stdout == make("help").stdout
    assert {"run", "test", "fuzz", "bench", "check", "clean"} <= targets()


def test_run_takes_the_small_set_and_ends_with_the_doctor() -> None:
    told = steps("run").splitlines()
    assert told[-1].endswith("/anystream doctor")
    assert any(line.endswith("--optional peers-small") for line in told)
    assert "peers-all" in steps("run", "PEERS=all")


def test_test_takes_all_peers_and_ends_with_pytest() -> None:
    told = steps("test").splitlines()
    assert told[-1].endswith("-m pytest")
    assert any(line.endswith("--optional peers-all") for line in told)
    # Type checkers are tools: what is tested does not find them.
    assert "build/tools/bin/python tools/install.py types" in told
    assert "peers-all" not in steps("test", "PEERS=small")
    for sanitizer in ("asan", "tsan"):
        assert [line for line in told if "ctest" in line and f"--preset {sanitizer}" in line]
    assert told[-1] != steps("test-python-sanitized").splitlines()[-1]
    assert set(steps("test-python-sanitized").splitlines()) <= set(told)


def test_python_tests_run_under_sanitizers_or_it_is_said_why_not() -> None:
    last = steps("test-python-sanitized").splitlines()[-1]
    if last.startswith("echo '-- skipped: "):
        pytest.skip(last)
    [run] = [line for line in steps("test-python-sanitized").splitlines() if "pytest" in line]
    assert run == last
    assert "libasan.so" in run
    assert "asan-python/package" in run
    for name in ("hostile_", "interfaces_", "lifetime", "array", "exchange_"):
        assert name in run
    without = steps("test-python-sanitized", "RUNTIME=").splitlines()
    assert without[-1].startswith("echo '-- skipped: ")
    assert not [line for line in without if "pytest" in line or "cmake --" in line]


def test_the_gpu_tests_have_an_environment_of_their_own() -> None:
    told = steps("test-gpu").splitlines()
    assert told[-1].endswith("build/gpu/bin/python -m pytest tests/device")
    installs = [line for line in told if "tools/install.py" in line and "build/gpu" in line]
    assert {line.rpartition(" ")[2] for line in installs} == {"peers-gpu", "test"}
    assert [line for line in told if line.startswith("build/gpu/bin/python -m pip install")]
    assert not [line for line in told if line.startswith(".venv")]
    assert "tests/device" not in steps("test")


def test_fuzz_runs_for_the_time_that_was_stated() -> None:
    told = steps("fuzz").splitlines()
    assert [line for line in told if "--preset fuzz" in line and "cmake" in line]
    assert told[-1].endswith("fuzz/fuzzing.py build/fuzz 60")
    assert steps("fuzz", "FUZZ_SECONDS=7").splitlines()[-1].endswith("build/fuzz 7")
    assert "libFuzzer" in steps("fuzz")


def test_other_peers_are_refused() -> None:
    done = make("--dry-run", "test", "PEERS=some")
    assert done.returncode != 0
    assert "PEERS=some: PEERS is small or all" in done.stderr


def test_ci_runs_the_tests() -> None:
    script = ROOT / ".ci/run"
    assert os.access(script, os.X_OK)
    checked = subprocess.run([program("bash"), "-n", str(script)], check=False)
    assert checked.returncode == 0
    last = script.read_text(encoding="utf-8").splitlines()[-1]
    assert last.startswith("exec make test ")
    assert last.endswith("</dev/null")
