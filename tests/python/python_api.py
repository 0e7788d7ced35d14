# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Functions of Python's C API, each with types of its own: pythonapi's attributes are anybody's."""

import ctypes
from typing import Any


def of_python(name: str, result: Any, *arguments: Any) -> Any:
    """Give a function of Python's own: not pythonapi's attribute, whose types others set too."""
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


# A capsule keeps the pointer to its name, and not the name.
new_capsule = of_python(
    "PyCapsule_New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
)
capsule_name = of_python("PyCapsule_GetName", ctypes.c_char_p, ctypes.py_object)
