# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays of any element type, and the types that ml_dtypes adds to NumPy."""

import ctypes

from anystream import Array, DType, _core

WHOLE = [
    *("bfloat16", "complex32", "bcomplex32", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz"),
    *("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"),
]
SMALL = [
    *("int1", "int2", "int4", "uint1", "uint2", "uint4"),
    *("float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn"),
]
ML_DTYPES = frozenset(WHOLE + SMALL)


def array_of(name: str, *, padded: bool = False) -> Array:
    """Four elements of any type, in memory that starts at a multiple of 64."""
    memory = ctypes.create_string_buffer(1024)
    start = ctypes.addressof(memory)
    return _core._array_from_pointer(
        start + -start % 64, (4,), None, DType(name).triple, (1, 0),
        readonly=False, owner=memory, stream=None, plan=None, padded=padded,
    )  # fmt: skip
