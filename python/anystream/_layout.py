# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Which memory layouts a library can take."""

from typing import Literal

Layout = Literal["any", "no negative strides", "dense", "row-major"]


def fits(layout: Layout, shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Tell whether an array, strides in elements, has a layout; no elements fit any."""
    if layout == "any" or (layout == "no negative strides" and min(strides, default=0) >= 0):
        return True
    dimensions = [(stride, extent) for extent, stride in zip(shape, strides, strict=True)]
    if any(extent == 0 for extent in shape):
        return True
    # The stride of a dimension with one element says nothing.
    real = [dimension for dimension in dimensions if dimension[1] != 1]
    if layout == "no negative strides":
        return all(stride >= 0 for stride, _ in real)
    return _without_gaps(real if layout == "row-major" else sorted(real, reverse=True))


def _without_gaps(dimensions: list[tuple[int, int]]) -> bool:
    """Tell whether, from the last dimension on, each stride is what the inner ones fill."""
    filled = 1
    for stride, extent in reversed(dimensions):
        if stride != filled:
            return False
        filled *= extent
    return True
