# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the libFuzzer targets for a stated time, from the corpus that lies in text beside this file.

usage: fuzzing.py BUILD SECONDS [TARGET…]

The corpus is text: hexadecimal digits, an input a paragraph; after # is said what it is. What is
found is shown in that form: it belongs there, with the mend.
"""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
TARGETS = ("import", "interfaces")
_DIGITS = 96


def read_corpus(target: str) -> list[bytes]:
    """Read the inputs that are kept for a target."""
    text = (HERE / "corpus" / f"{target}.txt").read_text(encoding="utf-8")
    paragraphs = re.sub(r"#[^\n]*", "", text).split("\n\n")
    return [bytes.fromhex(digits) for digits in map(str.strip, paragraphs) if digits]


def text_of(data: bytes) -> str:
    """Write an input as a paragraph of a corpus."""
    digits = data.hex()
    return "\n".join(digits[at : at + _DIGITS] for at in range(0, len(digits), _DIGITS)) + "\n"


def _unpacked(build: Path, target: str) -> Path:
    folder = build / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(read_corpus(target)):
        (folder / f"kept-{number}").write_bytes(data)
    return folder


def _statistic(output: str, name: str) -> str:
    found = re.search(rf"stat::{name}:\s*(\d+)", output)
    return found.group(1) if found else "?"


def fuzz(build: Path, target: str, seconds: int) -> bool:
    """Run a target, print how long and how often it ran, and what it found; whether nothing."""
    found = build / f"found-{target}-"
    for file in build.glob(f"{found.name}*"):  # of an earlier run
        file.unlink()
    command = [
        str(build / "fuzz" / f"{target}_fuzz"),
        f"-max_total_time={seconds}",
        "-print_final_stats=1",
        "-timeout=20",
        "-rss_limit_mb=4096",
        f"-artifact_prefix={found}",
        str(_unpacked(build, target)),
    ]
    # The interpreter never frees all that it has; allocations that fail are what a user sees, too.
    leaks = "0" if target == "interfaces" else "1"
    options = f"detect_leaks={leaks}:allocator_may_return_null=1"
    begun = time.monotonic()
    done = subprocess.run(
        command,
        env=os.environ | {"ASAN_OPTIONS": options},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    print(
        f"{target}: {time.monotonic() - begun:.0f} s,"
        f" {_statistic(done.stdout, 'number_of_executed_units')} executions,"
        f" {_statistic(done.stdout, 'new_units_added')} new inputs,"
        f" {'nothing found' if done.returncode == 0 else 'FOUND'}"
    )
    if done.returncode != 0:
        print("\n".join(done.stdout.splitlines()[-60:]))
        for file in sorted(build.glob(f"{found.name}*")):
            print(f"{file.name}:\n{text_of(file.read_bytes())}")
    return done.returncode == 0


def main() -> int:
    """Fuzz what the command line names."""
    if len(sys.argv) < 3:
        sys.exit("usage: fuzzing.py BUILD SECONDS [TARGET…]")
    build, seconds = Path(sys.argv[1]).resolve(), int(sys.argv[2])
    targets = sys.argv[3:] or TARGETS
    clean = [fuzz(build, target, seconds) for target in targets]  # all, also after a finding
    return 0 if all(clean) else 1


if __name__ == "__main__":
    sys.exit(main())
