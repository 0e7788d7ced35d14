# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Devices as values: the numbers of DLPack with their names, from the core's table."""

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from anystream import _core
from anystream._arguments import got, small_int

if TYPE_CHECKING:
    # What a type checker sees of the table; a test holds this list against it.
    class DeviceType(IntEnum):
        """DLPack's device types."""

        CPU = 1
        CUDA = 2
        CUDA_HOST = 3
        OPENCL = 4
        VULKAN = 7
        METAL = 8
        VPI = 9
        ROCM = 10
        ROCM_HOST = 11
        EXT_DEV = 12
        CUDA_MANAGED = 13
        ONE_API = 14
        WEBGPU = 15
        HEXAGON = 16
        MAIA = 17
        TRN = 18
        TPU = 19
        TPU_HOST = 20
        ASCEND = 21
else:
    DeviceType = IntEnum(
        "DeviceType",
        {row["id"].upper(): row["value"] for row in _core.DEVICE_TABLE},
        module=__name__,
    )
    DeviceType.__doc__ = "DLPack's device types."

# Only platforms that share a device type with others are part of a device's identity.
_PLATFORMS = frozenset(row["id"] for row in _core.PLATFORM_TABLE)
_TYPES: dict[int, int] = {row["value"]: DeviceType(row["value"]) for row in _core.DEVICE_TABLE}


class Device:
    """One device: a DLPack device type, a number and, where several share the type, a platform.

    ``Device("cuda:0")``, ``Device("cpu")``, ``Device(DeviceType.CUDA, 1)``, ``Device((2, 0))`` and
    ``Device(another)`` all work. A device is a value: hashable, and equal to any other that names
    the same device. Making one opens no driver; ``kind`` and ``name`` do.

    Raises ValueError for a string outside the grammar (the message lists it) and for a number that
    is negative or past 32 bits, TypeError for anything that names no device.
    """

    __slots__ = ("_id", "_platform", "_type")

    def __init__(
        self,
        device: "str | int | tuple[int, int] | Device",
        number: int | None = None,
        platform: str = "",
    ) -> None:
        """Name a device; ``number`` goes with a device type only."""
        self._type: int
        self._id: int
        if isinstance(device, Device):
            platform = device.platform
        self._type, self._id = _numbers(device, number)
        self._platform = platform if platform in _PLATFORMS else ""

    @property
    def type(self) -> int:
        """The device type: a DeviceType, or the bare number where DLPack has not named it."""
        return _TYPES.get(self._type, self._type)

    @property
    def id(self) -> int:
        """The number of the device, as its runtime counts."""
        return self._id

    @property
    def platform(self) -> str:
        """The platform, where several share the device type ("simulated"); else ""."""
        return self._platform

    @property
    def kind(self) -> str:
        """What it is: "cpu", "gpu", "accelerator" or "other". Opens the driver.

        Raises DriverUnavailable, with every place that was tried, if the driver is not there.
        """
        return str(self._info()["kind"])

    @property
    def name(self) -> str:
        """Its vendor's name for it. Opens the driver; raises as ``kind`` does."""
        return str(self._info()["name"])

    def __dlpack_device__(self) -> tuple[int, int]:
        """Give DLPack's pair: (device type, id)."""
        return (self._type, self._id)

    def __str__(self) -> str:
        """Give the device string, as ``Device(…)`` takes it."""
        return _core.device_name(self._type, self._id)

    def __repr__(self) -> str:
        """Show how to make it."""
        if self._platform:
            return f"Device({self._type}, {self._id}, {self._platform!r})"
        return f"Device({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        """Compare by type, number and platform."""
        if not isinstance(other, Device):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        """Hash what is compared."""
        return hash(self._key())

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by value."""
        return (Device, self._key())

    def _key(self) -> tuple[int, int, str]:
        return (self._type, self._id, self._platform)

    def _info(self) -> dict[str, Any]:
        return _core.device_info(self._type, self._id, self._platform)


def _numbers(device: object, number: int | None) -> tuple[int, int]:
    if isinstance(device, Device) and number is None:
        return device.__dlpack_device__()
    if isinstance(device, str) and number is None:
        return _core.parse_device(device)
    if isinstance(device, tuple) and len(device) == 2 and number is None:
        return pair_of(device, "Device(…)")
    if isinstance(device, int) and not isinstance(device, bool):
        return pair_of((device, 0 if number is None else number), "Device(…)")
    raise TypeError(
        "Device(…) takes a device string, a DeviceType with a number, a pair (type, id) or a "
        f"Device; got {device!r}{'' if number is None else f' and {number!r}'}.\n"
        '  Write Device("cuda:0"), or Device(DeviceType.CUDA, 0).'
    )


def pair_of(pair: Any, where: str) -> tuple[int, int]:
    """Check DLPack's pair (device type, id). Raises TypeError, or ValueError out of range."""
    text = (
        f"{where}: a device is a pair (device type, id) of ints from 0 to {2**31 - 1}; got "
        f"{got(pair)}.\n  DeviceType lists the types; ids count from 0."
    )
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise TypeError(text)
    try:
        return small_int(pair[0]), small_int(pair[1])
    except (TypeError, ValueError) as error:
        raise type(error)(text) from None


def devices() -> list[Device]:
    """List the devices of every driver that can be opened here, the host's first.

    Opens the drivers; a driver that is not there adds nothing (``anystream doctor`` says why).
    ``.kind`` and ``.name`` of each tell what it is. Any thread, with the GIL.
    """
    return [Device(row["type"], row["id"], row["platform"]) for row in _core.devices()]
