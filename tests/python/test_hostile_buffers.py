# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Buffers whose exporters lie: refused by the field that is wrong, and given back each time."""

import gc

import pytest

import anystream
import hostile_buffers
from hostile import Case, parametrized, refused


def test_the_stand_in_is_right_where_nothing_is_wrong() -> None:
    x = hostile_buffers.exporter()
    array = anystream.from_dlpack(x)
    assert (array.shape, array.strides, str(array.dtype)) == ((2, 3), (3, 1), "float32")
    assert array.plan.protocol.what == "the buffer protocol"
    kind = type(x)
    del x
    gc.collect()
    assert (kind.views, kind.released) == (1, 0)
    del array
    assert (kind.views, kind.released) == (1, 1)


@parametrized(hostile_buffers.BUFFERS)
def test_a_buffer(case: Case) -> None:
    kinds = []

    def take(x: hostile_buffers.Exporter) -> anystream.Array:
        kinds.append(type(x))
        return anystream.from_dlpack(x)

    refused(case, take)
    gc.collect()
    assert kinds[0].views == kinds[0].released == 1


def test_one_without_a_format_is_of_bytes() -> None:
    x = hostile_buffers.exporter(format=None, itemsize=1, len=6, strides=(3, 1))
    assert str(anystream.from_dlpack(x).dtype) == "uint8"


@pytest.mark.parametrize("strides", [None, (12, 4), (-12, -4), (0, 0)])
def test_strides_that_are_right(strides: tuple[int, int] | None) -> None:
    x = hostile_buffers.exporter(strides=strides)
    expected = (3, 1) if strides is None else tuple(stride // 4 for stride in strides)
    assert anystream.from_dlpack(x).strides == expected
