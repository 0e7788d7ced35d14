# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What handoff gives where no library is installed: Any, and no error but for what is wrong."""

from typing import Any, assert_type

import anystream


def by_name(x: object, many: list[object], named: dict[str, object]) -> None:
    assert_type(anystream.handoff(x, to="torch"), Any)
    assert_type(anystream.handoff(x, to="mlx.core"), Any)
    assert_type(anystream.handoff(x, to="pyopencl"), Any)
    for tensor in anystream.handoff(many, to="torch"):
        tensor.anything()
    assert_type(anystream.handoff(named, to="engine"), dict[str, Any])


def wrong(x: object, many: list[object]) -> None:
    anystream.handoff(x, to=7)  # E: call-overload
    anystream.handoff(x, to="torch", copy="no")  # E: call-overload
    anystream.handoff(many, to="torch").anything()  # E: attr-defined
