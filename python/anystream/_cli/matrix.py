# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The doctor's last section: every installed library handed to every installed library."""

import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

import anystream
from anystream._cli.findings import Cell, Matrix
from anystream._cli.samples import SAMPLES, Sample

_TIMED = 5


def installed() -> list[Sample]:
    """List the libraries that can be tried here."""
    return [sample for sample in SAMPLES if not sample.missing()]


def absent() -> dict[str, str]:
    """Map the libraries that cannot be tried here to what would have to be installed."""
    return {
        sample.peer: "not installed: " + ", ".join(sample.missing())
        for sample in SAMPLES
        if sample.missing()
    }


def run_matrix(tick: Callable[[], None]) -> Matrix:
    """Hand a sample of each to each; tick() is called after each pair."""
    samples = installed()
    cells = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", anystream.ReadOnlyWarning)  # nothing is written to
        for producer in samples:
            for consumer in samples:
                cells.append(_cell(producer, consumer))
                tick()
    return Matrix(tuple(sample.peer for sample in samples), absent(), tuple(cells))


def _cell(producer: Sample, consumer: Sample) -> Cell:
    try:
        return _handed(producer, consumer)
    except Exception as refusal:  # noqa: BLE001  a library may fail with anything: a line here
        reason = f"{type(refusal).__name__}: {str(refusal).strip().partition(chr(10))[0]}"
        return Cell(producer.peer, consumer.peer, None, "", "", 0.0, reason)


def _handed(producer: Sample, consumer: Sample) -> Cell:
    array = producer.array()
    plan = anystream.explain(array, to=consumer.peer)
    taken = anystream.handoff(array, to=consumer.peer)
    return Cell(
        producer=producer.peer,
        consumer=consumer.peer,
        right=consumer.holds_values(taken),
        memory="view" if _address(taken) == _address(array) else "copy",
        ordering=plan.ordering.what,
        host_us=_host_us(array, consumer.peer),
        reason="",
    )


def _address(array: Any) -> int:
    ours: anystream.Array = anystream.from_dlpack(array)
    return ours.data_ptr + ours.byte_offset


def _host_us(array: Any, peer: str) -> float:
    """Take the median of a few: the first hand-off is not the usual one."""
    return statistics.median(_once_us(array, peer) for _ in range(_TIMED))


def _once_us(array: Any, peer: str) -> float:
    begin = time.perf_counter()
    anystream.handoff(array, to=peer)
    return (time.perf_counter() - begin) * 1e6
