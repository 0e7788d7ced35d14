# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The usual call on a host array is planned once; what each array may differ in is asked again."""

import gc
import weakref
from typing import Any

import pytest

import anystream
from anystream import ReadOnlyWarning, _facts, _known, _planner, _warnings
from anystream._plan import Plan
from ctypes_tensors import READ_ONLY, Producer, Taken
from exchange_rig import CAPSULE_ATTRIBUTE, made_table, table_capsule

np = pytest.importorskip("numpy", reason="numpy is not installed")


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Counts the calls that are planned."""
    monkeypatch.setattr(_known, "_known", {})
    calls: list[Any] = []
    plan_for = _planner.plan_for

    def counted(facts: Any, *, strict: bool) -> Plan:
        calls.append(facts)
        return plan_for(facts, strict=strict)

    monkeypatch.setattr(_facts, "plan_for", counted)
    return calls


def of_a_subclass(count: int, kind: type) -> Any:
    """Give an array that has no quick way, so that the package is asked each time."""
    return np.arange(float(count)).view(kind)


def test_it_is_planned_once(planned: list[Any]) -> None:
    kind = type("Mine", (np.ndarray,), {})
    first = anystream.from_dlpack(of_a_subclass(3, kind))
    again = anystream.from_dlpack(of_a_subclass(4, kind))
    assert len(planned) == 1
    assert first.plan is again.plan
    assert again.plan is anystream.explain(of_a_subclass(5, kind))
    assert again.shape == (4,)


def test_each_library_is_planned_for_once(planned: list[Any]) -> None:
    pytest.importorskip("torch", reason="torch is not installed (PEERS=all installs it)")
    kind = type("Mine", (np.ndarray,), {})
    for number in range(3):
        for to in ("numpy", "torch"):
            assert anystream.handoff(of_a_subclass(number, kind), to=to).shape == (number,)
    assert [facts.consumer for facts in planned] == ["numpy", "torch"]


@pytest.mark.parametrize(
    "policy",
    [{}, {"copy": False}, {"copy": True}, {"strict": True}, {"ordering": "host"}],
    ids=repr,
)
def test_what_is_explained_is_what_runs(planned: list[Any], policy: dict[str, Any]) -> None:
    x = np.arange(3.0)
    for _ in range(3):
        array = anystream.from_dlpack(x, **policy)
        assert anystream.explain(x, **policy) is array.plan
        assert (array.data_ptr == x.ctypes.data) is not policy.get("copy")


def test_streams_and_devices_are_looked_at(planned: list[Any]) -> None:
    x = of_a_subclass(3, type("Mine", (np.ndarray,), {}))
    anystream.from_dlpack(x)
    anystream.from_dlpack(x)
    assert len(planned) == 1
    anystream.from_dlpack(x, device="cpu")
    anystream.from_dlpack(x, producer_stream=-1)
    assert len(planned) == 3
    with pytest.raises(ValueError, match="a kDLCPU array takes None or -1"):
        anystream.from_dlpack(x, stream=1)


def test_refusals_are_never_skipped() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed (PEERS=all installs it)")
    for _ in range(2):
        assert anystream.handoff(torch.ones(3), to="numpy").tolist() == [1.0, 1.0, 1.0]
        with pytest.raises(BufferError, match="its negative bit is set"):
            anystream.handoff(torch._neg_view(torch.ones(3)), to="numpy")
        with pytest.raises(BufferError, match="meta device"):
            anystream.from_dlpack(torch.empty(3, device="meta"))
        with pytest.raises(BufferError, match="DLPack has no mask"):
            anystream.handoff(np.ma.masked_array([1.0], [True]), to="torch")
    with pytest.raises(BufferError, match=r"copy=False, but mlx copies"):
        anystream.explain(np.ones(2), to="mlx", copy=False)


@pytest.mark.filterwarnings("ignore::anystream.ReadOnlyWarning")
def test_read_only_arrays_have_a_plan_of_their_own() -> None:
    pytest.importorskip("torch", reason="torch is not installed (PEERS=all installs it)")
    x = np.arange(3.0)
    for flag in (True, False, True, False):
        x.flags.writeable = flag
        array = anystream.handoff(x, to="torch", copy=False)
        assert array.data_ptr() == x.ctypes.data
        found = _known.known(x, "torch", False, "device", False)
        assert found is not None
        assert found.plan is anystream.explain(x, to="torch", copy=False)
        assert ("do not write to it" in found.plan.copy.why) is not flag
        assert anystream.from_dlpack(x).readonly is not flag


def test_an_array_that_is_elsewhere_is_planned(planned: list[Any]) -> None:
    class Elsewhere(np.ndarray):  # type: ignore[misc, name-defined]
        place = (1, 0)

        def __dlpack_device__(self) -> tuple[int, int]:
            return self.place

    x = np.arange(3.0).view(Elsewhere)
    anystream.from_dlpack(x)
    x.place = (15, 0)
    assert anystream.explain(x).device.what == "webgpu:0"
    with pytest.raises(BufferError, match=r"array says webgpu:0, its capsule cpu\."):
        anystream.from_dlpack(x)
    assert len(planned) == 3


def test_a_class_whose_export_changes_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    class Changing(np.ndarray):  # type: ignore[misc, name-defined]
        pass

    x = np.arange(3.0).view(Changing)
    assert anystream.from_dlpack(x).shape == (3,)
    monkeypatch.setattr(Changing, "__dlpack__", lambda self: np.ones(5).__dlpack__(), raising=False)
    assert anystream.from_dlpack(x).shape == (5,)


# -- the quick way, which asks nobody -------------------------------------------------------------


def table_of(count: int, given: list[Producer] | None = None, **fields: Any) -> Any:
    """Make a class's exchange API, which gives tensors of ``count`` elements."""
    given = [] if given is None else given

    def export(_: int, out: Any) -> int:
        given.append(Producer((count,), **fields))
        out[0] = given[-1].hand()
        return 0

    unused: dict[str, Any] = dict.fromkeys(
        ("allocator", "to_py", "borrow", "stream"), lambda *_: -1
    )
    return table_capsule(made_table(from_py=export, **unused))


class Base:
    """What it exports by its method tells which way was taken."""

    def __dlpack__(self, **_: Any) -> Any:
        return Producer((5,)).capsule()

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


@pytest.fixture
def offering() -> type:
    """A class of nobody's, whose base offers tensors of two elements by the C exchange API."""
    base = type("Offering", (Base,), {CAPSULE_ATTRIBUTE: table_of(2)})
    return type("Derived", (base,), {})


def test_the_quick_way_asks_no_planner(planned: list[Any], offering: type) -> None:
    first = anystream.from_dlpack(offering())
    assert first.shape == (2,)
    assert len(planned) == 1
    _known._known.clear()  # what the package knows, so that it would have to plan anew
    again = anystream.from_dlpack(offering())
    assert again.shape == (2,)
    assert again.plan is first.plan
    assert len(planned) == 1


BRAIN, HALF_BYTE = {"dtype": (4, 16, 1)}, {"dtype": (17, 4, 1)}


@pytest.mark.filterwarnings("ignore::anystream.ReadOnlyWarning")
@pytest.mark.parametrize(
    ("to", "fields", "error"),
    [
        ("numpy", {}, ""),
        ("torch", {}, ""),
        ("numpy", BRAIN, ""),  # by a package, so not quickly
        ("torch", {"flags": READ_ONLY}, ""),  # with a warning
        ("numpy", {"flags": READ_ONLY}, ""),
        ("torch", {"strides": (-1,)}, "no negative strides"),
        ("torch", HALF_BYTE, "torch has no elements of type float4_e2m1fn;"),
    ],
)
def test_a_producer_is_asked_once_for_each_hand_off(
    to: str, fields: dict[str, Any], error: str
) -> None:
    for library in (to, "ml_dtypes") if fields is BRAIN else (to,):
        pytest.importorskip(library, reason=f"{library} is not installed (PEERS=all installs it)")
    given: list[Producer] = []
    kind = type("Offering", (Base,), {CAPSULE_ATTRIBUTE: table_of(2, given, **fields)})
    for number in range(1, 4):  # planned, then by the quick way
        if error:
            with pytest.raises(BufferError, match=error):
                anystream.handoff(kind(), to=to)
        else:
            assert tuple(anystream.handoff(kind(), to=to).shape) == (2,)
        assert len(given) == number
    gc.collect()
    assert [producer.deleted for producer in given] == [1, 1, 1]


@pytest.fixture
def read_only() -> type:
    """A class of nobody's, whose table gives memory that may not be written to."""
    return type("Offering", (Base,), {CAPSULE_ATTRIBUTE: table_of(2, flags=READ_ONLY)})


def test_what_a_table_says_of_writing_is_kept_each_time(read_only: type) -> None:
    for _ in range(3):  # planned, then by the quick way
        array = anystream.from_dlpack(read_only())
        assert array.shape == (2,)  # by the table
        assert array.readonly is True
        exported = Taken.of(array.__dlpack__(max_version=(1, 3)))
        assert exported.flags == READ_ONLY
        exported.delete()
        with pytest.raises(BufferError, match="read-only"):
            array.__dlpack__()
        assert anystream.handoff(read_only(), to="numpy").flags.writeable is False


def test_what_a_table_says_of_writing_is_told_where_it_is_lost(
    read_only: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch", reason="torch is not installed (PEERS=all installs it)")
    for _ in range(3):
        monkeypatch.setattr(_warnings, "_warned", set())
        with pytest.warns(ReadOnlyWarning, match="read-only memory of .*Offering was handed to t"):
            assert tuple(anystream.handoff(read_only(), to="torch").shape) == (2,)
        with pytest.raises(BufferError, match=r"strict=True: .* read-only, and arrays of torch"):
            anystream.handoff(read_only(), to="torch", strict=True)
        with pytest.raises(BufferError, match="writable=True says that writing is meant, but"):
            anystream.handoff(read_only(), to="numpy", writable=True)


def without_a_table(kind: Any) -> None:
    delattr(kind.__bases__[0], CAPSULE_ATTRIBUTE)


def with_a_table_of_its_own(kind: Any) -> None:
    setattr(kind, CAPSULE_ATTRIBUTE, table_of(3))


def with_a_base_of_another_table(kind: Any) -> None:
    setattr(kind.__bases__[0], CAPSULE_ATTRIBUTE, table_of(3))


def with_an_export_of_its_own(kind: Any) -> None:
    kind.__dlpack__ = lambda self, **_: Producer((7,)).capsule()


PATCHES: list[tuple[Any, int]] = [
    (without_a_table, 5),
    (with_a_table_of_its_own, 3),
    (with_a_base_of_another_table, 3),
    (with_an_export_of_its_own, 7),  # that of its base knows nothing of it
]


@pytest.mark.parametrize(("patch", "shape"), PATCHES)
def test_the_quick_way_of_a_class_that_is_patched_is_forgotten(
    planned: list[Any], offering: type, patch: Any, shape: int
) -> None:
    x = offering()
    for _ in range(3):
        assert anystream.from_dlpack(x).shape == (2,)
    patch(offering)
    for _ in range(3):
        assert anystream.from_dlpack(x).shape == (shape,)
    assert anystream.from_dlpack(x).plan is anystream.explain(x)


# -- bounds ---------------------------------------------------------------------------------------


def test_classes_without_end_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_known, "_known", {})
    monkeypatch.setattr(_known, "_MOST", 10)
    monkeypatch.setattr(_planner, "_recent", {})
    monkeypatch.setattr(_planner, "_MOST_PLANS", 10)
    x = np.arange(3.0)
    first = anystream.explain(x)
    for number in range(40):
        kind = type(f"Made{number}", (np.ndarray,), {})
        anystream.from_dlpack(x.view(kind))
        anystream.explain(Producer(device=(15, number)))  # a device has a plan of its own
    assert len(_known._known) <= 10
    assert len(_planner._recent) <= 10
    assert anystream.explain(x) is first  # which is held here


def test_a_plan_that_nobody_holds_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_planner, "_recent", {})
    gone = weakref.ref(anystream.explain(Producer(device=(15, 4321))))
    assert gone() is not None
    _planner._recent.clear()
    gc.collect()
    assert gone() is None


def test_a_plan_is_not_used_for_elements_of_another_kind() -> None:
    """jax's bfloat16 goes by a call, its float32 by the buffer: neither plan is the other's."""
    jax = pytest.importorskip("jax", reason="jax is not installed (PEERS=all installs it)")
    for kinds in (("bfloat16", "float32"), ("float32", "bfloat16")):
        for kind in kinds:
            x = jax.numpy.ones(3, dtype=kind)
            plan = anystream.explain(x)
            assert anystream.from_dlpack(x).plan is plan
            found = _known.known(x, None, None, "device", False)
            assert found is None or found.plan is plan
