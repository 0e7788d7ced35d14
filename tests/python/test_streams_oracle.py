# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Every stream argument on every device type: what it comes to, or the exact error."""

from typing import Any

import pytest

import anystream
from anystream import _core
from stream_oracle import OUTCOMES, WHERE, Outcome, Where
from stream_values import VALUES, Value

ARGUMENT = "__dlpack__(stream=…)"
ERRORS = {"T": TypeError, "V": ValueError}


def resolve(value: Any, where: Where) -> tuple[str, Any]:
    return _core.resolve_stream(value, where.type, 0, platform=where.platform, where=ARGUMENT)


def message(where: Where, value: Value, outcome: Outcome) -> str:
    first = f"{ARGUMENT}: {where.array} takes {where.takes}; got {value.got}."
    reason = outcome.reason
    if isinstance(value.passed, anystream.Stream) and value.passed.device is not None:
        reason = reason.format(id=value.passed.device.id)
    return f"{first}\n  {reason}{where.fix}"


def check_stream(stream: Any, where: Where, value: Value, outcome: Outcome) -> None:
    assert type(stream) is anystream.Stream
    assert stream.device.type == stream_type(where, value)
    if outcome.handle is None:
        assert stream == anystream.Stream(value.queue)
        assert stream.device == anystream.Stream(value.queue).device
    else:
        assert stream.handle == outcome.handle
        assert stream.device.id == 0


def stream_type(where: Where, value: Value) -> int:
    """One of ours stays what it is, on any memory of its platform."""
    device = value.passed.device if isinstance(value.passed, anystream.Stream) else None
    return where.type if device is None else int(device.type)


def test_the_two_lists_of_values_are_one() -> None:
    assert list(VALUES) == list(OUTCOMES)


def test_every_device_type_is_there() -> None:
    assert {row["value"] for row in _core.DEVICE_TABLE} <= {where.type for where in WHERE}
    assert {row["id"] for row in _core.PLATFORM_TABLE} == {"simulated"}


@pytest.mark.parametrize("name", OUTCOMES)
@pytest.mark.parametrize("where", WHERE, ids=lambda where: f"{where.type}{where.platform}")
def test_oracle(where: Where, name: str) -> None:
    value = VALUES[name]()
    outcome = OUTCOMES[name][where.column]
    if outcome.kind in ERRORS:
        with pytest.raises(ERRORS[outcome.kind]) as caught:
            resolve(value.passed, where)
        assert type(caught.value) is ERRORS[outcome.kind]
        assert str(caught.value) == message(where, value, outcome)
        return
    form, result = resolve(value.passed, where)
    assert form == outcome.kind
    if form == "stream":
        check_stream(result, where, value, outcome)
    elif form == "foreign":
        assert result is value.passed
    else:
        assert result is None


REFUSED = [
    (where, name)
    for where in WHERE
    for name in OUTCOMES
    if OUTCOMES[name][where.column].kind in ERRORS
]


@pytest.mark.parametrize(
    ("where", "name"), REFUSED, ids=[f"{w.type}{w.platform}-{name}" for w, name in REFUSED]
)
def test_an_array_refuses_in_the_same_words(where: Where, name: str) -> None:
    value = VALUES[name]()
    outcome = OUTCOMES[name][where.column]
    array = _core._array_from_pointer(
        4096,
        (1,),
        None,
        (2, 32, 1),
        (where.type, 0),
        readonly=False,
        owner=None,
        stream=None,
        plan=None,
        platform=where.platform,
    )
    with pytest.raises(ERRORS[outcome.kind]) as caught:
        array.__dlpack__(stream=value.passed)
    assert str(caught.value) == message(where, value, outcome)
