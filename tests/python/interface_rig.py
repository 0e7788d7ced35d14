# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Objects whose only interface is one dict, any key of which can be missing or wrong."""

import ctypes
import weakref
from typing import Any

CUDA = "__cuda_array_interface__"
USM = "__sycl_usm_array_interface__"
HOST = "__array_interface__"
VERSIONS = {CUDA: 3, USM: 1, HOST: 3}
VALUES = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
MISSING: Any = object()


class Described:
    """Six floats of the host, as a 2 x 3 array of some interface; they may be elsewhere."""

    def __init__(self, interface: str, **changes: Any) -> None:
        self.memory = (ctypes.c_float * 6)(*VALUES)
        self.address = ctypes.addressof(self.memory)
        self.reads = 0
        self.interface = interface
        self.usm: Any = None  # memory of the device that it describes instead
        fields = {
            "shape": (2, 3),
            "typestr": "<f4",
            "data": (self.address, False),
            "version": VERSIONS[interface],
            **changes,
        }
        self.fields = {key: value for key, value in fields.items() if value is not MISSING}

    def __getattr__(self, name: str) -> Any:
        if name != self.__dict__.get("interface"):
            raise AttributeError(name)
        self.reads += 1
        return self.fields


class Fresh(Described):
    """Makes a new dict at each look, which alone holds ``home``: its memory, unless that is USM."""

    home: Any = None  # a weak reference to what the latest one holds

    def __getattr__(self, name: str) -> Any:
        fields = super().__getattr__(name)
        home = (ctypes.c_float * 6)(*VALUES)
        self.home = weakref.ref(home)
        if fields["data"] == (self.address, False):
            fields = {**fields, "data": (ctypes.addressof(home), False)}
        return {**fields, "home": home}


class Index:
    """An int by its __index__ only."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


# (key, value, what the message says of it); of every interface.
WRONG: list[tuple[str, Any, str]] = [
    ("shape", MISSING, '["shape"] is a tuple of ints from 0; got a dict without it.'),
    ("shape", None, '["shape"] is a tuple of ints from 0; got None.'),
    ("shape", 6, '["shape"] is a tuple of ints from 0; got int 6.'),
    ("shape", "23", "a tuple of ints from 0; got str '23'."),
    ("shape", (2, 3.0), "a tuple of ints from 0; got tuple (2, 3.0)."),
    ("shape", (True, 3), "a tuple of ints from 0; got tuple (True, 3)."),
    ("shape", (-1, 3), "a tuple of ints from 0; got tuple (-1, 3)."),
    ("shape", (2**63,), f"a tuple of ints from 0; got tuple ({2**63},)."),
    ("shape", (2**62, 2**62), "fit 63 bits"),
    ("shape", (1,) * 65, "0 to 64 dimensions; got ndim 65."),
    ("typestr", MISSING, 'like "<f4"; got a dict without it.'),
    ("typestr", 4, '["typestr"] is a type string'),
    ("typestr", b"<f4", "got bytes b'<f4'."),
    ("typestr", "float32", "'float32' is no type string."),
    ("typestr", "", "'' is no type string."),
    ("typestr", ">f4", "'>f4' is of the other byte order than this machine's"),
    ("typestr", "|f4", "'|f4' names no byte order, which elements of several bytes have."),
    ("typestr", "<f3", "'<f3': DLPack has no type for floats of this width."),
    ("typestr", "<f16", "'<f16': DLPack has no type for floats of this width."),
    ("typestr", "<M8[ns]", "DLPack has no type for dates and times."),
    ("typestr", ">M8[ns]", "'>M8[ns]' is of the other byte order than this machine's"),
    ("typestr", "<U3", "DLPack has no type for text."),
    ("typestr", "|O8", "DLPack has no type for elements that are Python objects."),
    ("typestr", "|V8", "DLPack has no type for structured or untyped elements."),
    ("data", MISSING, '["data"] is a pair (pointer, flag) of an int from 0 and a bool; got a dict'),
    ("data", (0, False), "an array with elements needs data; got NULL for the shape (2, 3)."),
    ("data", (-8, False), "an int from 0 and a bool; got tuple (-8, False)."),
    ("data", (2**63, False), "an int from 0 and a bool; got"),
    ("data", (8.0, False), "an int from 0 and a bool; got tuple (8.0, False)."),
    ("data", (None, False), "an int from 0 and a bool; got tuple (None, False)."),
    ("data", (8, None), "an int from 0 and a bool; got tuple (8, None)."),
    ("data", (8, 2), "an int from 0 and a bool; got tuple (8, 2)."),
    ("data", (8,), "an int from 0 and a bool; got tuple (8,)."),
    ("version", MISSING, '["version"] is'),
    ("version", 4, '["version"] is'),
    ("version", "3", "got str '3'."),
    ("version", 3.0, "got float 3.0."),
    ("strides", 12, "None or a tuple of 2 ints, one for each extent of the shape; got int 12."),
    ("strides", (12,), "None or a tuple of 2 ints"),
    ("strides", (12, 4, 4), "None or a tuple of 2 ints"),
    ("strides", (12, 4.0), "None or a tuple of 2 ints"),
    ("strides", (2**62, 4), "63 bits"),
    ("descr", [("a", "<f4"), ("b", "<f4")], "DLPack has no structured elements"),
    ("descr", [("a", "<f4")], "DLPack has no structured elements"),
    ("descr", "<f4", "DLPack has no structured elements"),
    ("mask", object(), "DLPack has no mask"),
]
IDS = [f"{key}-{number}" for number, (key, _, _) in enumerate(WRONG)]
