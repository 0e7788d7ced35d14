# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Sample arrays: how to make one in each library and how to read one back, as rows of data."""

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

# Float32 holds all of them exactly.
VALUES = tuple(number + 0.5 for number in range(64))
BYTES = struct.pack(f"={len(VALUES)}f", *VALUES)


@dataclass(frozen=True)
class Sample:
    """A library that the doctor tries; `modules` are what `make` is given."""

    peer: str
    modules: tuple[str, ...]
    make: Callable[..., Any]
    read: Callable[[Any], Sequence[float]]

    def missing(self) -> tuple[str, ...]:
        """List the packages that would have to be installed."""
        packages = dict.fromkeys(name.partition(".")[0] for name in self.modules)
        return tuple(name for name in packages if find_spec(name) is None)

    def array(self) -> Any:
        """Make an array that holds VALUES, on the library's default device."""
        return self.make(*map(import_module, self.modules))

    def holds_values(self, array: Any) -> bool:
        """Tell whether an array of this library holds VALUES, be it as float32 or as bare bytes."""
        values = list(self.read(array))
        if values and isinstance(values[0], int):
            return bytes(int(value) for value in values) == BYTES
        return tuple(values) == VALUES


# A tensor of apache-tvm-ffi cannot list its values; these read it where it is, by its device type.
_READERS = {1: "numpy", 14: "dpnp"}


def _readable(tensor: Any) -> Any:
    return import_module(_READERS[tensor.__dlpack_device__()[0]]).from_dlpack(tensor)


def _filled(memory: Any) -> Any:
    memory.copy_from_host(BYTES)
    return memory


SAMPLES = (
    Sample(
        "numpy",
        ("numpy",),
        lambda numpy: numpy.array(VALUES, dtype="float32"),
        lambda array: array.tolist(),
    ),
    Sample(
        "torch",
        ("torch",),
        lambda torch: torch.tensor(VALUES, dtype=torch.float32),
        lambda array: array.tolist(),
    ),
    Sample(
        "jax",
        ("jax", "jax.numpy"),
        lambda _, jnp: jnp.array(VALUES, dtype="float32"),
        lambda array: array.tolist(),
    ),
    Sample(
        "mlx",
        ("mlx.core",),
        lambda mx: mx.array(VALUES, dtype=mx.float32),
        lambda array: array.tolist(),
    ),
    Sample(
        "tvm_ffi",
        ("tvm_ffi", "numpy"),
        lambda tvm_ffi, numpy: tvm_ffi.from_dlpack(numpy.array(VALUES, dtype="float32")),
        lambda array: _readable(array).tolist(),
    ),
    Sample(
        "dpnp",
        ("dpnp",),
        lambda dpnp: dpnp.array(VALUES, dtype="float32"),
        lambda array: array.tolist(),
    ),
    Sample(
        "dpctl",
        ("dpctl.memory",),
        lambda memory: _filled(memory.MemoryUSMDevice(len(BYTES))),
        lambda array: array.copy_to_host().tolist(),
    ),
)


def sample_of(peer: str) -> Sample:
    """Find the row of a peer; ValueError lists those that have one."""
    for sample in SAMPLES:
        if sample.peer == peer:
            return sample
    known = ", ".join(sample.peer for sample in SAMPLES)
    raise ValueError(f"no sample array is known for {peer!r}; known: {known}")
