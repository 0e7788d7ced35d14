# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""torch tensors whose memory is not what they show: refused, or handed over with right values."""

from collections.abc import Callable
from typing import Any

import pytest

import anystream
from peer_rig import address

np = pytest.importorskip("numpy", reason="numpy is not installed")
torch = pytest.importorskip("torch", reason="torch is not installed (PEERS=all installs it)")

pytestmark = [
    pytest.mark.filterwarnings("ignore:Sparse CSR tensor support"),
    pytest.mark.filterwarnings("ignore:Sparse invariant checks"),
    pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors"),
    pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor"),
]


def fake() -> Any:
    mode: Any = torch._subclasses.fake_tensor.FakeTensorMode
    with mode():
        return torch.empty(3)


def functional() -> Any:
    convert: Any = torch._to_functional_tensor
    return convert(torch.ones(3))


def freed(offset: int) -> Any:
    """A tensor whose storage is gone, as FSDP leaves it: its address is the offset alone."""
    whole = torch.ones(10)
    x = whole[offset : offset + 3]
    whole.untyped_storage().resize_(0)
    assert x.data_ptr() == offset * 4
    return x


def zeros_without_memory(offset: int) -> Any:
    made: Any = torch._efficientzerotensor
    return made(10)[offset : offset + 3]


REFUSED: dict[str, Callable[[], Any]] = {
    "requires_grad": lambda: torch.ones(3, requires_grad=True),
    "parameter": lambda: torch.nn.Parameter(torch.ones(3)),
    "conj": lambda: torch.tensor([1 + 2j]).conj(),
    "neg": lambda: torch._neg_view(torch.ones(3)),
    "imaginary part of conj": lambda: torch.tensor([1 + 2j]).conj().imag,
    "sparse": lambda: torch.eye(3).to_sparse(),
    "sparse csr": lambda: torch.eye(3).to_sparse_csr(),
    "meta": lambda: torch.empty(3, device="meta"),
    "nested": lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
    "fake": fake,
    "functional": functional,
    "quantized": lambda: torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8),
    "freed": lambda: freed(0),
    "freed, from an offset on": lambda: freed(3),
    "zeros without memory": lambda: zeros_without_memory(0),
    "zeros without memory, from an offset on": lambda: zeros_without_memory(3),
}


@pytest.mark.parametrize("state", REFUSED)
@pytest.mark.parametrize("to", [None, "numpy", "torch"])
def test_refused(state: str, to: str | None) -> None:
    x = REFUSED[state]()
    with pytest.raises(BufferError):
        anystream.from_dlpack(x) if to is None else anystream.handoff(x, to=to)


@pytest.mark.parametrize("offset", [0, 3, 1 << 25])
def test_freed_storage_is_refused_though_the_class_was_seen(offset: int) -> None:
    whole = torch.ones(offset + 3, dtype=torch.int8)
    x = whole[offset:]
    for _ in range(2):
        assert anystream.handoff(x, to="numpy").tolist() == [1, 1, 1]
        assert anystream.from_dlpack(x).data_ptr == x.data_ptr()
    whole.untyped_storage().resize_(0)
    assert x.data_ptr() == offset
    with pytest.raises(BufferError, match=r"it has no memory: its storage was freed"):
        anystream.handoff(x, to="numpy")
    with pytest.raises(BufferError, match=r"it has no memory: its storage was freed"):
        anystream.from_dlpack(x)


def test_what_resolves_the_negative_bit_is_named() -> None:
    x = torch.tensor([1 + 2j, 3 - 1j]).conj().imag
    assert x.is_neg()
    assert np.from_dlpack(x).tolist() != x.tolist()  # torch's own way gives wrong values
    with pytest.raises(BufferError, match=r"Pass x\.resolve_neg\(\)"):
        anystream.handoff(x, to="numpy")
    assert anystream.handoff(x.resolve_neg(), to="numpy").tolist() == [-2.0, 1.0]


RIGHT: dict[str, Callable[[], Any]] = {
    "plain": lambda: torch.arange(6.0).reshape(2, 3),
    "transposed": lambda: torch.arange(6.0).reshape(2, 3).T,
    "sliced": lambda: torch.arange(12.0)[3:9:2],
    "expanded": lambda: torch.arange(3.0).expand(4, 3),
    "no dimensions": lambda: torch.tensor(3.0),
    "no elements": lambda: torch.empty(0, 3),
    "no elements of some": lambda: torch.ones(3)[3:],
    "detached": lambda: torch.ones(3, requires_grad=True).detach(),
    "buffer": lambda: torch.nn.Parameter(torch.ones(3), requires_grad=False),
    "conj of a real": lambda: torch.arange(3.0).conj(),
    "resolved": lambda: torch.tensor([1 + 2j]).conj().resolve_conj(),
    "channels last": lambda: (
        torch.arange(16.0).reshape(1, 2, 2, 4).contiguous(memory_format=torch.channels_last)
    ),
}


@pytest.mark.parametrize("layout", RIGHT)
def test_right_values(layout: str) -> None:
    x = RIGHT[layout]()
    y = anystream.handoff(x, to="numpy")
    assert y.shape == tuple(x.shape)
    assert y.tolist() == x.tolist()
    if x.numel():
        assert address(y) == x.data_ptr()
    assert anystream.handoff(y, to="torch").tolist() == x.tolist()


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "complex64", "bool"])
def test_dtypes_go_round(dtype: str) -> None:
    x = torch.tensor([0, 1, 1, 0]).to(getattr(torch, dtype))
    array = anystream.from_dlpack(x)
    y = anystream.handoff(array, to="torch")
    assert y.dtype == x.dtype
    assert torch.equal(y.view(torch.uint8), x.view(torch.uint8))
    assert y.data_ptr() == x.data_ptr()


@pytest.mark.filterwarnings("ignore::anystream.ReadOnlyWarning")
@pytest.mark.parametrize("copy", [None, False])
def test_read_only_memory_is_viewed_and_the_plan_says_so(copy: bool | None) -> None:
    x = np.arange(3.0)
    x.flags.writeable = False
    y = anystream.handoff(x, to="torch", copy=copy)
    assert y.data_ptr() == x.ctypes.data
    step = anystream.explain(x, to="torch", copy=copy).copy
    assert step.what == "view"
    assert "it is read-only and torch cannot say so: do not write to it, or ask for copy=True" in (
        step.why
    )
    x.flags.writeable = True
    assert "read-only" not in anystream.explain(x, to="torch", copy=copy).copy.why


def test_a_copy_of_read_only_memory_may_be_written_to() -> None:
    x = np.arange(3.0)
    x.flags.writeable = False
    y = anystream.handoff(x, to="torch", copy=True)
    assert anystream.explain(x, to="torch", copy=True).copy == ("copy", "copy=True asks for it")
    y[0] = 9
    assert x[0] == 0


def test_negative_strides_end_no_process() -> None:
    x = np.arange(3.0)[::-1]
    with pytest.raises(BufferError, match=r"torch takes arrays with no negative strides; got"):
        anystream.handoff(x, to="torch")
    assert anystream.handoff(np.arange(3.0)[:1][::-1], to="torch").tolist() == [0.0]


def test_a_subclass_with_an_export_of_its_own_is_not_bypassed() -> None:
    class Mine(torch.Tensor):  # type: ignore[misc, name-defined]
        def __dlpack__(self, *, stream: Any = None) -> Any:
            return torch.zeros(2).__dlpack__()

    x = torch.ones(3).as_subclass(Mine)
    assert anystream.handoff(x, to="numpy").tolist() == [0.0, 0.0]


def test_torch_is_called_once_even_if_it_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    class Mine(torch.Tensor):  # type: ignore[misc, name-defined]
        def __dlpack__(self, **keywords: Any) -> Any:
            calls.append(keywords)
            raise TypeError("from inside")

    x = torch.ones(3).as_subclass(Mine)
    with pytest.raises(TypeError, match="from inside"):
        anystream.handoff(x, to="torch")
    assert len(calls) == 1
    assert "stream" not in calls[0]
