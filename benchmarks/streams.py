# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What it costs to check and resolve each kind of `stream` argument."""

from typing import Any

from anystream import DeviceType, _core
from producers import is_installed
from rotation import Competitor, Effort, measure, pinned, print_table

TITLE = "resolving a stream argument"
EMPTY = "a call with two arguments (isinstance)"


class CudaStream:
    """A stream object as any CUDA library has one."""

    def __cuda_stream__(self) -> tuple[int, int]:
        return (0, 0x7F00)


# the table and its rows: names of arguments, the device type that takes each
KINDS = {
    "None": DeviceType.CUDA,
    "-1": DeviceType.CUDA,
    "an int": DeviceType.CUDA,
    "an object with __cuda_stream__": DeviceType.CUDA,
    "a dpctl.SyclQueue": DeviceType.ONE_API,
    "a capsule of one": DeviceType.ONE_API,
}
ROWS = {TITLE: [*KINDS, EMPTY]}


def arguments() -> dict[str, Any]:
    """Return one argument of each kind that can be made here."""
    found = {
        "None": None,
        "-1": -1,
        "an int": 0x7F00,
        "an object with __cuda_stream__": CudaStream(),
    }
    if is_installed("dpctl"):
        import dpctl

        queue = dpctl.SyclQueue(property="in_order")
        found |= {"a dpctl.SyclQueue": queue, "a capsule of one": queue._get_capsule()}
    return found


def bench_resolve(effort: Effort) -> None:
    """Print the table; the ratio is to resolving None."""
    resolve = "call(argument[0], argument[1], 0)"
    competitors = [
        Competitor(name, _core.resolve_stream, (value, int(KINDS[name])), statement=resolve)
        for name, value in arguments().items()
    ]
    nothing = "call(argument[0], argument[1])"
    competitors.append(Competitor(EMPTY, isinstance, (None, object), statement=nothing))
    with pinned():
        print_table(TITLE, measure(competitors, effort))
