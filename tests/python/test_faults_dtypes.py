# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Element types that others refused, renamed, narrowed or crashed on.

One thing is not as dlpack#146 and the reports with it want it: capsules without a version carry
the narrow floats, too. jax asks for no version (jax#40789), and has these types; whoever does not
know a code refuses it by itself. Only what takes a flag to tell needs a version.
"""

import re
from typing import Any

import pytest

import anystream
import value_rig as rig
from ctypes_tensors import PADDED, Producer, Taken
from peer_rig import LIBRARIES, Library

np = pytest.importorskip("numpy", reason="numpy is not installed")

pytestmark = pytest.mark.filterwarnings("ignore::anystream.ReadOnlyWarning")

PEERS = [name for name in LIBRARIES if name != "dpctl"]  # whose memory has no element type


@pytest.fixture(params=PEERS)
def peer(request: Any) -> Library:
    library = LIBRARIES[request.param].require()
    if not library.host:
        request.getfixturevalue("sycl")
    return library


def triple(x: Any) -> tuple[int, int, int]:
    """DLPack's code, bits and lanes, as a capsule of the array itself has them."""
    taken = Taken.of(x.__dlpack__(max_version=(1, 3)))
    taken.delete()
    return taken.dtype


# -- pytorch#67081, #94463, #114673; jax#4719, #19352; cupy#7307; warp#1619; dlpack#75; cudf#5353 -


@pytest.mark.parametrize(("dtype", "code"), [("bool", (6, 8, 1)), ("uint8", (1, 8, 1))])
def test_bool_and_uint8_are_two_types_everywhere(
    peer: Library, dtype: str, code: tuple[int, int, int]
) -> None:
    values = np.array([0, 1, 1, 0, 1], dtype=dtype)
    there = anystream.handoff(values, to=peer.name)
    assert triple(there) == code
    array = anystream.from_dlpack(there)
    assert array.dtype.triple == code
    assert triple(array) == code
    back = anystream.handoff(there, to="numpy")
    assert back.dtype == dtype
    assert back.tolist() == values.tolist()


def test_bools_are_views(peer: Library) -> None:
    if not peer.host or peer.name == "mlx":
        pytest.skip(f"{peer.name} copies what it imports from the host")
    for dtype in ("bool", "uint8"):
        room = np.zeros(128, dtype)
        x = room[-room.ctypes.data % 64 :][:5]
        y = anystream.handoff(x, to=peer.name, copy=False)
        assert rig.taken(y).data == x.ctypes.data if peer.name != "numpy" else y.base is not None


@pytest.mark.parametrize("code", [(6, 8, 1), (1, 8, 1)])
def test_bytes_that_are_no_bools_are_not_touched(code: tuple[int, int, int]) -> None:
    producer = Producer((4,), dtype=code)
    rig.fill(producer, b"\x00\x01\x02\xff")
    exported = Taken.of(anystream.from_dlpack(producer).__dlpack__(max_version=(1, 0)))
    assert exported.data == producer.address
    assert producer.memory.raw[:4] == b"\x00\x01\x02\xff"
    exported.delete()
    assert producer.deleted == 1


# -- cupy#8801: an unknown element type was a segmentation fault ----------------------------------

SINGLE_BITS = [(6, 1, 1), (1, 1, 1)]  # of which the reports on bool warn, too
STRANGE = [(code, bits, 1) for code in (19, 40, 255) for bits in (8, 32)]
STRANGE += [(0, 24, 1), (2, 8, 1), (2, 128, 1), (2, 255, 1), (5, 8, 1), (3, 64, 1)]
STRANGE += [(2, 32, 2), (2, 32, 4), (0, 8, 65535), (5, 32, 2)]
CONTRADICTIONS = [(4, 32, 1), (17, 8, 1), (15, 4, 1), (10, 16, 1), (6, 64, 1)]


@pytest.mark.parametrize("code", SINGLE_BITS + STRANGE + CONTRADICTIONS, ids=str)
def test_a_strange_type_is_a_buffer_error_on_the_way_to_a_library(
    peer: Library, code: tuple[int, int, int]
) -> None:
    """Carried as it is, unless it contradicts itself; never taken for another type."""
    producer = Producer((2,), dtype=code)
    try:
        array = anystream.from_dlpack(producer)
    except BufferError:
        assert code in [*CONTRADICTIONS, (6, 1, 1)]
        assert producer.deleted == 1
        return
    assert array.dtype.triple == code
    if peer.name == "tvm_ffi" and code[0] < 19:
        assert triple(anystream.handoff(array, to="tvm_ffi")) == code  # it has all that have names
    else:
        with pytest.raises(BufferError):
            anystream.handoff(array, to=peer.name)
    del array
    assert producer.deleted == 1


# -- pytorch#55365, dlpack#66, jax#9497: complex64 is one number of 64 bits -----------------------


@pytest.mark.parametrize(
    ("dtype", "code"), [("complex64", (5, 64, 1)), ("complex128", (5, 128, 1))]
)
def test_complex_numbers_count_both_halves(
    peer: Library, dtype: str, code: tuple[int, int, int]
) -> None:
    values = np.array([1 + 2j, -0.0 - 0.5j, complex("nan")], dtype=dtype)
    if dtype == "complex128" and peer.name == "mlx":
        with pytest.raises(BufferError, match="takes no complex128"):
            anystream.handoff(values, to="mlx")
        return
    with rig.wide_jax(peer.name, dtype=dtype):
        there = anystream.handoff(values, to=peer.name)
        assert triple(there) == code
        assert anystream.from_dlpack(there).dtype.triple == code
        assert rig.bits_of(anystream.handoff(there, to="numpy")) == values.tobytes()


def test_two_lanes_are_not_a_complex_number() -> None:
    """(5, 32, 2) is two complex numbers of 32 bits: the lanes are kept, not dropped."""
    array = anystream.from_dlpack(Producer((3,), dtype=(5, 32, 2)))
    assert array.shape == (3,)
    assert (array.itemsize, array.nbytes) == (8, 24)
    assert triple(array) == (5, 32, 2)


# -- dlpack#146, #158; pytorch#148791; cupy#9480; cuda-python#1624: narrow floats -----------------


@pytest.mark.parametrize("max_version", [None, (0, 8), (1, 0), (1, 3)])
@pytest.mark.parametrize("code", [(10, 8, 1), (4, 16, 1), (17, 4, 1), (16, 6, 1)], ids=str)
def test_every_capsule_carries_them(code: tuple[int, int, int], max_version: Any) -> None:
    array = anystream.from_dlpack(Producer((4,), dtype=code))
    exported = Taken.of(array.__dlpack__(max_version=max_version))
    assert (exported.dtype, exported.versioned) == (code, bool(max_version and max_version[0]))
    exported.delete()


@pytest.mark.parametrize("dtype", [name for name in rig.DTYPES["jax"] if "float8" in name])
def test_every_bit_pattern_of_a_byte(dtype: str) -> None:
    """All 256, not-a-numbers and negative zeros among them, jax -> Array -> tvm_ffi and jax."""
    pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed (PEERS=all installs it)")
    jax = pytest.importorskip("jax", reason="jax is not installed (PEERS=all installs it)")
    raw = np.arange(256, dtype="uint8")
    array = anystream.from_dlpack(jax.device_put(raw.view(rig.numpy_dtype(dtype))))
    assert str(array.dtype) == dtype
    assert rig.bits_of(array) == raw.tobytes()
    for name in ("jax", "tvm_ffi", "torch"):
        LIBRARIES[name].require()
        if dtype in rig.DTYPES[name]:
            assert rig.bits_of(anystream.handoff(array, to=name)) == raw.tobytes()


def test_every_bit_pattern_of_bfloat16(peer: Library) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed (PEERS=all installs it)")
    raw = np.arange(2**16, dtype="uint16")
    x = torch.frombuffer(bytearray(raw.tobytes()), dtype=torch.bfloat16)
    array = anystream.from_dlpack(x)
    assert array.dtype.triple == (4, 16, 1)
    assert rig.bits_of(array) == raw.tobytes()
    if "bfloat16" in rig.DTYPES.get(peer.name, ()) or peer.name == "numpy":
        assert rig.bits_of(anystream.handoff(array, to=peer.name)) == raw.tobytes()
    else:
        with pytest.raises(BufferError):
            anystream.handoff(array, to=peer.name)


# What torch has, and DLPack has no number for: bits without a meaning, numbers that take a scale,
# and integers that torch would export as whole bytes.
NO_NUMBER = r"bits\w+|q(u?)int\w+|u?int[1-7]"


@pytest.mark.filterwarnings("ignore::UserWarning")  # of torch, about types that it will give up
def test_every_type_of_torch_is_the_same_or_refused() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed (PEERS=all installs it)")
    found = {value for value in vars(torch).values() if isinstance(value, torch.dtype)}
    assert {torch.uint4, torch.int8, torch.float4_e2m1fn_x2} < found
    for x in (torch.zeros(3), torch.zeros(3, dtype=torch.uint8)):
        anystream.handoff(x, to="numpy")  # from here on the quick way is known
        anystream.from_dlpack(x)
    for dtype in found:
        name = str(dtype).removeprefix("torch.").replace("fn_x2", "fnx2")
        x = torch.empty(4, dtype=dtype)
        for _ in range(2):
            array, refused = rig.attempt(lambda x=x: anystream.from_dlpack(x))  # type: ignore[misc]
            assert bool(refused) is bool(re.fullmatch(NO_NUMBER, name)), dtype
            assert refused or str(array.dtype) == name


@pytest.mark.parametrize("kind", ["int", "uint"])
def test_integers_of_less_than_a_byte_of_torch_are_no_bytes(kind: str) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed (PEERS=all installs it)")
    whole = torch.tensor([1, 7, 15], dtype=getattr(torch, f"{kind}8"))
    for _ in range(3):
        assert anystream.handoff(whole, to="numpy").tolist() == [1, 7, 15]
        x = whole.view(getattr(torch, f"{kind}4"))
        for call in (lambda x: anystream.handoff(x, to="numpy"), anystream.from_dlpack):
            for given in (x, x[:0], x[1]):
                with pytest.raises(BufferError, match="less than a byte") as refused:
                    call(given)
        with pytest.raises(BufferError, match="less than a byte"):
            anystream.handoff([whole, x], to="numpy")
        assert f"torch.{kind}8" in str(refused.value)
        again = x.view(getattr(torch, f"{kind}8"))  # what it advises
        assert anystream.handoff(again, to="numpy").tolist() == [1, 7, 15]


@pytest.mark.parametrize("count", [1, 2, 3, 7])
@pytest.mark.parametrize(("flags", "padded"), [(0, False), (PADDED, True)])
def test_how_many_bytes_odd_counts_of_four_bits_take(
    count: int, flags: int, *, padded: bool
) -> None:
    """Packed, two share a byte, and the last byte may be half empty; padded, each has its own."""
    array = anystream.from_dlpack(Producer((count,), dtype=(17, 4, 1), flags=flags))
    assert array.size == count
    assert array.nbytes == (count if padded else (count + 1) // 2)
    exported = Taken.of(array.__dlpack__(max_version=(1, 3)))
    assert (exported.flags, exported.dtype, exported.shape) == (flags, (17, 4, 1), (count,))
    exported.delete()


# -- dlpack#97, dlpack#98: foreign byte order; what DLPack has no type for ------------------------

FOREIGN = [">f8", ">f4", ">i2", ">u4", ">i8", ">c8", ">c16"]
NO_TYPE = ["M8[s]", "m8[ns]", "O", "S3", "U2", "g", "G", "V8"]


@pytest.mark.parametrize("dtype", FOREIGN + NO_TYPE)
def test_what_dlpack_has_no_type_for_is_refused(dtype: str) -> None:
    x = np.zeros(3, dtype=dtype)
    with pytest.raises(BufferError):
        anystream.from_dlpack(x)
    with pytest.raises(BufferError):
        anystream.handoff(x, to="numpy")


def test_fields_of_structures_are_refused() -> None:
    x = np.zeros(3, dtype=[("a", "<i4"), ("b", "i1")])
    for given in (x, x["a"]):  # its stride is no multiple of the element
        with pytest.raises(BufferError):
            anystream.from_dlpack(given)


@pytest.mark.parametrize("dtype", ["<f8", "<i4", "=u2", "<c8", "|b1", "|i1"])
def test_the_native_order_spelt_out_is_taken(dtype: str) -> None:
    x = np.array([0, 1, 1], dtype=dtype)
    array = anystream.from_dlpack(x)
    assert str(array.dtype) == x.dtype.name
    assert np.from_dlpack(array).tolist() == x.tolist()


# -- jax#11895: int64 came in as int32 while 64 bits are switched off -----------------------------

NUMBERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
NUMBERS += ["float16", "float32", "float64"]


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("wide", [False, True])
def test_no_number_is_made_smaller(peer: Library, dtype: str, *, wide: bool) -> None:
    info = np.finfo(dtype) if dtype.startswith("float") else np.iinfo(dtype)
    values = np.array([info.min, info.max, 0, 1], dtype=dtype)
    with rig.wide_jax(peer.name, dtype=dtype if wide else ""):
        there, refused = rig.attempt(lambda: anystream.handoff(values, to=peer.name))
        if refused:
            assert f"no {dtype}" in refused or f"no elements of type {dtype}" in refused
            assert (peer.name == "jax" and dtype in rig.WIDE and not wide) or (
                peer.name == "mlx" and dtype == "float64"
            )
            return
        assert triple(there) == anystream.DType(dtype).triple
        back = anystream.handoff(there, to="numpy")
    assert back.dtype == dtype
    assert back.tolist() == values.tolist()
