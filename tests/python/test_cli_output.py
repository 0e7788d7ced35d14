# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The file of `--json`: whole or not there, and the one that was there before stays till then."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest
import typer

from anystream._cli.output import writable, write

OLD = "what was there before\n"


@pytest.fixture(params=[OLD, None], ids=["replaced", "new"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Give the path of a file in a folder of its own, with something in it or not there yet."""
    path = tmp_path / "findings.json"
    if request.param is not None:
        path.write_text(request.param)
    return path


def check_untouched(file: Path) -> None:
    """Nothing is left behind, and what was there is as it was."""
    assert [path.name for path in file.parent.iterdir()] in ([], [file.name])
    assert not file.exists() or file.read_text() == OLD


def test_it_is_written_whole(file: Path) -> None:
    write(file, "µs\n")
    assert file.read_text(encoding="utf-8") == "µs\n"
    assert list(file.parent.iterdir()) == [file]


def test_it_keeps_who_may_read_it(file: Path) -> None:
    file.touch()
    file.chmod(0o604)
    write(file, "{}")
    assert file.stat().st_mode & 0o777 == 0o604


def test_a_link_stays_one(tmp_path: Path) -> None:
    there, link = tmp_path / "there.json", tmp_path / "link.json"
    link.symlink_to(there)
    write(link, "{}")
    assert (link.is_symlink(), there.read_text()) == (True, "{}")


def test_the_check_leaves_all_as_it_was(file: Path) -> None:
    assert writable(file) == file
    check_untouched(file)


@pytest.mark.parametrize("interruption", [KeyboardInterrupt(), OSError(28, "No space left")])
def test_an_interrupted_write_leaves_nothing(
    file: Path, interruption: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> NoReturn:
        raise interruption

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises((KeyboardInterrupt, typer.BadParameter)) as raised:
        write(file, "{}")
    check_untouched(file)
    if isinstance(interruption, OSError):
        assert str(raised.value) == f"{file} cannot be written: No space left."


def test_what_is_no_file_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write(pipe, "{}")
    assert os.read(reader, 10) == b"{}"
    os.close(reader)
    assert pipe.is_fifo()


def test_a_dash_is_the_output(capsys: pytest.CaptureFixture[str]) -> None:
    dash = Path("-")
    assert writable(dash) == dash
    write(dash, "{}\n")
    assert capsys.readouterr().out == "{}\n"
    assert not dash.exists()


def test_ctrl_c_in_the_race_leaves_the_file_alone(file: Path) -> None:
    command = [sys.executable, "-m", "anystream", "doctor", "--on", "simulated"]
    command += ["--json", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as doctor:
        assert doctor.stdout is not None
        line = next(iter(doctor.stdout), b"")  # it has begun
        doctor.send_signal(signal.SIGINT)
        assert doctor.wait(timeout=120) != 0
    assert line
    check_untouched(file)
