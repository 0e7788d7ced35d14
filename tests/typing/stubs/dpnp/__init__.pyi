# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the types that dpnp does not ship: an array, as it would be typed."""

from typing import Any, Literal

from dpctl import SyclQueue
from typing_extensions import CapsuleType

class ndarray:  # noqa: N801 - its name
    def __dlpack__(
        self,
        /,
        *,
        stream: SyclQueue | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> CapsuleType: ...
    def __dlpack_device__(self) -> tuple[Literal[14], int]: ...
    @property
    def __sycl_usm_array_interface__(self) -> dict[str, Any]: ...
    @property
    def sycl_queue(self) -> SyclQueue: ...

def arange(stop: int, /) -> ndarray: ...
