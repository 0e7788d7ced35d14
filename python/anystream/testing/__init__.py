# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What tests of ordering need: an accelerator in software, and SYCL on the CPU.

A test that proves an order holds the producer's stream, hands the array over, lets the reader run,
and only then releases the producer: nothing depends on how long anything takes.
"""

from anystream.testing._consumers import (
    IgnoringConsumer,
    ReadingConsumer,
    RecordingConsumer,
    Taken,
)
from anystream.testing._cpu_sycl import use_cpu_sycl
from anystream.testing._explore import ExplorationError, Explored, explore
from anystream.testing._exploring import FAULTS, ExploringDevice, ExploringStream, Finding
from anystream.testing._producers import (
    IgnoringProducer,
    OrderingProducer,
    PickyProducer,
    RecordingProducer,
    RecyclingProducer,
)
from anystream.testing._simulated import SimulatedDevice, SimulatedStream, peek, values

__all__ = [
    "FAULTS",
    "ExplorationError",
    "Explored",
    "ExploringDevice",
    "ExploringStream",
    "Finding",
    "IgnoringConsumer",
    "IgnoringProducer",
    "OrderingProducer",
    "PickyProducer",
    "ReadingConsumer",
    "RecordingConsumer",
    "RecordingProducer",
    "RecyclingProducer",
    "SimulatedDevice",
    "SimulatedStream",
    "Taken",
    "explore",
    "peek",
    "use_cpu_sycl",
    "values",
]
