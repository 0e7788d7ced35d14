# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Tells by how much a process grows that hands arrays to a consumer which is slower than it.

usage: releases.py ARRAYS

Each array is dropped with the consumer's work on it pending, and the consumer stands still half of
the time: what waits to go back stays under the limit, and memory is used again and again.
"""

import sys

import anystream
from anystream.testing import RecyclingProducer, SimulatedDevice
from apart import LIMIT, resident, run_apart
from rotation import SMOKE, Effort

TITLE = "growth of a process with a slow consumer"
ARRAYS, FEW = 1_000_000, 10_000
PENDING = 1000
STANDS = 300  # arrays


def hand_over(arrays: int) -> tuple[float, int]:
    """Return the growth of the second half in MiB, and how many releases were pending."""
    anystream.set_pending_limit(number=PENDING)
    device = SimulatedDevice()
    producer, consumer = device.stream("producer"), device.stream("consumer")
    library = RecyclingProducer(device, producer)
    most, before = 0, 0
    for number in range(arrays):
        x = library.full(8, number & 255, "int32")
        array = anystream.from_dlpack(x, stream=consumer, producer_stream=producer)
        consumer.fill(array, 3)
        del array, x
        if number % STANDS == 0:
            pending = anystream.pending_releases().number
            most = max(most, pending)
            # Not where the limit would be reached meanwhile: then the loop would wait for itself.
            stands = number // STANDS % 2 and pending < PENDING - STANDS
            consumer.hold() if stands else consumer.release()
        if number == arrays // 2:
            before = resident()
    consumer.release()
    anystream.synchronize()
    return (resident() - before) / 2**20, most


def main() -> None:
    """Print one line."""
    arrays = int(sys.argv[1])
    grown, most = hand_over(arrays)
    # What a limit lets through: the array that is handed over while there is room for one.
    word = "reached" if grown < LIMIT and most <= PENDING + 1 else "not reached"
    told = f"{arrays} arrays, at most {most} releases pending (limit {PENDING})"
    print(f"{told}, {grown:.2f} MiB   under {LIMIT:.2f} MiB   {word}", flush=True)


def bench_releases(effort: Effort) -> None:
    """Run this file, and print what it says."""
    run_apart(TITLE, __file__, FEW if effort is SMOKE else ARRAYS)


if __name__ == "__main__":
    main()
