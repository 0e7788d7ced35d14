# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Threads that hand over, borrow and release SYCL memory at once, watched: right, and no deadlock.

Each writes slowly on one queue and reads on another, which may be out-of-order and any thread's. No
thread waits on an out-of-order queue: with dpctl alone, several that do were seen to hang for ever
in Intel's runtime (2026.2), where a worker that waits takes up the wait for itself.
"""

import json
from pathlib import Path
from typing import Any

from process_rig import child

THREADS, ROUNDS = 6, 150

SCRIPT = """
from anystream.testing import use_cpu_sycl
use_cpu_sycl()
import random, sys, threading, time
import dpctl, dpctl.memory, dpnp
import numpy as np
import anystream
import sycl_rig
from sycl_rig import ELEMENTS, queue, submit
from sycl_ways import memory_of, to_array, to_dpctl, to_dpnp

THREADS, ROUNDS = map(int, sys.argv[1:3])
SLOW = 100_000  # some 0.5 ms of work: a reader that does not wait reads the value before
SHARED = [queue(in_order=order) for order in (True, False)]
PENDING = (dpctl.event_status_type.submitted, dpctl.event_status_type.running)
submit(SHARED[0], dpctl.memory.MemoryUSMDevice(ELEMENTS * 4, queue=SHARED[0]), 0, 1).wait()
seen = []


def reader(on):
    return on if on.is_in_order else anystream.Stream(on, out_of_order="barrier")


def new(draw, on):
    if draw.random() < 0.5:
        return dpnp.empty(ELEMENTS, dtype="int32", sycl_queue=on)
    return dpctl.memory.MemoryUSMDevice(ELEMENTS * 4, queue=on)


def read(on, memory):
    target = dpctl.memory.MemoryUSMShared(ELEMENTS * 4, queue=on)
    return target, on.memcpy_async(target, memory, ELEMENTS * 4)


def ended(event):
    while event.execution_status in PENDING:
        time.sleep(0)


def check(target, event, value, what):
    ended(event)
    found = np.frombuffer(target, "int32")  # by no queue
    assert (found == value).all(), (what, value, found[found != value][:3])


def policy_of(draw, consumer, *others):
    return draw.choice([*others, "ordered", *["host"] * consumer.is_in_order])


def hand_over(draw, producer, consumer, value):
    way = draw.choice([to_array, to_dpctl, to_dpnp])
    policy = policy_of(draw, consumer, "deferred")
    x = new(draw, producer)
    submit(producer, memory_of(x), value, SLOW)
    with anystream.releasing(policy):
        memory = way(x, producer, reader(consumer))
    del x  # its memory goes back when the reading has ended, and not to be waited for here
    reading = read(consumer, memory)
    del memory
    again = new(draw, producer)  # may be given the memory that has gone back
    submit(producer, memory_of(again), -value, 0)
    check(*reading, value, (way.__name__, policy))


def borrow(draw, producer, consumer, value):
    x = new(draw, producer)
    submit(producer, memory_of(x), value, SLOW)
    release = policy_of(draw, consumer)
    with anystream.borrow(x, stream=reader(consumer), release=release) as a:
        scratch = dpctl.memory.MemoryUSMDevice(ELEMENTS * 4, queue=consumer)
        reading = read(consumer, dpctl.memory.as_usm_memory(a))
    ended(submit(producer, memory_of(x), -value, 0))  # after the reading
    check(*reading, value, ("borrow", release))


def work(number):
    draw, own = random.Random(number), [queue(in_order=order) for order in (True, False)]
    queues = own + SHARED
    try:
        for turn in range(ROUNDS):
            producer, consumer = draw.choice(queues), draw.choice(queues)
            job = draw.choice([hand_over, hand_over, borrow])
            job(draw, producer, consumer, 1 + number * ROUNDS + turn)
        done.append(number)
    except BaseException:
        failed.append(number)
        raise


done, failed = [], []
with anystream.log(seen.append), anystream.trace(sys.argv[3]):
    threads = [threading.Thread(target=work, args=(n,)) for n in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    anystream.synchronize()
assert sorted(done) == list(range(THREADS)), failed
assert anystream.pending_releases() == (0, 0)
print(len(seen))
"""


def test_threads_that_hand_over_borrow_and_release(sycl: Any, tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    printed = child(SCRIPT, arguments=(str(THREADS), str(ROUNDS), str(trace)), timeout=50)
    assert int(printed) == THREADS * ROUNDS  # each is in the log once
    phases = [event["ph"] for event in json.loads(trace.read_text(encoding="utf-8"))]
    assert phases.count("s") == phases.count("f") == THREADS * ROUNDS  # and all went back
