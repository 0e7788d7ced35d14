# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Hand arrays from one library's stream to another's: zero-copy, ordered on the device.

    y = anystream.handoff(x, to="torch", stream=s)

Importing this package imports nothing but the standard library and opens no driver.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from anystream._borrow import borrow
from anystream._core import (
    _C_API as _C_API,
)
from anystream._core import (
    Array,
    DriverError,
    DriverUnavailable,
    Event,
    OrderingError,
    Stream,
    __version__,
    _configure,
    _quick_handoff,
    from_dlpack,
    use_stream,
)
from anystream._current import current_stream
from anystream._device import Device, DeviceType, devices, made_device
from anystream._drivers import search_paths
from anystream._dtype import DType, dtype_of_numbers
from anystream._entry_points import load_entry_points
from anystream._exporter import ConsumerStream, DLPackMixin, from_pointer, resolve_stream
from anystream._handoff import SIGNATURE, explain, hand_on, import_array
from anystream._handoff import handoff as _handoff_whole
from anystream._log import log, log_as_the_environment_says
from anystream._peers import STREAM_CLASSES
from anystream._plan import Plan, Step
from anystream._register import register_platform, register_stream_type
from anystream._register_library import register_library
from anystream._release import (
    PendingReleases,
    pending_releases,
    releasing,
    set_pending_limit,
    synchronize,
)
from anystream._streams import known_sycl_queues, order
from anystream._strict import strict
from anystream._warnings import ReadOnlyWarning
from anystream._watch import HandOff

if TYPE_CHECKING:
    from anystream import testing, typing
    from anystream._handoff_types import handoff
    from anystream._markers import is_on
    from anystream._trace import trace

__all__ = [
    "Array",
    "ConsumerStream",
    "DLPackMixin",
    "DType",
    "Device",
    "DeviceType",
    "DriverError",
    "DriverUnavailable",
    "Event",
    "HandOff",
    "OrderingError",
    "PendingReleases",
    "Plan",
    "ReadOnlyWarning",
    "Step",
    "Stream",
    "__version__",
    "borrow",
    "current_stream",
    "devices",
    "explain",
    "from_dlpack",
    "from_pointer",
    "handoff",
    "is_on",
    "log",
    "order",
    "pending_releases",
    "register_library",
    "register_platform",
    "register_stream_type",
    "releasing",
    "resolve_stream",
    "set_pending_limit",
    "strict",
    "synchronize",
    "testing",
    "trace",
    "typing",
    "use_stream",
]

_configure(
    make_device=made_device,
    make_dtype=dtype_of_numbers,
    import_array=import_array,
    plan_class=Plan,
    stream_classes=STREAM_CLASSES,
    known_sycl_queues=known_sycl_queues,
    search_paths=search_paths,
    entry_points=load_entry_points,
)

if not TYPE_CHECKING:
    # What has been planned already is done by the extension; everything else by what it wraps.
    handoff = _quick_handoff(_handoff_whole, hand_on, SIGNATURE)

log_as_the_environment_says()


def __getattr__(name: str) -> Any:
    """Import what few programs need where it is first used."""
    if name in ("testing", "typing"):
        return import_module(f"anystream.{name}")
    if name == "is_on":
        found = globals()["is_on"] = import_module("anystream._markers").is_on
        return found
    if name == "trace":  # it brings json along
        return import_module("anystream._trace").trace
    raise AttributeError(f"module 'anystream' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List what is public."""
    return list(__all__)
