# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""`anystream explain`: the plan of a hand-off of a small sample array."""

from typing import Any

from rich.console import Console

import anystream
from anystream._cli.platforms import why_no_sycl
from anystream._cli.queues import sycl_queues
from anystream._cli.report import paragraph, table
from anystream._cli.samples import sample_of

_REFUSALS = (BufferError, TypeError, ValueError, RuntimeError, ImportError)


def show_plan(console: Console, producer: str, consumer: str, stream: str) -> int:
    """Print the plan, or the error that a hand-off would end with; the exit status."""
    try:
        plan = _plan(producer, consumer, stream)
    except _REFUSALS as refusal:
        paragraph(console, f"{type(refusal).__name__}: {refusal}")
        return 1
    rows = [(name, step.what, step.why) for name, step in plan.steps().items()]
    console.print(table(("step", "what", "why"), rows))
    return 0


def _plan(producer: str, consumer: str, stream: str) -> anystream.Plan:
    why_not = why_no_sycl()  # before any library that uses SYCL is imported
    sample = sample_of(producer)
    if sample.missing():
        missing = ", ".join(sample.missing())
        raise ValueError(f"{producer} cannot be tried; not installed: {missing}")
    queue = _queue(stream, why_not)
    plan: anystream.Plan = anystream.explain(sample.array(), to=consumer, stream=queue)
    return plan


def _queue(stream: str, why_not: str) -> Any:
    if stream == "none":
        return None
    if why_not:
        raise ValueError(f"a queue cannot be made: {why_not}")
    queues = sycl_queues()
    return queues.in_order() if stream == "in-order" else queues.out_of_order()
