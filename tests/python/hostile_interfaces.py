# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Hostile interface dicts: every key of every interface missing, and with values of every kind."""

from typing import Any

from hostile import Case
from interface_rig import CUDA, HOST, MISSING, USM, Described

INTERFACES = (HOST, CUDA, USM)


class Odd:
    """Answers with nonsense whatever it is asked."""

    def __index__(self) -> int:
        return "one"  # type: ignore[return-value] # noqa: PLE0305

    def __len__(self) -> int:
        return -1  # noqa: PLE0303

    def __iter__(self) -> Any:
        return 7

    def __repr__(self) -> str:
        return "an odd one"


# Right in no key of no interface.
NOWHERE: list[Any] = [
    object(),
    Odd(),
    1.5,
    float("nan"),
    float("inf"),
    1j,
    ...,
    NotImplemented,
    int,
    len,
    {"shape": 1},
    {1, 2},
    frozenset(),
    range(2),
    "nonsense",
    "\x00",
    "\ud800",
    b"<f4",
    -1,
    2**63,
    -(2**63) - 1,
    10**30,
    (None,),
    [None, None],
    (object(), object()),
    ((2, 3), (2, 3)),
    ("2", "3"),
    (2.0, 3.0),
    (10**30, 10**30),
    (-(2**63) - 1, 1),
]
# Wrong in these, though right in others.
WRONG_IN: dict[str, list[Any]] = {
    "shape": [MISSING, None, 6, (-1, 3), (2, -3), (True, 3), (2**63, 1), (1,) * 65, "23"],
    "typestr": [
        *(MISSING, None, 4, "", "<", "f4", "<f", "<f-4", "<f4 ", " <f4", "<f04", ">f4", "|f4"),
        *("<f3", "<f16", "<c2", "<i16", "|O", "|O8", "|V8", "<U3", "|S3", "<M8[ns]", "<m8", "|t1"),
        *("<\u0664f4", "<f\u0664", "<F4", "<b1x", "<f4" * 1000),
    ],
    "data": [
        *(None, 0, 8, (), [], (8,), (8, False, 0), (-8, False), (2**63, False), (8, 2), (8, None)),
        *((None, False), ("8", False), (8.0, False), (True, False), (0, False)),
    ],
    "version": [MISSING, None, 9, "3", 3.0, (3,), True, 2**31 + 3],
    "strides": [12, (12,), (12, 4, 4), (12, 4.0), (12, None), (2**62, 4), (5, 4), (True, 4)],
}
WRONG_OF: dict[str, dict[str, list[Any]]] = {
    CUDA: {"data": [MISSING], "stream": [0, -2, "1", 1.0, True, 2**63, (1,)]},
    USM: {"data": [MISSING], "syclobj": [MISSING, None, "level_zero:99", 2**31, (), {}, True]},
    HOST: {},
}


def _case(interface: str, key: str, value: Any) -> Case:
    what = "missing" if value is MISSING else f"{value!a:.30}"

    def build() -> Any:
        return Described(interface, **({"syclobj": 0} if interface == USM else {}) | {key: value})

    # What else is wrong may be said first; but of this interface, or of what it makes of an array.
    says = rf"{interface}|array|buffer|63 bits|dimensions|surrogates"
    return Case(interface, f"{key} {what}", build, (BufferError, TypeError, ValueError), says)


def _cases() -> list[Case]:
    return [
        _case(interface, key, value)
        for interface in INTERFACES
        for key in (*WRONG_IN, *WRONG_OF[interface])
        for value in (*NOWHERE, *WRONG_IN.get(key, ()), *WRONG_OF[interface].get(key, ()))
    ]


DICTS = _cases()
# What is no dict at all.
VALUES: list[Any] = [0, 1, "dict", b"", (), [], [("shape", (2, 3))], object(), {}.keys(), Odd()]
