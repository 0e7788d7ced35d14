# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""A file that a command writes: whole, or not at all."""

import secrets
import shutil
import sys
from pathlib import Path

import typer

_STDOUT = Path("-")


def writable(file: Path | None) -> Path | None:
    """Check that a file can be made, before the work that it is for; it is not touched yet."""
    if file is not None and _is_replaced(file):
        trial = _beside(file)
        try:
            trial.touch(exist_ok=False)
            trial.unlink()
        except OSError as error:
            raise _refusal(file, error) from None
    return file


def write(file: Path, text: str) -> None:
    """Write a file beside it and rename that, so that nobody ever sees half of it."""
    try:
        if file == _STDOUT:
            sys.stdout.write(text)
        elif _is_replaced(file):
            _replace(file.resolve(), _beside(file), text)
        else:
            file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise _refusal(file, error) from None


def _replace(file: Path, beside: Path, text: str) -> None:
    try:
        with beside.open("x", encoding="utf-8") as new:
            new.write(text)
        if file.exists():
            shutil.copymode(file, beside)
        beside.replace(file)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _is_replaced(file: Path) -> bool:
    """Tell files from what can only be written to, such as "-", a pipe or /dev/null."""
    return file != _STDOUT and (file.is_file() or not file.exists())


def _beside(file: Path) -> Path:
    whole = file.resolve()  # a link stays one
    return whole.with_name(f".{whole.name}.{secrets.token_hex(4)}")


def _refusal(file: Path, error: OSError) -> typer.BadParameter:
    return typer.BadParameter(f"{file} cannot be written: {error.strerror}.", param_hint="--json")
