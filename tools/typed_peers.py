# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Asks type checkers which arrays and streams of other libraries have the protocols, as typed.

usage: typed_peers.py [--write]

Prints the table of docs/typing-peers.md as it is with what is installed here, or writes it there.
Rows of libraries that are not installed stay as they are.
"""

import re
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from sources import ROOT
from type_checkers import CHECKERS, Said, says

PAGE = ROOT / "docs/typing-peers.md"
BEGIN, END = "<!-- typed peers: begin -->", "<!-- typed peers: end -->"


class Probe(NamedTuple):
    """A class of a library, and the protocol that it is asked for."""

    distribution: str
    module: str
    name: str
    protocol: str
    arguments: str = ""  # of a generic class

    @property
    def asked(self) -> str:
        """The class, as people write it."""
        return f"{self.module}.{self.name}"


_ARRAY = "SupportsDLPack[Any]"
PROBES = (
    Probe("numpy", "numpy", "ndarray", _ARRAY, "[Any, Any]"),
    Probe("torch", "torch", "Tensor", _ARRAY),
    Probe("jax", "jax", "Array", _ARRAY),
    Probe("dpnp", "dpnp", "ndarray", _ARRAY),
    Probe("mlx", "mlx.core", "array", _ARRAY),
    Probe("apache-tvm-ffi", "tvm_ffi", "Tensor", _ARRAY),
    Probe("torch", "torch.cuda", "Stream", "SupportsCudaStream"),
    Probe("cuda-core", "cuda.core", "Stream", "SupportsCudaStream"),
    Probe("torch", "torch.xpu", "Stream", "SupportsXpuStream"),
    Probe("dpctl", "dpctl", "SyclQueue", "SupportsSyclQueue"),
    Probe("pyopencl", "pyopencl", "CommandQueue", "SupportsOpenCLQueue"),
)


class Row(NamedTuple):
    """What is said of a class, in the columns of the table."""

    asked: str
    release: str
    protocol: str
    mypy: str
    basedpyright: str
    why: str

    def __str__(self) -> str:
        return f"| {' | '.join(self)} |"


def installed(probe: Probe) -> str:
    """Give the release of a library, "" where it is not installed."""
    try:
        return version(probe.distribution).partition("+")[0]
    except PackageNotFoundError:
        return ""


def _file(probe: Probe) -> str:
    return re.sub(r"\W", "_", probe.asked) + ".py"


def _text(probe: Probe) -> str:
    """Write a file whose last line gives one of the class where the protocol is asked for."""
    return "\n".join(
        (
            "from typing import Any as Any",
            f"import {probe.module}",
            f"from anystream.typing import {probe.protocol.partition('[')[0]}",
            f"def give(x: {probe.asked}{probe.arguments}) -> {probe.protocol}:",
            "    return x",
            "",
        )
    )


_LAST = 5
_VERDICTS = {
    "no-any-return": "untyped",
    "reportUnknownVariableType": "untyped",
    "return-value": "no",
    "reportReturnType": "no",
}


def _verdict(said: Sequence[Said]) -> str:
    rules = [error.rule for error in said if error.line == _LAST]
    return _VERDICTS[rules[0]] if rules else "yes"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _refusal(said: Sequence[Said]) -> str:
    """Give what basedpyright says of the first member that differs: below the two signatures."""
    [error] = [error for error in said if error.rule == "reportReturnType"]
    lines = error.more.splitlines()
    start = next((n for n, line in enumerate(lines) if line.lstrip().startswith('Type "(')), None)
    if start is None:
        return lines[-1].strip()
    below = lines[start + 1 :]
    return "; ".join(line.strip() for line in below if _indent(line) == _indent(below[0]))


def _why(said: dict[str, list[Said]], verdicts: Sequence[str]) -> str:
    if "no" in verdicts:
        return f"basedpyright: {_refusal(said['basedpyright'])}"
    if "untyped" in verdicts:
        untyped = [
            error.message.strip() for error in said["mypy"] if error.rule == "import-untyped"
        ]
        return f"mypy: {untyped[0]}"
    return ""


def _row(probe: Probe, said: dict[str, list[Said]]) -> Row:
    verdicts = (_verdict(said["mypy"]), _verdict(said["basedpyright"]))
    why = _why(said, verdicts).replace("|", "\\|")
    release = installed(probe)
    return Row(f"`{probe.asked}`", release, f"`{probe.protocol}`", *verdicts, why)


def rows(place: Path) -> dict[Probe, Row]:
    """Ask for each class that is installed here; the folder is for files of this run."""
    here = [probe for probe in PROBES if installed(probe)]
    files = place / "probes"
    files.mkdir()
    for probe in here:
        (files / _file(probe)).write_text(_text(probe), encoding="utf-8")
    release = f"{sys.version_info.major}.{sys.version_info.minor}"  # libraries may ask for it
    told = says([files], sys.executable, place / "cache", release)
    return {
        probe: _row(
            probe,
            {
                checker: [error for error in errors if error.path.name == _file(probe)]
                for checker, errors in told.items()
            },
        )
        for probe in here
    }


def written(text: str) -> dict[Probe, Row]:
    """Read the table of a page."""
    table = text.partition(BEGIN)[2].partition(END)[0]
    found = [
        Row(*(cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]))
        for line in table.splitlines()
        if line.startswith("| `")
    ]
    return {probe: row for probe in PROBES for row in found if row.asked == f"`{probe.asked}`"}


def table(rows_by_probe: dict[Probe, Row]) -> str:
    """Write the table, in the order of the probes."""
    head = Row("class", "release", "protocol", *CHECKERS, "why not")
    body = (rows_by_probe[probe] for probe in PROBES if probe in rows_by_probe)
    return "\n".join(map(str, (head, Row(*["---"] * len(head)), *body)))


def main() -> int:
    """Print the table, or write it into its page."""
    text = PAGE.read_text(encoding="utf-8")
    with TemporaryDirectory() as place:
        now = table(written(text) | rows(Path(place)))
    if sys.argv[1:] != ["--write"]:
        print(now)
        return 0
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n{now}\n{END}{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
