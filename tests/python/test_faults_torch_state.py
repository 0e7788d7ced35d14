# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Torch tensors whose memory does not hold their values: refused, or exported right, never wrong.

Reports: pytorch#57110, #145000; array-api-compat#173; FlyDSL#1099; safetensors#831.
"""

import sys
from collections.abc import Callable
from typing import Any

import pytest

import anystream
from ctypes_tensors import Producer
from value_rig import fill

np = pytest.importorskip("numpy", reason="numpy is not installed")
torch: Any = pytest.importorskip("torch", reason="torch is not installed (PEERS=all installs it)")

pytestmark = pytest.mark.filterwarnings("ignore::anystream.ReadOnlyWarning")

WAYS: dict[str, Callable[[Any], Any]] = {
    "from_dlpack": anystream.from_dlpack,
    "copy": lambda x: anystream.from_dlpack(x, copy=True),
    "numpy": lambda x: anystream.handoff(x, to="numpy"),
    "torch": lambda x: anystream.handoff(x, to="torch"),
    "torch copy": lambda x: anystream.handoff(x, to="torch", copy=True),
}
EVERY_WAY = pytest.mark.parametrize("way", WAYS)


def values_of(given: Any) -> Any:
    """What any library or we ourselves have got, as plain numbers."""
    if isinstance(given, anystream.Array):
        return np.from_dlpack(given).tolist()
    return given.resolve_neg().tolist() if isinstance(given, torch.Tensor) else given.tolist()


def complexes() -> Any:
    return torch.tensor([1 + 2j, 3 - 4j, -5j], dtype=torch.complex64)


# -- what has no right export ---------------------------------------------------------------------


def fake() -> Any:
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        return torch.ones(3)


def functional() -> Any:
    """What autograd of functions passes around; its type is torch.Tensor itself."""
    seen: list[Any] = []

    def look(x: Any) -> Any:
        seen.append(x)
        return x.sum()

    torch.func.grad(look)(torch.ones(3))
    return seen[0]


REFUSED: dict[str, Callable[[], Any]] = {
    "requires_grad": lambda: torch.ones(3, requires_grad=True),
    "result of what requires_grad": lambda: torch.ones(3, requires_grad=True) * 2,
    "Parameter": lambda: torch.nn.Parameter(torch.ones(3)),
    "conj": lambda: complexes().conj(),
    "conj of a view": lambda: torch.conj(complexes()[::2]),
    "conj of one": lambda: torch.conj(complexes()[0]),
    "imag of conj": lambda: complexes().conj().imag,
    "neg view": lambda: torch._neg_view(torch.ones(3)),
    "neg view of a view": lambda: torch._neg_view(torch.ones(6))[1::2],
    "fake": fake,
}

# What has no memory that DLPack could describe. Torch says so by an error of one class or another.
NOT_DESCRIBED: dict[str, Callable[[], Any]] = {
    "sparse coo": lambda: torch.eye(3).to_sparse(),
    "sparse csr": lambda: torch.eye(3).to_sparse_csr(),
    "meta": lambda: torch.empty(3, device="meta"),
    "nested": lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
    "quantized": lambda: torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8),
    "bits": lambda: torch.empty(3, dtype=torch.bits8),
}


@EVERY_WAY
@pytest.mark.parametrize("kind", REFUSED)
def test_what_the_memory_does_not_hold_is_refused(kind: str, way: str) -> None:
    x = REFUSED[kind]()
    assert WAYS[way](torch.ones(3)) is not None  # the class is known
    for _ in range(2):
        with pytest.raises(BufferError):
            WAYS[way](x)


@EVERY_WAY
@pytest.mark.parametrize("kind", NOT_DESCRIBED)
@pytest.mark.filterwarnings("ignore")  # sparse, nested and quantized tensors warn of themselves
def test_what_dlpack_cannot_describe_is_refused(kind: str, way: str) -> None:
    x = NOT_DESCRIBED[kind]()
    for _ in range(2):
        with pytest.raises((BufferError, RuntimeError)):
            WAYS[way](x)
        assert WAYS[way](torch.ones(3)) is not None  # nothing is left behind


BITS = ("bits1x8", "bits2x4", "bits4x2", "bits8", "bits16")


@pytest.mark.parametrize("way", [anystream.explain, *WAYS.values()], ids=["explain", *WAYS])
@pytest.mark.parametrize("dtype", BITS)
def test_what_torch_says_of_a_type_that_it_cannot_export_is_heard(dtype: str, way: Any) -> None:
    x = torch.zeros(4, dtype=torch.uint8).view(getattr(torch, dtype))
    for _ in range(2):
        with pytest.raises(BufferError, match="Bit types are not supported") as caught:
            way(x)
        assert isinstance(caught.value.__cause__, RuntimeError)


@EVERY_WAY
def test_tensors_of_function_transforms_are_refused(way: str) -> None:
    """Inside and after; their own errors come through."""
    refused: list[Exception] = []

    def look(x: Any) -> Any:
        try:
            WAYS[way](x)
        except (BufferError, RuntimeError) as error:
            refused.append(error)
        return x.sum()

    torch.func.grad(look)(torch.ones(3))
    torch.func.vmap(look)(torch.ones(2, 3))
    assert len(refused) == 2
    with pytest.raises((BufferError, RuntimeError)):
        WAYS[way](functional())


# -- what has one ---------------------------------------------------------------------------------


def no_grad_result() -> Any:
    with torch.no_grad():
        return torch.ones(3, requires_grad=True) * 2


def inference_result() -> Any:
    with torch.inference_mode():
        return torch.ones(3) * 2


TAKEN: dict[str, tuple[Callable[[], Any], Any]] = {
    "detached": (lambda: torch.ones(3, requires_grad=True).detach(), [1, 1, 1]),
    "data of a Parameter": (lambda: torch.nn.Parameter(torch.ones(3)).data, [1, 1, 1]),
    "frozen Parameter": (
        lambda: torch.nn.Parameter(torch.arange(3.0), requires_grad=False),
        [0, 1, 2],
    ),
    "under no_grad": (no_grad_result, [2, 2, 2]),
    "inference": (inference_result, [2, 2, 2]),
    "conj resolved": (lambda: complexes().conj().resolve_conj(), [1 - 2j, 3 + 4j, 5j]),
    "conj twice": (lambda: complexes().conj().conj(), [1 + 2j, 3 - 4j, -5j]),
    "real of conj": (lambda: complexes().conj().real, [1, 3, 0]),
    "imag": (lambda: complexes().imag, [2, -4, -5]),
    "conj of a real": (lambda: torch.ones(3).conj(), [1, 1, 1]),
    "neg resolved": (lambda: torch._neg_view(torch.ones(3)).resolve_neg(), [-1, -1, -1]),
    "neg twice": (lambda: torch._neg_view(torch._neg_view(torch.ones(3))), [1, 1, 1]),
}


@EVERY_WAY
@pytest.mark.parametrize("kind", TAKEN)
def test_what_the_memory_holds_is_exported(kind: str, way: str) -> None:
    make, wanted = TAKEN[kind]
    assert values_of(WAYS[way](make())) == wanted


def test_a_tensor_that_changes_its_state_is_looked_at_each_time() -> None:
    x = torch.ones(3)
    for _ in range(3):
        assert values_of(anystream.from_dlpack(x)) == [1, 1, 1]
        x.requires_grad_()
        with pytest.raises(BufferError):
            anystream.from_dlpack(x)
        x.requires_grad_(False)


def test_a_tensor_that_is_resized_does_not_change_ours() -> None:
    x = torch.arange(6.0).reshape(2, 3)
    array = anystream.from_dlpack(x)
    x.resize_(1, 2)
    x.t_()
    assert (array.shape, array.strides) == ((2, 3), (3, 1))
    assert values_of(array) == [[0, 1, 2], [3, 4, 5]]


# -- subclasses -----------------------------------------------------------------------------------


class Plain(torch.Tensor):  # type: ignore[misc]
    pass


class Own(torch.Tensor):  # type: ignore[misc]
    """Its export is not torch's: its memory holds the halves of its values, say."""

    def __dlpack__(self, **keywords: Any) -> Any:
        return (self.as_subclass(torch.Tensor) * 2).__dlpack__(**keywords)


class Inherits(Own):
    pass


class Refuses(torch.Tensor):  # type: ignore[misc]
    def __dlpack__(self, **_: Any) -> Any:
        raise BufferError("its values are secret")


class Functions(torch.Tensor):  # type: ignore[misc]
    """Intercepts every function of torch, its own export among them."""

    seen: list[str]

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        Functions.seen.append(getattr(func, "__name__", str(func)))
        return super().__torch_function__(func, types, args, kwargs or {})


class Wrapper(torch.Tensor):  # type: ignore[misc]
    """A wrapper without memory of its own, as distributed and quantized tensors are."""

    inner: Any

    @staticmethod
    def __new__(cls: Any, inner: Any) -> Any:
        made = torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)
        made.inner = inner
        return made

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise NotImplementedError(f"no {func}")


@EVERY_WAY
@pytest.mark.parametrize("kind", [Plain, torch.nn.Parameter])
def test_a_subclass_without_an_export_of_its_own_is_a_tensor(kind: Any, way: str) -> None:
    x = torch.arange(3.0).as_subclass(kind).requires_grad_(False)
    assert values_of(WAYS[way](x)) == [0, 1, 2]
    with pytest.raises(BufferError):
        WAYS[way](x.requires_grad_())


@EVERY_WAY
@pytest.mark.parametrize("kind", [Own, Inherits])
def test_a_subclass_with_an_export_of_its_own_is_asked(kind: Any, way: str) -> None:
    WAYS[way](torch.arange(3.0))
    for _ in range(2):
        assert values_of(WAYS[way](torch.arange(3.0).as_subclass(kind))) == [0, 2, 4]


@EVERY_WAY
def test_a_subclass_that_refuses_is_heard(way: str) -> None:
    with pytest.raises(BufferError, match="its values are secret"):
        WAYS[way](torch.arange(3.0).as_subclass(Refuses))


@EVERY_WAY
def test_a_subclass_that_intercepts_functions_is_not_gone_around(way: str) -> None:
    Functions.seen = []
    x = torch.arange(3.0).as_subclass(Functions)
    Functions.seen.clear()
    assert values_of(WAYS[way](x)) == [0, 1, 2]
    assert "__dlpack__" in Functions.seen


@EVERY_WAY
def test_a_wrapper_without_memory_is_refused(way: str) -> None:
    with pytest.raises((BufferError, NotImplementedError, RuntimeError)) as caught:
        WAYS[way](Wrapper(torch.arange(3.0)))
    assert not isinstance(caught.value, anystream.DriverError)


def test_a_class_that_is_given_an_export_later(monkeypatch: pytest.MonkeyPatch) -> None:
    class Later(torch.Tensor):  # type: ignore[misc]
        pass

    x = torch.arange(3.0).as_subclass(Later)
    assert values_of(anystream.from_dlpack(x)) == [0, 1, 2]
    producer = Producer((2,), dtype=(1, 8, 1))
    fill(producer, b"\x07\x08")
    monkeypatch.setattr(Later, "__dlpack__", lambda self, **_: producer.capsule(), raising=False)
    assert values_of(anystream.from_dlpack(x)) == [7, 8]


def test_torch_itself_given_another_export(monkeypatch: pytest.MonkeyPatch) -> None:
    """What someone has patched is what runs, though a faster way was known."""
    x = torch.arange(3.0)
    assert values_of(anystream.from_dlpack(x)) == [0, 1, 2]
    asked: list[Any] = []
    own = torch.Tensor.__dlpack__

    def counted(self: Any, **keywords: Any) -> Any:
        asked.append(keywords)
        return own(self, **keywords)

    monkeypatch.setattr(torch.Tensor, "__dlpack__", counted)
    assert values_of(anystream.from_dlpack(x)) == [0, 1, 2]
    monkeypatch.undo()
    assert values_of(anystream.from_dlpack(x)) == [0, 1, 2]
    assert len(asked) <= 1


def test_references_do_not_pile_up_on_refusals() -> None:
    x = torch.ones(3, requires_grad=True)
    before = sys.getrefcount(x)
    for _ in range(1000):
        with pytest.raises(BufferError):
            anystream.from_dlpack(x)
    assert sys.getrefcount(x) == before
