# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Read-only memory stays read-only, or whoever takes it is told once that it may not be written."""

import threading
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import anystream
from anystream import OrderingError, ReadOnlyWarning, _warnings
from ctypes_tensors import READ_ONLY
from ctypes_tensors import Producer as ByHand
from peer_rig import LIBRARIES, address
from stand_ins import Memory, Producer

np = pytest.importorskip("numpy", reason="numpy is not installed")

LOST = ("torch", "tvm_ffi")  # what these take may be written to, whatever it is


@pytest.fixture(autouse=True)
def nobody_was_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin like a new process."""
    monkeypatch.setattr(_warnings, "_warned", set())


def need(*names: str) -> None:
    for name in names:
        LIBRARIES[name].require()


def frozen() -> Any:
    """An array of numpy's that may not be written to; aligned, so that jax need not copy it."""
    raw = np.arange(19.0)
    start = -raw.ctypes.data % 64 // 8
    x = raw[start : start + 3]
    x.flags.writeable = False
    return x


def jax_array() -> Any:
    need("jax")
    import jax.numpy

    return jax.numpy.arange(3.0, dtype="float32")


def mlx_array() -> Any:
    need("mlx")
    import mlx.core

    return mlx.core.arange(3.0)


READ_ONLY_OF: dict[str, tuple[str, Callable[[], Any]]] = {
    "numpy": ("numpy", frozen),
    "a buffer": ("builtins.bytes", lambda: b"abc"),
    "ours": ("anystream", lambda: anystream.from_dlpack(frozen())),
    "jax": ("jax", jax_array),
    "mlx": ("mlx", mlx_array),
    "a capsule": ("a DLPack capsule", lambda: ByHand(flags=READ_ONLY).capsule()),
    "nobody's": ("stand_ins.Producer", lambda: Producer(array=Memory().array((1, 0), True))),
}


# -- told once ------------------------------------------------------------------------------------


@pytest.mark.parametrize("consumer", LOST)
@pytest.mark.parametrize("producer", READ_ONLY_OF)
def test_the_view_is_given_with_one_warning(producer: str, consumer: str) -> None:
    need(consumer)
    name, make = READ_ONLY_OF[producer]
    with pytest.warns(ReadOnlyWarning) as told:
        anystream.handoff(make(), to=consumer)
    (one,) = told
    assert str(one.message) == (
        f"read-only memory of {name} was handed to {consumer}, whose arrays cannot be read-only: "
        "writing through the result would write to memory that must not be written to.\n"
        "  Pass copy=True for a private copy. If writing is meant, pass writable=True: read-only "
        f"memory is then a BufferError. This is said once for {name} to {consumer}."
    )
    for _ in range(2):
        anystream.handoff(make(), to=consumer)
    assert issubclass(ReadOnlyWarning, UserWarning)


def test_it_is_a_view() -> None:
    need("torch")
    x = frozen()
    with pytest.warns(ReadOnlyWarning):
        assert anystream.handoff(x, to="torch", copy=False).data_ptr() == address(x)


def test_each_pair_is_told() -> None:
    need("torch", "tvm_ffi")
    for x in (frozen(), b"abc"):
        for consumer in LOST:
            with pytest.warns(ReadOnlyWarning):
                anystream.handoff(x, to=consumer)
            anystream.handoff(x, to=consumer)


def by_the_long_way(x: Any) -> Any:
    return anystream.handoff(x, to="torch", device="cpu")


def by_the_known_way(x: Any) -> Any:
    return anystream.handoff(x, to="torch")


def many_at_once(x: Any) -> Any:
    return anystream.handoff([x, x], to="torch")


@pytest.mark.parametrize("way", [by_the_long_way, by_the_known_way, many_at_once])
def test_it_points_to_the_line_that_called(way: Callable[[Any], Any]) -> None:
    need("torch")
    for _ in range(2):
        _warnings._warned.clear()
        with pytest.warns(ReadOnlyWarning) as told:
            way(frozen())
        (one,) = told
        assert (one.filename, one.lineno) == (__file__, way.__code__.co_firstlineno + 1)


def test_where_it_is_an_error_nothing_is_given_and_it_comes_again() -> None:
    need("torch")
    handed = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with pytest.raises(ReadOnlyWarning):
                handed.append(anystream.handoff(frozen(), to="torch"))
    assert handed == []
    with pytest.warns(ReadOnlyWarning):
        anystream.handoff(frozen(), to="torch")


def test_a_filter_of_the_standard_kind_silences_it() -> None:
    need("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReadOnlyWarning)
        anystream.handoff(frozen(), to="torch")


def test_threads_are_told_once_together(monkeypatch: pytest.MonkeyPatch) -> None:
    need("torch")
    told: list[tuple[str, str]] = []
    monkeypatch.setattr(_warnings, "_warn", lambda *pair: told.append(pair))
    together = threading.Barrier(16)

    def hand_over() -> None:
        together.wait()
        anystream.handoff(frozen(), to="torch")

    threads = [threading.Thread(target=hand_over) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told == [("numpy", "torch")]


def test_what_is_remembered_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_warnings, "_warn", lambda *_: None)
    for number in range(5000):
        _warnings.warn_readonly(f"made.Class{number}", "torch")
    assert len(_warnings._warned) <= 1000


def test_what_is_refused_otherwise_is_not_warned_of() -> None:
    """Nor does it use up the one warning, which is of what was given."""
    need("torch", "jax")
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    import jax

    x = jax.device_put(np.ones(4, ml_dtypes.float8_e4m3))
    backwards = frozen()[::-1]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(2):  # planned, then known
            with pytest.raises(BufferError, match="torch has no elements of type float8_e4m3;"):
                anystream.handoff(x, to="torch")
            with pytest.raises(BufferError, match="torch takes arrays with no negative strides"):
                anystream.handoff(backwards, to="torch")
    assert told == []
    for given in (jax_array(), frozen()):
        with pytest.warns(ReadOnlyWarning):
            anystream.handoff(given, to="torch")


@pytest.mark.parametrize("way", ["known", "planned", "many"])
def test_what_the_library_itself_refuses_is_not_warned_of(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    need("torch")
    import torch

    def refuse(_: Any) -> Any:
        raise RuntimeError("torch does not want it")

    ways: dict[str, Callable[[Any], Any]] = {
        "known": by_the_known_way,
        "planned": by_the_long_way,
        "many": many_at_once,
    }
    anystream.handoff(np.zeros(3), to="torch")
    with monkeypatch.context() as patched, warnings.catch_warnings():
        warnings.simplefilter("error")
        patched.setattr(torch, "from_dlpack", refuse)
        with pytest.raises(RuntimeError, match="torch does not want it"):
            ways[way](frozen())
    with pytest.warns(ReadOnlyWarning):
        ways[way](frozen())


def test_writable_memory_is_no_matter() -> None:
    need("torch")
    assert anystream.handoff(np.arange(3.0), to="torch").tolist() == [0, 1, 2]


# -- kept, and safe -------------------------------------------------------------------------------


def test_numpy_keeps_it() -> None:
    x = frozen()
    y = anystream.handoff(x, to="numpy", strict=True)
    assert not y.flags.writeable
    assert address(y) == address(x)
    assert anystream.from_dlpack(x).readonly


def test_dpnp_keeps_it(sycl: Any) -> None:
    x = sycl.zeros("dpnp", sycl.queue())
    x.flags["W"] = False
    assert not anystream.handoff(x, to="dpnp").flags.writable


def test_jax_takes_it_as_a_view_by_a_legacy_capsule() -> None:
    need("jax")
    aligned = np.zeros(32, dtype="float32")
    x = aligned[-aligned.ctypes.data % 64 // 4 :][:3]
    x.flags.writeable = False
    y = anystream.handoff(x, to="jax", strict=True)
    assert address(y) == address(x)


def test_mlx_takes_it() -> None:
    need("mlx")
    x = frozen().astype("float32")
    x.flags.writeable = False
    assert anystream.handoff(x, to="mlx", strict=True).tolist() == x.tolist()


# -- strict ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("consumer", LOST)
@pytest.mark.parametrize("producer", READ_ONLY_OF)
def test_strict_refuses(producer: str, consumer: str) -> None:
    need(consumer)
    name, make = READ_ONLY_OF[producer]
    with pytest.raises(BufferError) as refused:
        anystream.handoff(make(), to=consumer, strict=True)
    assert not isinstance(refused.value, OrderingError)
    assert str(refused.value) == (
        f"strict=True: this memory of {name} is read-only, and arrays of {consumer} cannot say so."
        "\n  Pass copy=True for a private copy, or strict=False."
    )


def test_strict_refuses_after_the_usual_call_was_seen() -> None:
    need("torch")
    x = frozen().copy()
    for _ in range(2):
        anystream.handoff(x, to="torch", strict=True)
    x.flags.writeable = False
    with pytest.raises(BufferError, match=r"^strict=True: this memory of numpy is read-only"):
        anystream.handoff(x, to="torch", strict=True)


def test_strict_takes_a_private_copy() -> None:
    need("torch")
    x = frozen()
    y = anystream.handoff(x, to="torch", strict=True, copy=True)
    y[0] = 9
    assert x.tolist() != y.tolist()


def test_what_only_its_import_tells_is_let_go_when_it_is_refused() -> None:
    need("torch")
    policies: list[dict[str, Any]] = [{"strict": True}, {"writable": True}]
    for policy in policies:
        producer = ByHand(flags=READ_ONLY)
        anystream.explain(producer, to="torch", **policy)  # nothing can be told beforehand
        with pytest.raises(BufferError):
            anystream.handoff(producer, to="torch", **policy)
        producer.drop()
        assert producer.deleted == 1


# -- writable -------------------------------------------------------------------------------------


@pytest.mark.parametrize("consumer", ["numpy", "torch", "tvm_ffi", "jax"])
@pytest.mark.parametrize("producer", ["numpy", "ours", "a capsule", "nobody's"])
def test_writing_that_is_meant_is_refused(producer: str, consumer: str) -> None:
    need(consumer)
    name, make = READ_ONLY_OF[producer]
    with pytest.raises(BufferError) as refused:
        anystream.handoff(make(), to=consumer, writable=True, ordering="none")
    assert str(refused.value) == (
        f"writable=True says that writing is meant, but this memory of {name} is read-only.\n"
        "  Pass copy=True for a private copy."
    )


@pytest.mark.parametrize("consumer", ["numpy", "torch"])
def test_a_private_copy_may_be_written_to(consumer: str) -> None:
    need(consumer)
    x = frozen()
    y = anystream.handoff(x, to=consumer, writable=True, copy=True)
    y[0] = 9
    assert x[0] != 9


def test_mlx_copies_so_that_nothing_is_refused() -> None:
    need("mlx")
    x = frozen().astype("float32")
    x.flags.writeable = False
    assert anystream.handoff(x, to="mlx", writable=True).tolist() == x.tolist()


@pytest.mark.parametrize("consumer", ["numpy", "torch"])
def test_on_writable_memory_it_changes_nothing(consumer: str) -> None:
    need(consumer)
    x = np.zeros(3)
    plan = anystream.explain(x, to=consumer, writable=True)
    assert plan is anystream.explain(x, to=consumer)
    y = anystream.handoff(x, to=consumer, writable=True)
    assert address(y) == address(x)


@pytest.mark.parametrize("wrong", [1, 0, None, "yes", [], np.True_])
def test_it_is_true_or_false(wrong: Any) -> None:
    x = np.zeros(3)
    for function in (anystream.handoff, anystream.explain):
        with pytest.raises(TypeError, match=r"^handoff\(writable=…\) takes True or False; got"):
            function(x, to="numpy", writable=wrong)


def test_from_dlpack_has_no_such_keyword() -> None:
    with pytest.raises(TypeError, match="writable"):
        anystream.from_dlpack(np.zeros(3), writable=True)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"^explain\(writable=…\) is of hand-offs to a library"):
        anystream.explain(np.zeros(3), writable=True)


# -- what the plan says ---------------------------------------------------------------------------


def test_explain_says_it() -> None:
    need("torch")
    unknown = Producer(array=Memory().array((1, 0), True))
    assert "it is read-only and torch cannot say so: do not write to it, or ask for copy=True" in (
        anystream.explain(frozen(), to="torch").copy.why
    )
    assert "where it is read-only, torch cannot say so" in (
        anystream.explain(unknown, to="torch").copy.why
    )
    assert "writing is meant: where it is read-only, it is refused" in (
        anystream.explain(unknown, to="torch", writable=True).copy.why
    )
    assert "read-only" not in anystream.explain(frozen(), to="torch", copy=True).copy.why
    assert unknown.calls == []


@pytest.mark.parametrize("policy", [{"strict": True}, {"writable": True}])
def test_explain_raises_what_the_hand_off_would(policy: dict[str, Any]) -> None:
    need("torch")
    for function in (anystream.explain, anystream.handoff):
        with pytest.raises(BufferError, match="is read-only"):
            function(frozen(), to="torch", **policy)


def test_dpctl_memory_of_a_read_only_array_is_told_of(sycl: Any) -> None:
    x = sycl.zeros("dpnp", sycl.queue())
    x.flags["W"] = False
    with pytest.warns(ReadOnlyWarning, match="read-only memory of dpnp was handed to dpctl"):
        y = anystream.handoff(x, to="dpctl")
    assert y._pointer == address(x)
