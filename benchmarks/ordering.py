# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What it costs to order two SYCL queues, against dpctl's own calls from Python."""

import subprocess
import tempfile
from typing import Any

import anystream
import native
from anystream import testing
from imports import is_installed
from rotation import Competitor, Effort, measure, print_table


def _with_anystream(pair: tuple[Any, Any]) -> None:
    anystream.order(producer=pair[0], consumer=pair[1])


def _with_dpctl(pair: tuple[Any, Any]) -> None:
    pair[1].submit_barrier([pair[0].submit_barrier()])


def _same(pair: tuple[Any, Any], effort: Effort) -> None:
    queue = pair[0]
    stream = anystream.Stream(queue)
    competitors = [
        Competitor("anystream.order, queues", _with_anystream, (queue, queue)),
        Competitor("anystream.order, Streams", _with_anystream, (stream, stream)),
    ]
    print_table("one and the same in-order queue: nothing to do", measure(competitors, effort))


def _different(pair: tuple[Any, Any], effort: Effort) -> None:
    def settle() -> None:
        for queue in pair:
            queue.wait()

    streams = tuple(map(anystream.Stream, pair))
    competitors = [
        Competitor("anystream.order, queues", _with_anystream, pair, settle),
        Competitor("anystream.order, Streams", _with_anystream, streams, settle),
        Competitor("dpctl: two submit_barrier", _with_dpctl, pair, settle),
    ]
    print_table("two idle in-order queues", measure(competitors, effort))


def bench_order(effort: Effort) -> None:
    """Print both tables, where SYCL runs here."""
    if not is_installed("dpctl"):
        print("\nordering: dpctl is not installed")
        return
    import dpctl

    pair = (dpctl.SyclQueue(property="in_order"), dpctl.SyclQueue(property="in_order"))
    _same(pair, effort)
    _different(pair, effort)


def bench_order_in_cpp(_effort: Effort) -> None:
    """Run the program that measures the same from C++: least, median and 90 % of many calls."""
    print("\nordering two SYCL queues, in C++", flush=True)
    why = native.why_not() or ("" if is_installed("dpctl") else "dpctl is not installed")
    if why:
        print(f"  not measured: {why}")
        return
    with tempfile.TemporaryDirectory() as folder:
        program = native.build("sycl_order.cpp", folder)
        subprocess.run([str(program)], check=True, env=native.sycl_environment())


def make_sycl_visible() -> None:
    """Let SYCL run on the CPU, before anything loads its runtime."""
    if is_installed("dpctl"):
        testing.use_cpu_sycl()
