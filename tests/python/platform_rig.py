# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""A device written in Python: streams are worker threads that can be held, memory is poisoned.

It is registered as any package would, by the public API alone. A stream is held, so that what
comes after it is seen not to run; nothing is told by time.
"""

import ctypes
import threading
from collections.abc import Callable
from typing import Any, ClassVar

import anystream

POISON = 0xA5
_LONGEST = 60.0


class Mark:
    """A point in a stream's work."""

    alive = 0
    lock = threading.Lock()

    def __init__(self) -> None:
        self.reached = threading.Event()
        with Mark.lock:
            Mark.alive += 1

    def __del__(self) -> None:
        with Mark.lock:
            Mark.alive -= 1


class LabQueue:
    """A stream: operations run one after another, on its thread, unless it is held."""

    def __init__(self, *, in_order: bool = True, device: int = 0) -> None:
        self.is_in_order, self.device = in_order, device
        self.go, self._wake = threading.Event(), threading.Condition()
        self._steps: list[Callable[[], object]] = []
        self.go.set()
        threading.Thread(target=self._work, daemon=True).start()

    def put(self, step: Callable[[], object]) -> None:
        with self._wake:
            self._steps.append(step)
            self._wake.notify_all()

    def _work(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._steps)
            self.go.wait()
            self._steps[0]()
            with self._wake:
                del self._steps[0]
                self._wake.notify_all()

    def pending(self) -> int:
        with self._wake:
            return len(self._steps)

    def hold(self) -> None:
        self.go.clear()

    def resume(self) -> None:
        self.go.set()

    def drain(self) -> None:
        with self._wake:
            assert self._wake.wait_for(lambda: not self._steps, _LONGEST)


class Memory:
    """The device's memory: bytes of the process's own, poisoned when new and when freed.

    What was freed stays there, so that who is late reads poison and no one else's bytes.
    """

    blocks: ClassVar[dict[int, Any]] = {}
    freed: ClassVar[list[Any]] = []

    @staticmethod
    def new(device: int, nbytes: int, stream: Any) -> int:
        block = (ctypes.c_ubyte * max(nbytes, 1))()
        ctypes.memset(block, POISON, nbytes)
        Memory.blocks[ctypes.addressof(block)] = block
        return ctypes.addressof(block)

    @staticmethod
    def free(device: int, pointer: int, stream: Any) -> None:
        block = Memory.blocks.pop(pointer)
        ctypes.memset(block, POISON, len(block))
        Memory.freed.append(block)

    @staticmethod
    def owns(pointer: int) -> bool:
        return pointer in Memory.blocks


def record(queue: LabQueue) -> Mark:
    mark = Mark()
    reached = mark.reached
    queue.put(reached.set)
    return mark


def wait(queue: LabQueue, mark: Mark) -> None:
    queue.put(mark.reached.wait)


def complete(mark: Mark) -> bool:
    return mark.reached.is_set()


def synchronize(mark: Mark) -> None:
    assert mark.reached.wait(_LONGEST)


def copy(queue: LabQueue, target: Any, source: Any, nbytes: int) -> None:
    queue.put(lambda: ctypes.memmove(target.address, source.address, nbytes))


# All that a platform can have; a test takes some of it away.
WHOLE: dict[str, Any] = {
    "stream": LabQueue,
    "in_order": lambda queue: queue.is_in_order,
    "record": record,
    "wait": wait,
    "complete": complete,
    "synchronize": synchronize,
    "copy": copy,
    "allocate": Memory.new,
    "deallocate": Memory.free,
    "devices": [(0, "accelerator", "the lab's first"), (1, "accelerator", "the lab's second")],
}


def new_queue_class(name: str = "LabQueue") -> type[LabQueue]:
    """Make a further class of streams, since a class is of one platform for good."""
    return type(name, (LabQueue,), {"__module__": "lab", "__qualname__": name})


class LabArray:
    """An array of the lab's; its ``__dlpack__`` ignores the stream, and says what it was sent."""

    deleted = 0

    def __init__(self, inner: anystream.Array) -> None:
        self.inner, self.sent = inner, "never called"

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.inner.__dlpack_device__()

    def __dlpack__(self, *, stream: Any = "nothing", max_version: Any = None) -> Any:
        self.sent = stream
        return self.inner.__dlpack__(stream=-1, max_version=max_version)


class Owner:
    """Memory's owner, which frees it, and counts how often it was let go."""

    gone = 0

    def __init__(self, pointer: int) -> None:
        self.pointer = pointer

    def __del__(self) -> None:
        Owner.gone += 1
        Memory.free(0, self.pointer, None)


def lab_array(device: int, values: int = 8, **more: Any) -> tuple[LabArray, Any]:
    """Make an array on poisoned memory, and the view of its int32s that no stream orders."""
    place = (device, 0)
    pointer = Memory.new(0, 4 * values, None)
    inner = anystream.from_pointer(pointer, (values,), "int32", place, owner=Owner(pointer), **more)
    return LabArray(inner), (ctypes.c_int32 * values).from_address(pointer)


def fill(queue: LabQueue, view: Any, value: int) -> None:
    def run() -> None:
        for i in range(len(view)):
            view[i] = value

    queue.put(run)


def read(queue: LabQueue, view: Any) -> list[int]:
    """Queue a reader; the list is empty until it has run."""
    seen: list[int] = []
    queue.put(lambda: seen.extend(view))
    return seen


class Lab:
    """A registered platform of its own, on a number that DLPack has named no device type for."""

    made = 0

    def __init__(self, without: tuple[str, ...] = (), **changed: Any) -> None:
        Lab.made += 1
        self.type, self.name = 1000 + Lab.made, f"lab{Lab.made}"
        self.queue_class = new_queue_class(f"Queue{Lab.made}")
        given = {**WHOLE, "stream": self.queue_class, **changed}
        self.given = {key: value for key, value in given.items() if key not in without}
        anystream.register_platform(self.type, self.name, **self.given)

    def queue(self, **how: Any) -> LabQueue:
        return self.queue_class(**how)

    def array(self, stream: Any = None, values: int = 8) -> tuple[LabArray, Any]:
        return lab_array(self.type, values, stream=stream)

    def stream(self, queue: LabQueue, device: int = 0, **how: Any) -> anystream.Stream:
        return anystream.Stream(queue, device=(self.type, device), **how)
