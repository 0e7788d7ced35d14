# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The command line: `anystream doctor`, `anystream devices`, `anystream explain`."""

import sys
from importlib.util import find_spec
from io import TextIOWrapper

# What the command line is drawn with; the library itself needs nothing but the standard library.
_NEEDED = ("typer", "rich")


def main() -> int:
    """Run the command line; the console script `anystream`."""
    if any(find_spec(name) is None for name in _NEEDED):
        print(
            'The command line needs typer and rich: pip install "anystream[cli]"', file=sys.stderr
        )
        return 2
    from anystream._cli.app import app

    _print_what_can_be_printed()
    app(prog_name="anystream")
    return 0


def _print_what_can_be_printed() -> None:
    """Print "?" for a character that the output's encoding lacks, rather than fail."""
    for output in (sys.stdout, sys.stderr):
        if isinstance(output, TextIOWrapper):
            output.reconfigure(errors="replace")
