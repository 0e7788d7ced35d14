# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Queues to try things with: how each platform makes one."""

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from anystream.testing import SimulatedDevice

_name_of = ctypes.pythonapi.PyCapsule_GetName
_name_of.argtypes, _name_of.restype = (ctypes.py_object,), ctypes.c_char_p
_set_name = ctypes.pythonapi.PyCapsule_SetName
_set_name.argtypes = (ctypes.py_object, ctypes.c_char_p)

# PyCapsule_SetName keeps the pointer, so that a name has to outlive every capsule.
_used_names: dict[bytes, bytes] = {}


@dataclass(frozen=True)
class Queues:
    """The two kinds of queue of one platform."""

    platform: str
    in_order: Callable[[], Any]
    out_of_order: Callable[[], Any]

    def capsule(self) -> Any:
        """Make a capsule that holds an in-order queue."""
        return self.in_order()._get_capsule()

    def used_capsule(self) -> Any:
        """Make the same, renamed as a library that consumes capsules does."""
        capsule = self.capsule()
        name = _name_of(capsule)
        _set_name(capsule, _used_names.setdefault(name, b"used_" + name))
        return capsule


def sycl_queues() -> Queues:
    """Queues of dpctl, on its default device."""
    import dpctl

    return Queues("sycl", lambda: dpctl.SyclQueue(property="in_order"), dpctl.SyclQueue)


def simulated_queues(device: SimulatedDevice) -> Queues:
    """Streams of a simulated device."""
    return Queues("simulated", device.stream, lambda: device.stream(in_order=False))
