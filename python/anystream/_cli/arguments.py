# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The doctor's third section: one `__dlpack__`, fed with every kind of stream argument."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from anystream import _core
from anystream._cli.findings import Answer, Arguments
from anystream._cli.queues import Queues, simulated_queues, sycl_queues
from anystream.testing import SimulatedDevice

_WHERE = "__dlpack__(stream=…)"
_CPU = 1
_FLOAT32 = (2, 32, 1)


@dataclass(frozen=True)
class _Subject:
    """An array to ask, by its name in the table, and the queues that it is asked with."""

    name: str
    array: _core.Array
    queues: Queues


# A value by its name: a constant, or what the array's queues make.
_VALUES: dict[str, Callable[[Queues], Any]] = {
    "None": lambda _: None,
    "-1": lambda _: -1,
    "1": lambda _: 1,
    "in-order queue": lambda queues: queues.in_order(),
    "out-of-order queue": lambda queues: queues.out_of_order(),
    "capsule": Queues.capsule,
    "used capsule": Queues.used_capsule,
    "object()": lambda _: object(),
}

# What becomes of None, by the on_none column of the device table.
_ON_NONE = {
    "nothing": "accepted; there is nothing to order",
    "legacy_default": "accepted as CUDA's legacy default stream",
    "default_stream": "accepted as ROCm's default stream",
    "host_wait": "accepted; the host waits if work is pending",
}

# What is done for a stream, by how it stands to the array's own.
_ON_RELATION = {
    "same": "accepted; it is the array's own queue, so there is nothing to do",
    "same_out_of_order": "accepted; it is the array's own queue: a barrier",
    "different": "accepted; it waits for the array's queue on the device",
    "unrelated": "accepted; another platform, so the host waits",
}


def ask_all(no_sycl: str, tick: Callable[[], None]) -> Arguments:
    """Put every value to a CPU, a SYCL and a simulated array; tick() is called after each.

    no_sycl says why SYCL cannot be used; "" if it can.
    """
    subjects = _subjects(with_sycl=not no_sycl)
    answers = tuple(answer for subject in subjects for answer in _ask(subject, tick))
    return Arguments(answers, {"SYCL": no_sycl} if no_sycl else {})


def _subjects(*, with_sycl: bool) -> list[_Subject]:
    device = SimulatedDevice()
    simulated = simulated_queues(device)
    queues = sycl_queues() if with_sycl else simulated
    sycl = [_Subject("SYCL", _on_sycl(queues), queues)] if with_sycl else []
    host = _core._array_empty((4,), _FLOAT32, (_CPU, 0))
    ours = device.full(4, 1.0, stream=simulated.in_order())
    return [_Subject("CPU", host, queues), *sycl, _Subject("simulated", ours, simulated)]


def _on_sycl(queues: Queues) -> _core.Array:
    import dpnp

    x = dpnp.ones(4, dtype="float32", sycl_queue=queues.in_order())
    array: _core.Array = _core.from_dlpack(x)
    return array


def _ask(subject: _Subject, tick: Callable[[], None]) -> list[Answer]:
    answers = []
    for value, make in _VALUES.items():
        answers.append(_answer(subject, value, make(subject.queues)))
        tick()
    return answers


def _answer(subject: _Subject, value: str, stream: Any) -> Answer:
    try:
        subject.array.__dlpack__(stream=stream)
    except (TypeError, ValueError, BufferError, RuntimeError) as error:
        return Answer(subject.name, value, False, f"{type(error).__name__}: {error}")
    return Answer(subject.name, value, True, _how(subject.array, stream))


def _how(array: _core.Array, argument: Any) -> str:
    """How an accepted argument was taken, by the rules that the call itself went by."""
    device = array.device
    form, stream = _core.resolve_stream(
        argument, int(device.type), device.id, platform=device.platform, where=_WHERE
    )
    if form == "unordered":
        return "accepted; no ordering is wanted"
    if form == "default":
        return _ON_NONE[_on_none(int(device.type))]
    if form == "foreign" or array.stream is None:
        return "accepted; handed to the producer as it is"
    return _ON_RELATION[_core.relation(array.stream, stream)]


def _on_none(device_type: int) -> str:
    rules = {row["value"]: str(row["on_none"]) for row in _core.DEVICE_TABLE}
    return rules[device_type]
