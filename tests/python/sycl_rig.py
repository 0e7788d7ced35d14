# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Real SYCL queues with work pending, for tests of order: a slow writer and a reader that races."""

import ctypes
import time
from functools import cache
from typing import Any

import dpctl
import dpctl.memory
import dpctl.program
import dpnp
import numpy as np

import sycl_ways

ELEMENTS = 1024
PENDING_SECONDS = 0.2
PROBE_ROUNDS = 20_000_000

memory_of = sycl_ways.memory_of

# One work-item, so that a core stays free for the reader. No compiler can shorten the chain, and
# what is written depends on it in a case that never occurs.
SLOW_KERNEL = """
kernel void write_slowly(global int *out, int value, int rounds, int count) {
  uint chain = value;
  for (int i = 0; i < rounds; ++i) chain = chain * 1664525u + 1013904223u;
  for (int i = 0; i < count; ++i) out[i] = (rounds < 0 && chain == 0u) ? value + 1 : value;
}
"""


# Intel's runtime (2026.2) hangs when the last reference to an out-of-order queue is dropped while
# its last task is just ending: the worker that ends it then waits for itself. So queues live on.
_kept: list[Any] = []


def queue(*, in_order: bool = True, context: Any = None, device: Any = None) -> Any:
    properties = {"property": "in_order"} if in_order else {}
    where = () if context is None else (context, device or dpctl.SyclDevice())
    _kept.append(dpctl.SyclQueue(*where, **properties))
    return _kept[-1]


def other_context() -> Any:
    """A context that is not the platform's default one (which SyclContext(device) is)."""
    context = dpctl.SyclContext([dpctl.SyclDevice()])
    assert context != queue().sycl_context
    return context


@cache
def kernel(context: Any) -> Any:
    on = dpctl.SyclQueue(context, dpctl.SyclDevice())
    return dpctl.program.create_program_from_source(on, SLOW_KERNEL).get_sycl_kernel("write_slowly")


def submit(on: Any, memory: Any, value: int, rounds: int) -> Any:
    arguments = [memory, *map(ctypes.c_int, (value, rounds, ELEMENTS))]
    return on.submit_async(kernel(on.sycl_context), arguments, [1])


def probe_seconds(on: Any, memory: Any) -> float:
    begin = time.perf_counter()
    submit(on, memory, 0, PROBE_ROUNDS).wait()
    return time.perf_counter() - begin


@cache
def rounds() -> int:
    """The quickest of a few probes counts: a busy machine must not make the work too short."""
    on = queue()
    memory = dpctl.memory.MemoryUSMDevice(ELEMENTS * 4, queue=on)
    submit(on, memory, 0, 1).wait()
    quickest = min(probe_seconds(on, memory) for _ in range(3))
    return int(PROBE_ROUNDS * PENDING_SECONDS / quickest)


def write_slowly(on: Any, memory: Any, value: int) -> Any:
    """Start writing a value; the event is complete in about PENDING_SECONDS.

    It has begun when this returns: a thread of the host that waits on this runtime runs what is
    queued, in order, and would otherwise run this before the read that shall race with it.
    """
    event = submit(on, memory, value, rounds())
    while event.execution_status == dpctl.event_status_type.submitted:
        time.sleep(0)
    return event


def zeros(kind: str, on: Any) -> Any:
    """An array of zeros in a library's form, with nothing pending."""
    if kind == "dpnp":
        made = dpnp.zeros(ELEMENTS, dtype="int32", sycl_queue=on)
    else:
        made = dpctl.memory.MemoryUSMDevice(ELEMENTS * 4, queue=on)
        made.memset(0)
    on.wait()
    return made


class _Raw:
    """Memory by its interface alone: what it is kept by goes whenever it likes."""

    def __init__(self, array: Any) -> None:
        self.__sycl_usm_array_interface__ = dict(array.__sycl_usm_array_interface__)


def raw_memory_of(array: Any) -> Any:
    """An array's memory for kernels and copies, which does not keep the array."""
    return dpctl.memory.as_usm_memory(_Raw(array))


def zeros_shared(on: Any) -> Any:
    """Memory that the host reads without a copy."""
    return dpctl.memory.MemoryUSMShared(ELEMENTS * 4, queue=on)


def read(on: Any, memory: Any) -> Any:
    """What the memory holds for work that is queued now; the copy does not wait by itself."""
    target = dpctl.memory.MemoryUSMShared(ELEMENTS * 4, queue=on)
    on.memcpy_async(target, memory, ELEMENTS * 4).wait()
    return np.frombuffer(target.tobytes(), dtype="int32")


def overtakes(producer: Any, consumer: Any, memory: Any, value: int) -> bool:
    write_slowly(producer, memory, value)
    wrong = bool((read(consumer, memory) != value).any())
    producer.wait()
    return wrong


def unordered_read_is_wrong(producer: Any, consumer: Any, memory: Any) -> bool:
    """The control of each test: without anystream the read overtakes the write.

    It leaves a negative value in the memory. One read may come late on a busy machine, not three.
    """
    return any(overtakes(producer, consumer, memory, value) for value in (-1, -2, -3))


def pending(event: Any) -> bool:
    return bool(event.execution_status != dpctl.event_status_type.complete)
