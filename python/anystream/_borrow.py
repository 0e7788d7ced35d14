# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Borrowing an array for a block: it is ready inside, and brought back on leaving."""

from typing import TYPE_CHECKING, Any, Generic, Literal, TypedDict, Unpack, overload

from anystream._arguments import check_policy
from anystream._generic import PlatformT_co
from anystream._handoff import import_array
from anystream._release import Release, check_release, release_here

if TYPE_CHECKING:
    from anystream._core import Array, _HasArray, _OnOneAPI, _Untold
    from anystream._generic import PlatformT
    from anystream._markers import (
        Cpu,
        Cuda,
        CudaHost,
        CudaManaged,
        Metal,
        OneAPI,
        OpenCL,
        Rocm,
        RocmHost,
    )
    from anystream.typing import SupportsDLPackDevice

_NAME = "borrow"


class _Policies(TypedDict, total=False):
    """The keywords of ``borrow``."""

    stream: Any
    producer_stream: Any
    ordering: Literal["device", "host", "none"]
    strict: bool | None
    release: Release | None


class borrow(Generic[PlatformT_co]):  # noqa: N801 - it is called like a function
    """Use an array of any library on a stream for a block, and bring it back.

        with anystream.borrow(x, stream=s) as a: ...

    Inside, ``a`` is an ``anystream.Array`` of x's memory, in order on ``stream``, as
    ``from_dlpack`` gives it. On leaving, also by an error, the stream that x's work is on waits for
    what a was used for: on ``stream``, on those that it was exported for by
    ``__dlpack__(stream=…)``, and on those of ``a.record_stream(s)``. So the producer may read and
    write x again on its own stream at once, without the host waiting for anything. Where that
    stream is not known, nothing can be made to wait, as the plan says: name it, producer_stream=.

    x is one array; the keywords are those of ``from_dlpack``, and so is what is raised. ``release``
    is how it is brought back: "ordered", by the device; "host", by waiting here; "none", not at
    all. "deferred" is a ValueError, since it has nothing wait when the block ends; a block of
    ``releasing("deferred")`` leaves a borrow "ordered". A borrow can be entered once. ``a`` must
    not be used after the block, but for further uses that are brought back by ``a.release()``.
    DriverError on leaving: the driver failed. Any thread; the GIL is dropped for a wait.
    """

    __slots__ = ("_array", "_policies", "_x")

    @overload
    def __init__(
        self: "borrow[PlatformT]",
        x: "Array[PlatformT] | _HasArray[PlatformT]",
        **policies: Unpack[_Policies],
    ) -> None: ...
    @overload
    def __init__(self: "borrow[Any]", x: "_Untold", **policies: Unpack[_Policies]) -> None: ...
    @overload
    def __init__(
        self: "borrow[Cpu]", x: "SupportsDLPackDevice[Literal[1]]", **policies: Unpack[_Policies]
    ) -> None: ...
    @overload
    def __init__(
        self: "borrow[Cuda]", x: "SupportsDLPackDevice[Literal[2]]", **policies: Unpack[_Policies]
    ) -> None: ...
    @overload
    def __init__(
        self: "borrow[CudaHost]",
        x: "SupportsDLPackDevice[Literal[3]]",
        **policies: Unpack[_Policies],
    ) -> None: ...
    @overload
    def __init__(
        self: "borrow[CudaManaged]",
        x: "SupportsDLPackDevice[Literal[13]]",
        **policies: Unpack[_Policies],
    ) -> None: ...
    @overload
    def __init__(
        self: "borrow[Rocm]", x: "SupportsDLPackDevice[Literal[10]]", **policies: Unpack[_Policies]
    ) -> None: ...
    @overload
    def __init__(
        self: "borrow[RocmHost]",
        x: "SupportsDLPackDevice[Literal[11]]",
        **policies: Unpack[_Policies],
    ) -> None: ...
    @overload
    def __init__(self: "borrow[OneAPI]", x: "_OnOneAPI", **policies: Unpack[_Policies]) -> None: ...
    @overload
    def __init__(
        self: "borrow[OpenCL]", x: "SupportsDLPackDevice[Literal[4]]", **policies: Unpack[_Policies]
    ) -> None: ...
    @overload
    def __init__(
        self: "borrow[Metal]", x: "SupportsDLPackDevice[Literal[8]]", **policies: Unpack[_Policies]
    ) -> None: ...
    @overload
    def __init__(self: "borrow[Any]", x: Any, **policies: Unpack[_Policies]) -> None: ...
    def __init__(
        self,
        x: Any,
        *,
        stream: Any = None,
        producer_stream: Any = None,
        ordering: Literal["device", "host", "none"] = "device",
        strict: bool | None = None,
        release: Release | None = None,
    ) -> None:
        """Take note of x; nothing is done before the block is entered."""
        check_policy(_NAME, None, ordering, strict)
        _check_release(release)
        self._x = x
        self._array: Array[PlatformT_co] | None = None
        self._policies: dict[str, Any] = {
            "stream": stream,
            "producer_stream": producer_stream,
            "ordering": ordering,
            "strict": strict,
            "release": release or _release_of_the_block(),
        }

    def __enter__(self) -> "Array[PlatformT_co]":
        """Import x, in order."""
        if isinstance(self._x, (list, tuple, dict)) and not hasattr(type(self._x), "__dlpack__"):
            raise TypeError(
                f"anystream.borrow(x) takes one array; got a {type(self._x).__name__}.\n"
                "  Borrow each: contextlib.ExitStack enters many."
            )
        if self._array is not None:
            raise RuntimeError("a borrow can be entered once.\n  Write anystream.borrow(x) again.")
        # Without a copy: there would be nothing to bring back.
        array: Array[PlatformT_co]
        array = import_array(self._x, copy=False, method=_NAME, **self._policies)
        self._array, self._x = array, None
        return array

    def __exit__(self, *error: object) -> None:
        """Bring it back."""
        if self._array is not None:
            self._array.release()


def _check_release(release: Release | None) -> None:
    if release is None:
        return
    check_release(release, f"{_NAME}(release=…)")
    if release == "deferred":
        raise ValueError(
            f'{_NAME}(release=…) takes "ordered", "host" or "none"; got \'deferred\', which has '
            "nothing wait when the block ends.\n"
            '  "ordered" has the producer\'s stream wait on the device, and nobody else.'
        )


def _release_of_the_block() -> Release:
    """Give what holds here; what has memory kept orders no writes, which a borrow is for."""
    here = release_here(None, _NAME)
    return "ordered" if here == "deferred" else here
