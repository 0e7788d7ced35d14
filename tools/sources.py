# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Lists the files of the tree: what git tracks or would, else everything that no build has made.

usage: sources.py [c++ | python | all]
"""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

SUFFIXES = {"c++": (".h", ".hpp", ".cpp"), "python": (".py", ".pyi"), "all": ("",)}
MADE = {"build", "dist", "__pycache__"}  # and every folder whose name begins with a point, but .ci


@dataclass(frozen=True)
class Finding:
    """One place that breaks a rule, and how to mend it."""

    path: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


def report(findings: list[Finding]) -> int:
    """Print what a check found; return the status that it ends with."""
    for finding in findings:
        print(finding)
    return 1 if findings else 0


def _tracked(root: Path) -> list[Path] | None:
    command = ["git", "-C", str(root), "ls-files", "-z", "-co", "--exclude-standard", "--", "."]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    except FileNotFoundError:  # an unpacked archive on a machine without git
        return None
    return [Path(name) for name in done.stdout.split("\0") if name] if not done.returncode else None


def _is_made(path: Path) -> bool:
    folders = path.parts[:-1]
    return any(name in MADE or (name.startswith(".") and name != ".ci") for name in folders)


def _walked(root: Path) -> list[Path]:
    found = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
    return [path for path in found if not _is_made(path) and path.suffix not in (".so", ".pyc")]


def sources(kind: str = "all", root: Path = ROOT, under: str = "") -> list[Path]:
    """Return the files of a kind in a folder of the tree, relative to its root, sorted."""
    tracked = _tracked(root)
    found = (
        _walked(root) if tracked is None else [path for path in tracked if (root / path).exists()]
    )
    chosen = [path for path in found if path.name.endswith(SUFFIXES[kind])]
    return sorted(path for path in chosen if path.is_relative_to(under))


def main() -> int:
    """Print the files of the kind named on the command line."""
    kind = sys.argv[1] if len(sys.argv) > 1 else "all"
    if kind not in SUFFIXES:
        sys.exit(f"sources.py: no kind {kind!r}; the kinds are {', '.join(SUFFIXES)}.")
    for path in sources(kind):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
