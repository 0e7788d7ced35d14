# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
from typing import final

class VulkanError(RuntimeError): ...  # the function, the VkResult and its name

@final
class Device:
    # A VkDevice: `physical` counts the machine's devices, `family` is one of its queue families
    # that computes; -1: the first. ValueError for others.
    def __init__(self, physical: int = 0, family: int = -1) -> None: ...
    @property
    def number(self) -> int: ...  # DLPack's id of it
    @property
    def name(self) -> str: ...
    @property
    def family(self) -> int: ...

@final
class Queue:
    # A stream on the VkQueue of that index; several may share one. ValueError past the last.
    def __init__(self, device: Device, index: int = 0) -> None: ...
    @property
    def device(self) -> Device: ...
    @property
    def handle(self) -> int: ...
    @property
    def vk_queue(self) -> int: ...
    @property
    def held(self) -> bool: ...
    def hold(self) -> None: ...  # what is queued from now on runs after let_go()
    def let_go(self) -> None: ...
    def idle(self) -> bool: ...  # never waits
    def wait(self) -> None: ...  # without the GIL
    def _lock(self) -> None: ...
    def _unlock(self) -> None: ...

@final
class Memory:
    def __init__(self, device: Device, bytes: bytes) -> None: ...
    @property
    def handle(self) -> int: ...

def peek(handle: int, /) -> bytes: ...  # what the memory holds now
def add(
    queue: Queue,
    target: int,
    target_offset: int,
    source: int,
    source_offset: int,
    count: int,
    rounds: int,
    amount: float,
    /,
) -> None: ...
def register_platform() -> None: ...
def fail_next(function: str, /) -> None: ...  # for tests: the next call of it fails; "" for none
