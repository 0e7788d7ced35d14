# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What it costs to order two SYCL or OpenCL queues, against dpctl's calls, and the bare ones."""

import subprocess
import tempfile
from typing import Any

import anystream
import native
from anystream import testing
from producers import is_installed
from rotation import Competitor, Effort, measure, pinned, print_table

SAME = "one in-order queue: nothing to do"
DIFFERENT = "two idle in-order queues"
QUEUES, STREAMS, DPCTL = (
    "anystream.order, queues",
    "anystream.order, Streams",
    "dpctl: two submit_barrier",
)
# the tables and their rows
ROWS = {SAME: [QUEUES, STREAMS], DIFFERENT: [QUEUES, STREAMS, DPCTL]}

_OURS = "call(producer=argument[0], consumer=argument[1])"
_THEIRS = "argument[1].submit_barrier([argument[0].submit_barrier()])"


def _same(pair: tuple[Any, Any], effort: Effort) -> None:
    queue = pair[0]
    stream = anystream.Stream(queue)
    competitors = [
        Competitor(QUEUES, anystream.order, (queue, queue), statement=_OURS),
        Competitor(STREAMS, anystream.order, (stream, stream), statement=_OURS),
    ]
    print_table(SAME, measure(competitors, effort))


def _settle(pair: tuple[Any, Any]) -> None:
    for queue in pair:
        queue.wait()


def _different(pair: tuple[Any, Any], effort: Effort) -> None:
    def settle() -> None:
        _settle(pair)

    streams = tuple(anystream.Stream(queue) for queue in pair)
    competitors = [
        Competitor(QUEUES, anystream.order, pair, settle, _OURS),
        Competitor(STREAMS, anystream.order, streams, settle, _OURS),
        Competitor(DPCTL, anystream.order, pair, settle, _THEIRS),
    ]
    print_table(DIFFERENT, measure(competitors, effort))


def bench_order(effort: Effort) -> None:
    """Print both tables, where SYCL runs here."""
    if not is_installed("dpctl"):
        print("\nordering: dpctl is not installed")
        return
    import dpctl

    pair = (dpctl.SyclQueue(property="in_order"), dpctl.SyclQueue(property="in_order"))
    # The runtime's threads start with the first command, before this one is pinned: a thread is
    # born on the cores of its parent.
    pair[1].submit_barrier([pair[0].submit_barrier()])
    _settle(pair)
    with pinned():
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


def bench_order_on_opencl(_effort: Effort) -> None:
    """Run the program that orders two OpenCL queues, against the bare calls that it takes."""
    print("\nordering two OpenCL queues, in C++", flush=True)
    why = native.why_not()
    if why:
        print(f"  not measured: {why}")
        return
    with tempfile.TemporaryDirectory() as folder:
        program = native.build("opencl_order.cpp", folder)
        subprocess.run([str(program)], check=True, env=native.sycl_environment())


def make_sycl_visible() -> None:
    """Let SYCL run on the CPU, before anything loads its runtime."""
    if is_installed("dpctl"):
        testing.use_cpu_sycl()
