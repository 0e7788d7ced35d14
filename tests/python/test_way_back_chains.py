# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Chains of hand-offs through real libraries, dropped in every order, with work pending, at exit.

Whoever goes first, the memory stays until the last is done, and its owner is let go once.
"""

import gc
import importlib.util
import threading
from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest

import anystream
from anystream.testing import SimulatedDevice, values
from process_rig import silent_child
from way_back_rig import ELEMENTS, Pool, all_equal

np = pytest.importorskip("numpy", reason="numpy is not installed")

HOST = [
    name for name in ("numpy", "torch", "tvm_ffi") if importlib.util.find_spec(name) is not None
]
CHAINS = [(a, b) for a in HOST for b in HOST]


class Owner:
    """Owns memory of the host; `gone` counts."""

    def __init__(self) -> None:
        self.memory = np.full(ELEMENTS, 7, np.int32)
        self.__array_interface__ = self.memory.__array_interface__


def host_chain(line: tuple[str, ...]) -> tuple[list[Any], Callable[[], object]]:
    import weakref

    owner = Owner()
    gone = weakref.ref(owner)
    held: list[Any] = [np.asarray(owner)]
    del owner
    for to in line:
        held.append(anystream.handoff(held[-1], to=to))
    return held, gone


def drop(held: list[Any], one: int, where: str) -> None:
    """Drop in this thread, with the GIL; or in another one."""
    if where == "here":
        held[one] = None
        return

    def away() -> None:
        held[one] = None

    thread = threading.Thread(target=away)
    thread.start()
    thread.join()


@pytest.mark.parametrize("where", ["here", "in a thread"])
@pytest.mark.parametrize("line", CHAINS, ids="-".join)
def test_chains_on_the_host(line: tuple[str, ...], where: str) -> None:
    for order in permutations(range(3)):
        held, gone = host_chain(line)
        for step, one in enumerate(order):
            assert gone() is not None
            for rest in order[step:]:
                assert np.from_dlpack(held[rest]).tolist() == all_equal(7)
            drop(held, one, where)
        gc.collect()
        assert gone() is None


@pytest.mark.parametrize("where", ["here", "in a thread"])
@pytest.mark.parametrize("through", ["Array", "tvm_ffi"])
def test_chains_on_the_simulated_device(through: str, where: str) -> None:
    """A pool's memory, by three streams, the last of which is held with its reader pending."""
    if through == "tvm_ffi":
        pytest.importorskip("tvm_ffi", reason="tvm_ffi is not installed (PEERS=all installs it)")
    for order in permutations(range(3)):
        device = SimulatedDevice()
        home = device.stream("home")
        pool = Pool(device, home)
        streams = [device.stream() for _ in range(3)]
        held: list[Any] = [pool.array(7)]
        before = home
        for stream in streams:
            policies: dict[str, Any] = {"stream": stream, "producer_stream": before}
            if through == "tvm_ffi":
                held.append(anystream.handoff(held[-1], to="tvm_ffi", **policies))
            else:
                held.append(anystream.from_dlpack(held[-1], **policies))
            before = stream
        held.pop(0)
        for stream in (home, *streams):
            stream.synchronize()
        streams[2].hold()
        target = device.empty((ELEMENTS,), "int32", streams[2])
        streams[2].copy(target, anystream.from_dlpack(held[2], producer_stream=streams[2]))
        for one in order:
            assert not pool.free
            drop(held, one, where)
        gc.collect()
        assert not pool.free  # the reader is pending, and nobody else holds the memory
        again = pool.array(9)
        streams[2].release()
        streams[2].synchronize()
        assert values(target) == all_equal(7)
        del again
        anystream.synchronize()
        assert len(pool.free) == 2


@pytest.mark.parametrize("where", ["here", "in a thread"])
@pytest.mark.parametrize("line", [("dpnp", "dpnp"), ("dpnp", "Array"), ("Array", "dpnp")])
def test_chains_on_sycl(sycl: Any, line: tuple[str, ...], where: str) -> None:
    import dpnp

    for order in permutations(range(3)):
        queues = [sycl.queue() for _ in range(3)]
        held: list[Any] = [dpnp.full(sycl.ELEMENTS, 7, dtype="int32", sycl_queue=queues[0])]
        for to, stream in zip(line, queues[1:], strict=True):
            if to == "Array":
                held.append(anystream.from_dlpack(held[-1], stream=stream))
            else:
                held.append(anystream.handoff(held[-1], to=to, stream=stream))
        last = queues[-1]
        memory = sycl.raw_memory_of(held[-1])
        scratch = sycl.zeros("dpctl", last)
        work = sycl.write_slowly(last, scratch, 1)
        target = sycl.zeros_shared(last)
        last.memcpy_async(target, memory, sycl.ELEMENTS * 4)
        del memory
        for one in order:
            drop(held, one, where)
        pending = sycl.pending(work)
        again = dpnp.full(sycl.ELEMENTS, 9, dtype="int32", sycl_queue=queues[0])
        last.wait()
        assert pending
        assert (np.frombuffer(target.tobytes(), dtype="int32") == 7).all()
        del again
        anystream.synchronize()


@pytest.mark.parametrize("end", ["", "os._exit(0)", "sys.exit(0)"])
def test_chains_at_exit(end: str) -> None:
    """With work pending on a stream that nobody releases: what is left goes with the process."""
    silent_child(
        """
        import os, sys, threading
        import anystream
        from anystream.testing import SimulatedDevice
        device = SimulatedDevice()
        streams = [device.stream() for _ in range(3)]
        held = [device.full(8, 7, "int32", streams[0])]
        for stream in streams[1:]:
            held.append(anystream.from_dlpack(held[-1], stream=stream))
        streams[1].hold()
        streams[1].fill(held[1], 5)
        dropped = held.pop(1)
        del dropped
        held.pop()
        assert anystream.pending_releases().number >= 0
        """,
        end,
    )
