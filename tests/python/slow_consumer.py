# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""A loop of hand-offs to a consumer that is slower than the loop: what is pending, at most."""

import sys
from pathlib import Path
from typing import NamedTuple

import anystream
from anystream.testing import SimulatedDevice
from way_back_rig import Pool

_PAGE = 4096
_SLOW = 20e-6  # seconds, at most, before each of the device's operations


class Told(NamedTuple):
    """What a loop came to."""

    arrays: int
    most_pending: int
    growth: int  # bytes, from a tenth of the loop to its end
    blocks: int  # of memory that the producer needed


def resident() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * _PAGE


def hand_over(arrays: int) -> Told:
    """Hand arrays of a pool over, one by one, and drop each with its consumer's work pending."""
    device = SimulatedDevice(seed=1, max_delay=_SLOW)
    producer, consumer = device.stream("producer"), device.stream("consumer")
    pool = Pool(device, producer)
    most, before = 0, 0
    for number in range(arrays):
        array = anystream.from_dlpack(
            pool.array(number & 255), stream=consumer, producer_stream=producer
        )
        if number % 16 == 0:
            consumer.fill(array, 3)
        del array
        if number % 100 == 0:
            most = max(most, anystream.pending_releases().number)
        if number == arrays // 10:
            before = resident()
    growth = resident() - before
    anystream.synchronize()
    return Told(arrays, most, growth, len(pool.free))


if __name__ == "__main__":
    print(hand_over(int(sys.argv[1])))
