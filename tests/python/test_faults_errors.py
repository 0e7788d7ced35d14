# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Which error a refusal is: others raise what their users cannot tell from a fault of their own.

Reports: numpy#30341, #30937, #22542; cupy#7133; cuda-python#2160; pytorch#150691;
scikit-learn#32827.
Right: BufferError where the exchange is impossible, TypeError for an argument of a wrong type,
ValueError for one of the right type whose value means nothing; a producer's own errors as they are.
"""

from collections.abc import Callable
from typing import Any

import pytest

import anystream
from anystream._core import _array_from_capsule
from ctypes_tensors import READ_ONLY, Producer, named_capsule

np = pytest.importorskip("numpy", reason="numpy is not installed")

pytestmark = pytest.mark.filterwarnings("ignore::anystream.ReadOnlyWarning")


def ours(**fields: Any) -> anystream.Array:
    array: anystream.Array = anystream.from_dlpack(Producer(**fields), ordering="none")
    return array


# Wrong arguments on purpose: what a type checker would say of them is not asked.
from_dlpack: Any = anystream.from_dlpack


def to(name: str, x: Any, **options: Any) -> Any:
    pytest.importorskip(name, reason=f"{name} is not installed")
    return anystream.handoff(x, to=name, **options)


IMPOSSIBLE: dict[str, Callable[[], Any]] = {
    # imports
    "ndim -1": lambda: ours(ndim=-1),
    "ndim 65": lambda: ours(ndim=65),
    "ndim 10**9": lambda: ours(ndim=10**9),
    "no shape": lambda: ours(null_shape=True),
    "negative extent": lambda: ours(shape=(2, -3)),
    "size beyond 63 bits": lambda: ours(shape=(2**40, 2**40)),
    "stride beyond 63 bits": lambda: ours(shape=(2, 2), strides=(2**62, 1)),
    "no data": lambda: ours(data=None),
    "offset beyond 63 bits": lambda: ours(byte_offset=2**63),
    "no bits": lambda: ours(dtype=(2, 0, 1)),
    "no lanes": lambda: ours(dtype=(2, 32, 0)),
    "width that is not the type's": lambda: ours(dtype=(17, 8, 1)),
    "version 2": lambda: ours(version=(2, 0)),
    "other byte order": lambda: anystream.from_dlpack(np.arange(3, dtype=">i4")),
    "objects": lambda: anystream.from_dlpack(np.array([None])),
    "dates": lambda: anystream.from_dlpack(np.array(["2026-01-01"], dtype="M8[D]")),
    "masked": lambda: anystream.from_dlpack(np.ma.masked_array([1.0], [True])),
    "field of a structure": lambda: anystream.from_dlpack(np.zeros(3, "i4,i1")["f0"]),
    # moves that are not allowed, or to where nobody can bring it
    "copy=False to mlx": lambda: to("mlx", np.ones(3, "float32"), copy=False),
    "numpy on a GPU": lambda: to("numpy", np.ones(3), device="cuda:0"),
    "a GPU's to numpy without a copy": lambda: to(
        "numpy", Producer(device=(2, 0)), copy=False, ordering="none"
    ),
    "unnamed device to numpy": lambda: to("numpy", Producer(device=(99, 0))),
    # what the consumer has no form for
    "backwards to torch": lambda: to("torch", np.arange(3.0)[::-1]),
    "gaps to jax": lambda: to("jax", np.arange(6, dtype="float32")[::2]),
    "wide to mlx": lambda: to("mlx", np.ones(3, "complex128")),
    "wide to jax": lambda: to("jax", np.ones(3, "int64")),
    # exports
    "read-only without a version": lambda: ours(flags=READ_ONLY).__dlpack__(),
    "to a device": lambda: ours().__dlpack__(dl_device=(2, 0)),
    "to a device that nobody knows": lambda: ours().__dlpack__(dl_device=(99, 0)),
    "from a device without a copy": lambda: ours(device=(2, 0)).__dlpack__(
        dl_device=(1, 0), copy=False
    ),
}


@pytest.mark.parametrize("case", IMPOSSIBLE)
def test_an_impossible_exchange_is_a_buffer_error(case: str) -> None:
    with pytest.raises(BufferError) as caught:
        IMPOSSIBLE[case]()
    assert len(str(caught.value)) > 10


@pytest.mark.parametrize("options", [{}, {"copy": True}, {"ordering": "none"}], ids=str)
def test_what_only_a_driver_could_do_names_the_driver(options: dict[str, Any]) -> None:
    """A GPU's array to numpy is no impossible exchange: it is a copy, which takes the driver.

    So where that is missing it is no BufferError, as it is with copy=False, but says how to get it.
    """
    x = Producer(device=(2, 0))
    with pytest.raises(anystream.DriverUnavailable, match="CUDA cannot be used") as caught:
        to("numpy", x, **options)
    assert isinstance(caught.value, RuntimeError)
    assert not isinstance(caught.value, (BufferError, ValueError, TypeError))


def exported(**keywords: Any) -> Any:
    return anystream.from_dlpack(np.ones(3)).__dlpack__(**keywords)


class OnlyExport:
    def __dlpack__(self, **_: Any) -> Any:
        raise AssertionError("asked")


class OnlyDevice:
    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


class Gives(Producer):
    """A producer that gives no capsule of DLPack."""

    def __init__(self, given: Any) -> None:
        super().__init__()
        self.given = given

    def __dlpack__(self, **_: Any) -> Any:
        return self.given


class Says(Producer):
    """A producer that gives no device."""

    def __init__(self, given: Any) -> None:
        super().__init__()
        self.given = given

    def __dlpack_device__(self) -> Any:
        return self.given


WRONG_TYPE: dict[str, Callable[[], Any]] = {
    "None": lambda: from_dlpack(None),
    "a number": lambda: from_dlpack(3.0),
    "a string": lambda: from_dlpack("array"),
    "an object": lambda: from_dlpack(object()),
    "the class of arrays": lambda: from_dlpack(np.ndarray),
    "no __dlpack_device__": lambda: from_dlpack(OnlyExport()),
    "no __dlpack__": lambda: from_dlpack(OnlyDevice()),
    "another capsule": lambda: _array_from_capsule(named_capsule("SyclQueueRef"), None, None),
    "None from __dlpack__": lambda: from_dlpack(Gives(None)),
    "a number from __dlpack__": lambda: from_dlpack(Gives(7)),
    "another capsule from __dlpack__": lambda: from_dlpack(Gives(named_capsule("arrow_schema"))),
    "None from __dlpack_device__": lambda: from_dlpack(Says(None)),
    "a string from __dlpack_device__": lambda: from_dlpack(Says("cpu")),
    "three from __dlpack_device__": lambda: from_dlpack(Says((1, 0, 0))),
    "copy": lambda: from_dlpack(np.ones(3), copy=1),
    "stream": lambda: from_dlpack(np.ones(3), stream=object()),
    "strict": lambda: from_dlpack(np.ones(3), strict=1),
    "device": lambda: from_dlpack(np.ones(3), device=1.5),
    "to": lambda: anystream.handoff(np.ones(3), to=3),  # type: ignore[call-overload]
    "unknown keyword": lambda: from_dlpack(np.ones(3), axis=1),
    "export: unknown keyword": lambda: exported(axis=1),
    "export: positional": lambda: from_dlpack(np.ones(3)).__dlpack__(None),
    "export: max_version": lambda: exported(max_version=1),
    "export: max_version of strings": lambda: exported(max_version=("1", "0")),
    "export: dl_device": lambda: exported(dl_device="cpu"),
    "export: copy": lambda: exported(copy=np.array([1, 2, 3])),
    "export: stream": lambda: exported(stream="1"),
}


@pytest.mark.parametrize("case", WRONG_TYPE)
def test_an_argument_of_a_wrong_type_is_a_type_error(case: str) -> None:
    with pytest.raises(TypeError) as caught:
        WRONG_TYPE[case]()
    assert len(str(caught.value)) > 10


def used_capsule() -> Any:
    capsule = exported(max_version=(1, 0))
    from_dlpack(capsule)
    return capsule


WRONG_VALUE: dict[str, Callable[[], Any]] = {
    "used capsule": lambda: from_dlpack(used_capsule()),
    "device": lambda: from_dlpack(np.ones(3), device="gpu"),
    "device number": lambda: from_dlpack(np.ones(3), device=(1, -1)),
    "ordering": lambda: from_dlpack(np.ones(3), ordering="later"),
    "stream of the host": lambda: from_dlpack(np.ones(3), stream=1),
    "library": lambda: anystream.handoff(np.ones(3), to="nonsense"),
    "export: stream of the host": lambda: exported(stream=1),
    "export: stream 0 of CUDA": lambda: ours(device=(2, 0)).__dlpack__(stream=0),
    "export: stream 1 of ROCm": lambda: ours(device=(10, 0)).__dlpack__(stream=1),
    "device that is said": lambda: from_dlpack(Says((-1, 0))),
}


@pytest.mark.parametrize("case", WRONG_VALUE)
def test_an_argument_of_a_wrong_value_is_a_value_error(case: str) -> None:
    with pytest.raises(ValueError, match=r"\w") as caught:
        WRONG_VALUE[case]()
    assert not isinstance(caught.value, UnicodeError)


def test_one_error_class_catches_every_impossible_exchange() -> None:
    """scikit-learn had to catch three."""
    assert issubclass(anystream.OrderingError, BufferError)
    refused = 0
    for case in IMPOSSIBLE.values():
        try:
            case()
        except BufferError:
            refused += 1
    assert refused == len(IMPOSSIBLE)
