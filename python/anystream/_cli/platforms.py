# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Whether SYCL can be used here, with the CPU's runtime made visible to it."""

from importlib.util import find_spec

from anystream import DriverUnavailable, _core
from anystream._device import DeviceType
from anystream.testing import use_cpu_sycl

_PACKAGES = ("dpctl", "dpnp")


def why_no_sycl() -> str:
    """Make SYCL usable if that can be; "" when it is, else why not."""
    missing = [package for package in _PACKAGES if find_spec(package) is None]
    if missing:
        return "not installed: " + ", ".join(missing)
    return _why_no_device(_why_no_cpu_runtime()) or _why_no_driver()


def _why_no_cpu_runtime() -> str:
    try:
        use_cpu_sycl()
    except (LookupError, RuntimeError) as reason:  # no matter where SYCL has another device
        return str(reason).partition("\n")[0]
    return ""


def _why_no_device(hint: str) -> str:
    try:
        import dpctl
    except (ImportError, OSError) as broken:
        return f"dpctl cannot be imported: {broken}"
    if dpctl.get_num_devices() > 0:
        return ""
    return f"SYCL has no device here. {hint}".strip()


def _why_no_driver() -> str:
    """Ask anystream's own driver, which may be told to be another library than dpctl's."""
    try:
        _core.device_info(DeviceType.ONE_API, 0)
    except (DriverUnavailable, ValueError) as reason:
        return " ".join(str(reason).split())
    return ""
