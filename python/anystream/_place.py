# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Where memory is, as its driver says, and the device that a library works on.

On CUDA and ROCm a thread has a current device, and libraries take it for that of their arrays:
torch refuses an array of another, cupy and paddle look for their stream there.
"""

from types import TracebackType

from anystream._core import enter_device, leave_device, memory_device
from anystream._device import Device, DeviceType
from anystream._streams import can_order, row_of

_NUMBERED = ("cuda", "rocm")  # platforms whose streams are numbers, which have all of this


def has_current_device(device: Device) -> bool:
    """Tell whether threads have a current device of that platform, and its driver is here."""
    return row_of(device).get("integers") in _NUMBERED and can_order(device)


class OnDevice:
    """Make a device the current one of this thread for a block; the caller's own is put back."""

    __slots__ = ("_before", "_device")

    def __init__(self, device: Device) -> None:
        """Take the device; nothing is done on platforms without a current device."""
        self._device = device if has_current_device(device) else None
        self._before: int | None = None

    def __enter__(self) -> None:
        """Make it current."""
        if self._device is not None:
            device = self._device
            self._before = enter_device(device.type, device.id, device.platform)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Put back what was current."""
        if self._device is not None and self._before is not None:
            device = self._device
            leave_device(device.type, device.id, device.platform, self._before)


def located(pointer: int) -> Device:
    """Find the device of memory that an interface calls CUDA's; ``cuda:0`` where no driver is here.

    Pinned and managed memory have types of their own.
    """
    for kind in (DeviceType.CUDA, DeviceType.ROCM):
        claimed = Device(kind)
        if can_order(claimed):
            return Device(memory_device(claimed.type, claimed.id, "", pointer))
    return Device(DeviceType.CUDA)
