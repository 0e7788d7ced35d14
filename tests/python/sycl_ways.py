# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Every way of handing SYCL memory over, for tests of order. Each gives the memory to be read."""

from collections.abc import Callable
from typing import Any

import anystream


class Handed:
    """A capsule that was got for a named stream, for libraries that ask an object for one."""

    def __init__(self, array: Any, stream: Any) -> None:
        self._capsule = array.__dlpack__(stream=stream, max_version=(1, 0))
        self._device: tuple[int, int] = array.__dlpack_device__()

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device


def memory_of(array: Any) -> Any:
    return array if hasattr(array, "get_usm_type") else array.get_array().usm_data


def to_dpnp(x: Any, producer: Any, stream: Any) -> Any:
    return memory_of(anystream.handoff(x, to="dpnp", stream=stream))


def to_dpctl(x: Any, producer: Any, stream: Any) -> Any:
    return anystream.handoff(x, to="dpctl", stream=stream)


def to_array(x: Any, producer: Any, stream: Any) -> Any:
    import dpctl.memory

    return dpctl.memory.as_usm_memory(anystream.from_dlpack(x, stream=stream))


def by_dlpack(x: Any, producer: Any, stream: Any) -> Any:
    import dpnp

    handed = Handed(anystream.from_dlpack(x), stream)
    return memory_of(dpnp.from_dlpack(handed))


def by_wait_stream(x: Any, producer: Any, stream: Any) -> Any:
    anystream.Stream(stream).wait_stream(producer)
    return memory_of(x)


def by_order(x: Any, producer: Any, stream: Any) -> Any:
    anystream.order(producer=producer, consumer=stream)
    return memory_of(x)


Way = Callable[[Any, Any, Any], Any]
WAYS: list[Way] = [to_dpnp, to_dpctl, to_array, by_dlpack, by_wait_stream, by_order]
