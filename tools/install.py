# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Installs dependency groups of pyproject.toml with pip, into the environment that runs this.

usage: install.py [--optional] GROUP...

pip is given names only: indexes, mirrors and limits are the user's (pip.conf, PIP_...).
--optional: a package that has no wheel here is left out and named, and the rest is installed; with
STRICT=1 in the environment that is a failure all the same.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Sequence

from requirements import requirements

Pip = Callable[[Sequence[str]], bool]


def pip_install(arguments: Sequence[str]) -> bool:
    """Run pip in this environment; tell whether it succeeded."""
    command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", *arguments]
    return subprocess.run(command, check=False, stdin=subprocess.DEVNULL).returncode == 0


def install_required(names: Sequence[str], pip: Pip) -> list[str]:
    """Install all of them or none; return what could not be had."""
    return [] if pip(names) else list(names)


def install_optional(names: Sequence[str], pip: Pip) -> list[str]:
    """Install what has wheels here, never building one; return what has none."""
    wheels = "--only-binary=:all:"
    if pip([wheels, *names]):
        return []
    return [name for name in names if not pip([wheels, name])]


def main() -> int:
    """Install the groups named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--optional", action="store_true")
    parser.add_argument("groups", nargs="+", metavar="GROUP")
    options = parser.parse_args()
    names = list(dict.fromkeys(name for group in options.groups for name in requirements(group)))
    install = install_optional if options.optional else install_required
    missing = install(names, pip_install)
    if missing:
        print(f"install.py: could not be installed: {', '.join(missing)}", file=sys.stderr)
        if options.optional:
            print("  What needs them is skipped, with this as its reason.", file=sys.stderr)
    strict = not options.optional or os.environ.get("STRICT", "0") not in ("", "0")
    return 1 if missing and strict else 0


if __name__ == "__main__":
    sys.exit(main())
