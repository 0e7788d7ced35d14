# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What it costs to check and resolve each kind of `stream` argument."""

from typing import Any

from anystream import DeviceType, _core
from imports import is_installed
from rotation import Competitor, Effort, measure, pinned, print_table


class CudaStream:
    """A stream object as any CUDA library has one."""

    def __cuda_stream__(self) -> tuple[int, int]:
        return (0, 0x7F00)


def _resolve(argument: tuple[Any, int]) -> object:
    return _core.resolve_stream(argument[0], argument[1], 0)


def _nothing(argument: tuple[Any, int]) -> object:
    return argument[1]


def arguments() -> list[tuple[str, Any, DeviceType]]:
    """Return one argument of each kind, with a device type that takes it."""
    found: list[tuple[str, Any, DeviceType]] = [
        ("None", None, DeviceType.CUDA),
        ("-1", -1, DeviceType.CUDA),
        ("an int", 0x7F00, DeviceType.CUDA),
        ("an object with __cuda_stream__", CudaStream(), DeviceType.CUDA),
    ]
    if is_installed("dpctl"):
        import dpctl

        queue = dpctl.SyclQueue(property="in_order")
        found += [
            ("a dpctl.SyclQueue", queue, DeviceType.ONE_API),
            ("a capsule of one", queue._get_capsule(), DeviceType.ONE_API),
        ]
    return found


def bench_resolve(effort: Effort) -> None:
    """Print the table; the ratio is to resolving None."""
    competitors = [
        Competitor(name, _resolve, (value, int(kind))) for name, value, kind in arguments()
    ]
    competitors.append(Competitor("an empty call", _nothing, (None, 0)))
    with pinned():
        print_table("resolving a stream argument", measure(competitors, effort))
