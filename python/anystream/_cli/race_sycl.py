# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The race on SYCL: a slow kernel on one in-order queue, dpnp reading on another."""

import ctypes
import time
from collections.abc import Sequence
from typing import Any

import anystream
from anystream._cli.race import Way

_ELEMENTS = 1024
_PENDING_SECONDS = 0.2
_PROBE_ROUNDS = 500_000

# A chain of multiplications that no compiler can shorten; its result decides what is written only
# in a case that cannot occur, so that it cannot be dropped either.
_SLOW_KERNEL = """
kernel void write_slowly(global int *out, int value, int rounds) {
  uint chain = get_global_id(0);
  for (int i = 0; i < rounds; ++i) chain = chain * 1664525u + 1013904223u;
  out[get_global_id(0)] = (rounds < 0 && chain == 0u) ? value + 1 : value;
}
"""


def opencl_device() -> Any:
    """Find a device that builds OpenCL C, the CPU before others; None without one."""
    import dpctl

    devices = dpctl.get_devices(backend="opencl")
    return next((device for device in devices if device.is_cpu), next(iter(devices), None))


class SyclScene:
    """x is a dpnp array on the producer's queue; the consumer's queue is another of its device."""

    platform = "sycl"
    reader = "dpnp.copy(y, sycl_queue=q2)"
    why_here = ""

    def __init__(self, device: Any) -> None:
        import dpctl
        import dpctl.program
        import dpnp

        self._dpnp: Any = dpnp
        self._producer: Any = dpctl.SyclQueue(device, property="in_order")
        self._consumer: Any = dpctl.SyclQueue(device, property="in_order")
        program = dpctl.program.create_program_from_source(self._producer, _SLOW_KERNEL)
        self._kernel: Any = program.get_sycl_kernel("write_slowly")
        self._x: Any = dpnp.zeros(_ELEMENTS, dtype="int32", sycl_queue=self._producer)
        self._work: Any = None
        self.device: str = device.name.strip()
        self._rounds = self._calibrate()
        self.pending: str = f"a kernel of about {_PENDING_SECONDS:g} s on q1 that writes x"
        self.ways: Sequence[Way] = (
            Way("as written today", "y = dpnp.from_dlpack(x)", self._today, False),
            Way("right today", "q1.wait(); y = dpnp.from_dlpack(x)", self._wait_first, True),
            Way("anystream", 'y = handoff(x, to="dpnp", stream=q2)', self._hand_off, True),
        )

    def start(self, value: int) -> None:
        """Clear x and submit the slow kernel."""
        self._x.fill(0)
        self._producer.wait()
        self._work = self._submit(value, self._rounds)

    def running(self) -> bool:
        """Ask the event of the kernel."""
        return bool(self._work.execution_status.name != "complete")

    def read(self, handed: Any) -> Sequence[int]:
        """Copy on the consumer's queue with dpnp."""
        values: Sequence[int] = self._dpnp.copy(handed, sycl_queue=self._consumer).tolist()
        return values

    def finish(self) -> None:
        """Wait for both queues."""
        self._producer.wait()
        self._consumer.wait()

    def _submit(self, value: int, rounds: int) -> Any:
        memory = self._x.get_array().usm_data
        arguments = [memory, ctypes.c_int(value), ctypes.c_int(rounds)]
        return self._producer.submit_async(self._kernel, arguments, [_ELEMENTS])

    def _calibrate(self) -> int:
        self._submit(0, _PROBE_ROUNDS).wait()
        begin = time.perf_counter()
        self._submit(0, _PROBE_ROUNDS).wait()
        return int(_PROBE_ROUNDS * _PENDING_SECONDS / (time.perf_counter() - begin))

    def _today(self) -> object:
        return self._dpnp.from_dlpack(self._x)

    def _wait_first(self) -> object:
        self._x.sycl_queue.wait()
        return self._dpnp.from_dlpack(self._x)

    def _hand_off(self) -> object:
        return anystream.handoff(self._x, to="dpnp", stream=self._consumer)
