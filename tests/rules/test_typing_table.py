# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The table of docs/typing.md is made of the types and of the device table."""

import typing_table
from built import package


def test_the_page_has_it() -> None:
    package()
    wanted = typing_table.table()
    assert typing_table.written() == wanted, f"docs/typing.md; it should be:\n{wanted}"


def test_every_marker_and_every_type_is_in_it() -> None:
    package()
    import anystream

    wanted = typing_table.table()
    assert all(f"`{name}`" in wanted for name in typing_table.markers())
    capsules = {name for row in anystream._core.DEVICE_TABLE for name in row["capsules"]}
    capsules |= {name for row in anystream._core.PLATFORM_TABLE for name in row["capsules"]}
    from anystream._capsules import NAMES

    assert NAMES.keys() == capsules | {"dltensor", "dltensor_versioned"}


def test_the_types_of_capsules_say_their_names() -> None:
    package()
    from anystream._capsules import NAMES

    for name, kind in NAMES.items():
        assert f'"{name}"' in (kind.__doc__ or "")
