# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""One table of device types: it equals dlpack.h, and Python's equals it."""

import re

from built import dlpack_folder, package
from sources import ROOT

# Assigned on DLPack's main branch, in no released header so far.
NEWER = {"kDLTPU": 19, "kDLTPUHost": 20, "kDLAscend": 21}
NEVER_ASSIGNED = {5, 6}

ROW = re.compile(r'^ANYSTREAM_DEVICE\((\w+),\s*(\d+),\s*"(\w+)",\s*"(\w+)"', re.MULTILINE)


def table() -> dict[str, int]:
    text = (ROOT / "include/anystream/device_types.def").read_text(encoding="utf-8")
    return {spelling: int(value) for _, value, spelling, _ in ROW.findall(text)}


def names() -> list[str]:
    text = (ROOT / "include/anystream/device_types.def").read_text(encoding="utf-8")
    return [name for _, _, _, name in ROW.findall(text)]


def header() -> dict[str, int]:
    text = (dlpack_folder() / "dlpack/dlpack.h").read_text(encoding="utf-8")
    body = re.search(r"typedef enum[^{]*\{([^}]*kDLCPU[^}]*)\}\s*DLDeviceType", text)
    assert body is not None, "dlpack.h has no DLDeviceType that this test can read"
    return {name: int(value) for name, value in re.findall(r"(kDL\w+)\s*=\s*(\d+)", body.group(1))}


def test_the_table_is_the_header_and_the_newer_values() -> None:
    assert len(header()) >= 16
    assert table() == NEWER | header()


def test_the_table_is_sorted_and_whole() -> None:
    values = list(table().values())
    assert values == sorted(set(values))
    assert set(range(1, 22)) - set(values) == NEVER_ASSIGNED


def test_names_are_words_of_their_own() -> None:
    assert len(set(names())) == len(names()) == len(table())


def test_python_has_the_table() -> None:
    package()
    import anystream

    rows = anystream._core.DEVICE_TABLE
    assert {row["dlpack"]: row["value"] for row in rows} == table()
    assert [row["name"] for row in rows] == names()
    assert {kind.value for kind in anystream.DeviceType} == set(table().values())
