# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Element types: their names, through an Array and back out, and to and from every library."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import anystream
from anystream import DType, _core
from anystream._peers import PEERS
from ctypes_tensors import Producer, Taken
from dtype_rig import ML_DTYPES, array_of
from peer_rig import LIBRARIES

np = pytest.importorskip("numpy", reason="numpy is not installed")

# Every type that DLPack has named, at its usual widths: (name, code, bits, lanes).
NAMED = [
    *((f"int{bits}", 0, bits, 1) for bits in (1, 2, 4, 8, 16, 32, 64)),
    *((f"uint{bits}", 1, bits, 1) for bits in (1, 2, 4, 8, 16, 32, 64)),
    *((f"float{bits}", 2, bits, 1) for bits in (16, 32, 64)),
    ("opaque64", 3, 64, 1),
    ("bfloat16", 4, 16, 1),
    *((f"complex{bits}", 5, bits, 1) for bits in (32, 64, 128)),
    ("bool", 6, 8, 1),
    ("float8_e3m4", 7, 8, 1),
    ("float8_e4m3", 8, 8, 1),
    ("float8_e4m3b11fnuz", 9, 8, 1),
    ("float8_e4m3fn", 10, 8, 1),
    ("float8_e4m3fnuz", 11, 8, 1),
    ("float8_e5m2", 12, 8, 1),
    ("float8_e5m2fnuz", 13, 8, 1),
    ("float8_e8m0fnu", 14, 8, 1),
    ("float6_e2m3fn", 15, 6, 1),
    ("float6_e3m2fn", 16, 6, 1),
    ("float4_e2m1fn", 17, 4, 1),
    ("bcomplex32", 18, 32, 1),
    ("float4_e2m1fnx2", 17, 4, 2),
    ("float32x4", 2, 32, 4),
]
# Those that nobody has named yet, and unusual widths of those that are.
UNNAMED = [("code19_bits8", 19, 8, 1), ("code40_bits7", 40, 7, 1), ("code255_bits16x3", 255, 16, 3)]
ODD = [("int24", 0, 24, 1), ("float128", 2, 128, 1)]
ROWS = NAMED + UNNAMED + ODD
IDS = [row[0] for row in ROWS]
PEER = {peer.name: peer for peer in PEERS}


# ---- the value -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "code", "bits", "lanes"), ROWS, ids=IDS)
def test_names(name: str, code: int, bits: int, lanes: int) -> None:
    dtype = DType(name)
    assert dtype.triple == (code, bits, lanes) == (dtype.code, dtype.bits, dtype.lanes)
    assert dtype == DType(code, bits, lanes) == DType(dtype)
    assert str(dtype) == dtype.name == name
    assert dtype.itemsize == (bits * lanes + 7) // 8


@pytest.mark.parametrize(
    ("given", "got"),
    [
        ((np.float32,), "got the class numpy.float32."),
        ((np.dtype("f4"),), "got a numpy.dtypes.Float32DType."),
        ((True,), "got bool True."),
        ((2.0, 32), "got float 2.0."),
        ((None,), "got None."),
        ((b"float32",), "got bytes b'float32'."),
        ((2,), "got int 2 without bits."),
        (("float32", 16), "got str 'float32' with bits or lanes of its own."),
        ((DType("int8"), 16), "with bits or lanes of its own."),
    ],
)
def test_what_is_no_dtype(given: Any, got: str) -> None:
    text = "DType(…) takes a name, a DType, or three ints: code, bits and lanes; "
    fix = '\n  Write DType("float32"), or DType(2, 32, 1).'
    with pytest.raises(TypeError, match=re.escape(text) + ".*" + re.escape(got + fix)):
        DType(*given)


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ((-1, 8), ValueError, "DType(code) takes an int from 0 to 255; got int -1."),
        ((256, 8), ValueError, "DType(code) takes an int from 0 to 255; got int 256."),
        ((2, 0), ValueError, "DType(bits) takes an int from 1 to 255; got int 0."),
        ((2, 256), ValueError, "DType(bits) takes an int from 1 to 255; got int 256."),
        ((2, 32, 0), ValueError, "DType(lanes) takes an int from 1 to 65535; got int 0."),
        ((2, 32, 65536), ValueError, "DType(lanes) takes an int from 1 to 65535; got int 65536."),
        ((2, 32.0), TypeError, "DType(bits) takes an int from 1 to 255; got float 32.0."),
        ((2, True), TypeError, "DType(bits) takes an int from 1 to 255; got bool True."),
        ((2, 32, "1"), TypeError, "DType(lanes) takes an int from 1 to 65535; got str '1'."),
    ],
)
def test_numbers_out_of_range(given: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=re.escape(text)):
        DType(*given)


def test_ints_of_other_libraries_are_ints() -> None:
    assert DType(np.int64(2), np.uint8(32), np.int16(1)) == DType("float32")


# ---- through an Array ----------------------------------------------------------------------------


@pytest.mark.parametrize("versioned", [True, False])
@pytest.mark.parametrize(("name", "code", "bits", "lanes"), ROWS, ids=IDS)
def test_in_and_out_as_they_are(
    name: str, code: int, bits: int, lanes: int, versioned: bool
) -> None:
    producer = Producer((4,), dtype=(code, bits, lanes), versioned=versioned)
    array = anystream.from_dlpack(producer)
    assert str(array.dtype) == name
    assert array.itemsize == DType(name).itemsize
    assert array.nbytes == (4 * bits * lanes + 7) // 8
    taken = Taken.of(array.__dlpack__(max_version=(1, 3) if versioned else None))
    assert taken.dtype == (code, bits, lanes)
    assert taken.data == producer.address
    taken.delete()
    del array
    producer.drop()
    assert producer.deleted == 1


@pytest.mark.parametrize(("code", "bits"), [(15, 8), (16, 4), (17, 8), (2, 0), (6, 1)])
def test_widths_that_a_type_has_not_are_refused(code: int, bits: int) -> None:
    producer = Producer((4,), dtype=(code, bits, 1))
    with pytest.raises(BufferError, match=rf"the width of its type; got .*\(code {code}, bits"):
        anystream.from_dlpack(producer)
    producer.drop()
    assert producer.deleted == 1


# ---- to every library ----------------------------------------------------------------------------


def name_in(library: str, dtype: Any) -> str:
    name = str(dtype).removeprefix(f"{library}.core.").removeprefix(f"{library}.")
    return name.replace("e2m1fn_x2", "e2m1fnx2")


HOST_LIBRARIES = ["numpy", "torch", "jax", "mlx"]


@pytest.fixture
def wide() -> Iterator[None]:
    """Let jax have its wide types."""
    if LIBRARIES["jax"].missing:
        yield
        return
    import jax

    with jax.enable_x64(True):
        yield


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("library", HOST_LIBRARIES)
@pytest.mark.parametrize("name", [row[0] for row in NAMED])
def test_a_library_takes_a_type_or_says_that_it_does_not(library: str, name: str) -> None:
    LIBRARIES[library].require()
    consumer = PEER[library].consumer
    assert consumer is not None
    by_class = consumer.classes and name in ML_DTYPES and DType(name).bits % 8 == 0
    if name in consumer.dtypes or by_class:
        y = anystream.handoff(array_of(name), to=library)
        assert name_in(library, y.dtype) == name
        assert y.shape == (4,)
        return
    # The last is of what the library has a byte for, and what is packed here.
    reasons = ("takes no", "has no elements of type", "has a byte for each element of type")
    with pytest.raises(BufferError, match=rf"^{library} ({'|'.join(reasons)}) {name}\b"):
        anystream.handoff(array_of(name), to=library)


def test_what_a_library_takes_is_listed() -> None:
    LIBRARIES["torch"].require()
    text = "torch has no elements of type int4; it takes bool, int8, int16, "
    with pytest.raises(BufferError, match=re.escape(text) + ".*float8_e8m0fnu.*\n  Convert x"):
        anystream.handoff(array_of("int4"), to="torch")


@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
@pytest.mark.parametrize("policy", [{}, {"copy": True}, {"copy": False}], ids=repr)
def test_no_copy_is_advised_for_what_is_refused_anyway(policy: dict[str, Any]) -> None:
    """jax takes neither complex32 nor gaps; a copy would mend but the second."""
    LIBRARIES["torch"].require()
    LIBRARIES["jax"].require()
    import torch

    x = torch.zeros((4, 4), dtype=torch.complex32)[:, ::2]
    with pytest.raises(BufferError) as refused:
        anystream.handoff(x, to="jax", **policy)
    assert str(refused.value).startswith("jax has no elements of type complex32; it takes bool, ")
    assert str(refused.value).endswith("\n  Convert x first, with the library that it is of.")
    assert "copy" not in str(refused.value)
    # The same with elements that it would take, to show that the gaps alone are mended by a copy.
    with pytest.raises(BufferError, match=r"^jax takes arrays with .*\n  Pass copy=True\.$"):
        anystream.handoff(torch.zeros((4, 4))[:, ::2], to="jax")


@pytest.mark.parametrize("library", [*HOST_LIBRARIES, "tvm_ffi"])
@pytest.mark.parametrize("name", [row[0] for row in UNNAMED])
def test_no_library_is_given_what_dlpack_has_not_named(library: str, name: str) -> None:
    LIBRARIES[library].require()
    array = array_of(name)
    assert str(anystream.from_dlpack(array).dtype) == name
    with pytest.raises(BufferError, match=rf"{library} has no elements of type {name}"):
        anystream.handoff(array, to=library)


@pytest.mark.parametrize("name", ["float8_e4m3fn", "int4", "float6_e2m3fn", "float32x4"])
def test_tvm_ffi_takes_all_that_is_named(name: str) -> None:
    LIBRARIES["tvm_ffi"].require()
    y = anystream.handoff(array_of(name), to="tvm_ffi")
    assert str(y.dtype) == name


def test_on_sycl(sycl: Any) -> None:
    x = sycl.zeros("dpnp", sycl.queue())
    address = sycl.memory_of(x)._pointer
    for name, library in (("bfloat16", "dpnp"), ("float8_e5m2", "dpnp"), ("bfloat16", "dpctl")):
        array = _core._array_from_pointer(
            address, (4,), None, DType(name).triple, (14, 0),
            readonly=False, owner=x, stream=None, plan=None,
        )  # fmt: skip
        with pytest.raises(BufferError, match=rf"{library} has no elements of type {name}"):
            anystream.handoff(array, to=library)


# ---- the page ------------------------------------------------------------------------------------


def test_the_page_lists_what_each_library_takes() -> None:
    page = (Path(__file__).parents[2] / "docs" / "import.md").read_text(encoding="utf-8")
    begin, end = "<!-- dtype table: begin -->\n", "<!-- dtype table: end -->"
    lines = ["| library | element types beside the usual |", "| --- | --- |"]
    usual = set(_consumer("numpy").dtypes)
    for peer in PEERS:
        if peer.consumer is None:
            continue
        further = [f"`{name}`" for name in peer.consumer.dtypes if name not in usual]
        further += [f"not `{name}`" for name in peer.consumer.narrows if not peer.consumer.unless]
        if peer.consumer.classes:
            further.append("those of `ml_dtypes`, as views")
        if not peer.consumer.dtypes:
            further.append("all that DLPack has named")
        lines.append(f"| {peer.name} | {', '.join(further) or 'none'} |")
    written = page.partition(begin)[2].partition(end)[0].splitlines()
    assert written == lines, "docs/import.md; it should be:\n" + "\n".join(lines)


def _consumer(name: str) -> Any:
    return PEER[name].consumer


def test_the_examples_of_the_page_run() -> None:
    for library in ("torch", "ml_dtypes"):
        pytest.importorskip(library, reason=f"{library} is not installed")
    page = (Path(__file__).parents[2] / "docs" / "import.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        done = subprocess.run(
            [sys.executable, "-c", block], capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr
