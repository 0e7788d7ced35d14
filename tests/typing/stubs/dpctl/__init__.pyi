# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the types that dpctl does not ship: a queue, as it would be typed."""

from typing_extensions import CapsuleType

class SyclQueue:
    def __init__(self, device: str = ..., /, *, property: str = ...) -> None: ...
    def _get_capsule(self) -> CapsuleType: ...
    @property
    def is_in_order(self) -> bool: ...
