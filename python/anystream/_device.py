# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Devices as values: the numbers of DLPack with their names, from the core's table."""

from enum import IntEnum
from typing import TYPE_CHECKING, Any, TypeAlias

from anystream import _core, _platforms
from anystream._arguments import got, small_int, tells_its_parameters
from anystream._entry_points import load_entry_points

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

    class _Named(IntEnum):
        @classmethod
        def _missing_(cls, value: object) -> None:
            names = ", ".join(f"{member.value} {member.name}" for member in cls)
            raise ValueError(
                f"DeviceType(…) takes a number that DLPack has named: {names}; got {got(value)}.\n"
                '  By its name, it is DeviceType["CUDA"]; Device((77, 0)) takes any number.'
            )

    DeviceType = _Named(
        "DeviceType",
        {row["id"].upper(): row["value"] for row in _core.DEVICE_TABLE},
        module=__name__,
    )
    DeviceType.__doc__ = "DLPack's device types."

# Only platforms that share a device type with others are part of a device's identity.
_PLATFORMS = frozenset(row["id"] for row in _core.PLATFORM_TABLE)
_SHARED = {row["value"]: row["id"] for row in _core.PLATFORM_TABLE}
_OWN = {row["value"]: row["backend"] for row in _core.DEVICE_TABLE}
_TYPES: dict[int, int] = {row["value"]: DeviceType(row["value"]) for row in _core.DEVICE_TABLE}


class Device:
    """One device: a DLPack device type, a number and, where several share the type, a platform.

    ``Device("cuda:0")``, ``Device("cpu")``, ``Device(DeviceType.CUDA, 1)``, ``Device((2, 0))`` and
    ``Device(another)`` all work. A device is a value: hashable, and equal to any other that names
    the same device. Making one opens no driver; ``kind`` and ``name`` do.

    Raises ValueError for a string outside the grammar (the message lists it), for a number that is
    negative or past 32 bits and for a platform that its type has not; TypeError for anything that
    names no device, such as a number without a type.
    """

    __slots__ = ("_id", "_platform", "_type")

    @tells_its_parameters
    def __init__(
        self,
        device: "str | int | tuple[int, int] | Device",
        number: int | None = None,
        platform: str = "",
    ) -> None:
        """Name a device; ``number`` goes with a device type only."""
        self._type: int
        self._id: int
        self._type, self._id = _numbers(device, number, "Device(…)")
        own = device.platform if isinstance(device, Device) else ""
        self._platform = own if platform == "" else _checked_platform(self, platform)

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
        """Give the device string, as ``Device(…)`` takes it; a platform is not part of it."""
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


# What names a device; a bare number does not tell its type.
DeviceLike: TypeAlias = str | tuple[int, int] | DeviceType | Device


def made_device(device_type: int, number: int, platform: str) -> Device:
    """Make a device of what the core says, which needs no check."""
    device = object.__new__(Device)
    device._type, device._id = device_type, number
    own = not platform or platform == _OWN.get(device_type)
    shares = not own and (platform in _PLATFORMS or _platforms.is_beside(device_type, platform))
    device._platform = platform if shares else ""
    return device


def named_device(device: Any, where: str) -> Device:
    """Take what names a device for the parameter ``where``, as ``Device(…)`` does."""
    if isinstance(device, Device):
        return device
    return made_device(*_numbers(device, None, where), "")


def _numbers(device: object, number: int | None, where: str) -> tuple[int, int]:
    if number is not None:
        if isinstance(device, int) and not isinstance(device, bool):
            return pair_of((device, number), where)
    elif isinstance(device, Device):
        return device.__dlpack_device__()
    elif isinstance(device, str):
        return _core.parse_device(device)
    elif isinstance(device, tuple) and len(device) == 2:
        return pair_of(device, where)
    elif isinstance(device, DeviceType):
        return int(device), 0
    raise TypeError(_no_device(device, number, where))


def _no_device(device: object, number: int | None, where: str) -> str:
    fix = 'Write "cuda:0", or anystream.Device("cuda:0").'
    if number is None and isinstance(device, int) and not isinstance(device, bool):
        fix = f"A number alone does not tell its type. {fix}"
    return (
        f"{where} takes a device string, a DeviceType (or any number of one, with an id), a pair "
        f"(type, id) or a Device; got {got(device)}"
        f"{'' if number is None else f' and {got(number)}'}.\n  {fix}"
    )


def _checked_platform(device: Device, platform: object) -> str:
    """Give what is part of the device's identity; its type's only platform is not."""
    kind, _ = device.__dlpack_device__()
    if isinstance(platform, str) and platform == _SHARED.get(kind):
        return platform
    if isinstance(platform, str) and platform == _OWN.get(kind):
        return ""
    if isinstance(platform, str) and (found := _platforms.find(kind, platform)):
        return "" if found["own"] else platform
    rows = (*_core.PLATFORM_TABLE, *_platforms.rows())
    several = " or ".join(
        f'"{row["id"]}" of {row["device"] or row["value"]}' for row in rows if not row.get("own")
    )
    raise (ValueError if isinstance(platform, str) else TypeError)(
        f"Device(platform=…) takes the name of a platform that shares its device type: {several}; "
        f"got {got(platform)} for {_core.device_name(*device.__dlpack_device__())}.\n"
        "  Leave it out."
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


@tells_its_parameters
def devices() -> list[Device]:
    """List the devices of every driver that can be opened here, the host's first.

    Opens the drivers, and asks other packages for platforms of theirs; a driver that is not there
    adds nothing (``anystream doctor`` says why).
    ``.kind`` and ``.name`` of each tell what it is. Any thread, with the GIL.
    """
    load_entry_points()
    return [made_device(row["type"], row["id"], row["platform"]) for row in _core.devices()]
