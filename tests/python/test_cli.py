# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The command line: its commands as a user types them, and what it does without its extra."""

import os
import subprocess
import sys

import pytest

import anystream
from anystream import _core


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "anystream", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "COLUMNS": "80"},
    )


def words(text: str) -> str:
    """Undo the wrapping of a table or paragraph."""
    return " ".join(text.split())


def test_the_version_is_printed() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"anystream {anystream.__version__}\n")


def test_help_names_every_command() -> None:
    done = run("--help")
    assert done.returncode == 0
    for command in ("doctor", "devices", "explain"):
        assert command in done.stdout


def test_without_a_command_the_help_is_printed() -> None:
    done = run()
    assert done.returncode == 2
    assert "Usage: anystream" in done.stdout + done.stderr


def test_an_unknown_command_ends_with_2() -> None:
    done = run("surgeon")
    assert done.returncode == 2
    assert "surgeon" in done.stderr


@pytest.mark.parametrize("hidden", ["typer", "rich"])
def test_without_the_extra_one_line_says_how_to_install_it(hidden: str) -> None:
    program = (
        f"import sys; sys.modules[{hidden!r}] = None\n"
        "from anystream._cli import main\n"
        "sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == ('The command line needs typer and rich: pip install "anystream[cli]"\n')


def test_the_package_is_usable_without_the_extra() -> None:
    program = (
        "import sys; sys.modules['typer'] = sys.modules['rich'] = None\n"
        "import anystream\n"
        "assert anystream.devices()"
    )
    subprocess.run([sys.executable, "-c", program], timeout=60, check=True)


def test_devices_lists_what_the_package_lists() -> None:
    done = run("devices")
    assert done.returncode == 0
    for row in _core.devices():
        # Made or registered by other tests of this process, or met by them on a queue.
        if row["platform"] not in ("simulated", "opencl") and row["type"] < 1000:
            assert _core.device_name(row["type"], row["id"]) in done.stdout
    assert "cpu        host" in done.stdout


def test_devices_types_lists_every_device_type() -> None:
    done = run("devices", "--types")
    assert done.returncode == 0
    printed = words(done.stdout)
    for row in _core.DEVICE_TABLE:
        assert f"{row['dlpack']} {row['value']} " in printed


def test_an_output_that_is_not_unicode_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    done = run("devices", "--types")
    assert done.returncode == 0, done.stderr
    assert "kDLCPU 1" in done.stdout


def test_explain_prints_the_plan_step_by_step() -> None:
    numpy = pytest.importorskip("numpy")
    plan = anystream.explain(numpy.zeros(3, dtype="float32"), to="numpy")
    done = run("explain", "numpy", "numpy")
    assert done.returncode == 0, done.stderr
    printed = done.stdout.splitlines()
    for step in plan.steps():
        assert any(line.split()[:1] == [step] for line in printed), step
    assert plan.ordering.what in done.stdout


def test_explain_of_an_unknown_library_lists_the_known() -> None:
    done = run("explain", "nunpy", "numpy")
    assert done.returncode == 1
    printed = words(done.stdout)
    assert "no sample array is known for 'nunpy'" in printed
    assert "numpy, torch, jax" in printed


def test_explain_of_a_library_that_is_not_installed_says_so() -> None:
    program = (
        "import sys; sys.modules['numpy'] = None\n"
        "sys.argv = ['anystream', 'explain', 'numpy', 'numpy']\n"
        "from anystream._cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert "numpy cannot be tried; not installed: numpy" in words(done.stdout)


class TestOnSycl:
    @pytest.fixture(autouse=True)
    def needs_dpnp(self) -> None:
        from anystream._cli.platforms import why_no_sycl

        if why := why_no_sycl():
            pytest.skip(why)

    def test_explain_orders_two_queues_by_event(self) -> None:
        done = run("explain", "dpnp", "dpnp", "--stream", "in-order")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "record, wait" in done.stdout

    def test_explain_refuses_an_out_of_order_queue_and_names_the_way_round(self) -> None:
        done = run("explain", "dpnp", "dpnp", "--stream", "out-of-order")
        assert done.returncode == 1
        assert 'out_of_order="barrier"' in words(done.stdout)

    def test_devices_has_the_sycl_device(self) -> None:
        done = run("devices")
        assert "oneapi:0" in done.stdout
