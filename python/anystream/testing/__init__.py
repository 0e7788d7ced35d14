# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What tests of ordering need: an accelerator in software, and SYCL on the CPU.

A test that proves an order holds the producer's stream, hands the array over, lets the reader run,
and only then releases the producer: nothing depends on how long anything takes.
"""

from anystream.testing._cpu_sycl import use_cpu_sycl
from anystream.testing._simulated import SimulatedDevice, SimulatedStream, peek, values

__all__ = ["SimulatedDevice", "SimulatedStream", "peek", "use_cpu_sycl", "values"]
