# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Hostile interface dicts: each wrong key is refused in words; the fuzzer's corpus is replayed."""

from typing import Any

import pytest

import anystream
import fuzz_interfaces
import fuzzing
import hostile_interfaces
from hostile import ERRORS, refused
from hostile_interfaces import INTERFACES
from interface_rig import Described


@pytest.mark.parametrize("interface", INTERFACES)
@pytest.mark.parametrize("key", sorted({case.what.split()[0] for case in hostile_interfaces.DICTS}))
def test_a_key_with_every_wrong_value(interface: str, key: str) -> None:
    cases = [
        case
        for case in hostile_interfaces.DICTS
        if case.field == interface and case.what.split()[0] == key
    ]
    if not cases:
        pytest.skip(f"{interface} has no {key}")
    for case in cases:
        try:
            refused(case, anystream.from_dlpack)
        except BaseException as error:
            raise AssertionError(f"{case.field} {case.what}") from error


@pytest.mark.parametrize("interface", INTERFACES)
def test_what_is_no_dict(interface: str) -> None:
    for value in hostile_interfaces.VALUES:
        x = Described(interface)
        x.fields = value
        with pytest.raises(ERRORS, match=f"{interface} is a dict; got|anystream takes"):
            anystream.from_dlpack(x)


@pytest.mark.parametrize("interface", INTERFACES)
def test_a_dict_whose_keys_are_no_strings(interface: str) -> None:
    x = Described(interface)
    x.fields = {1: 2, None: 3, (): 4}  # type: ignore[dict-item]
    with pytest.raises(BufferError, match="got a dict without it"):
        anystream.from_dlpack(x)


class Disturbed(dict[str, Any]):
    """Fails in the middle of being read."""

    def get(self, key: str, default: Any = None) -> Any:
        if key == "shape":
            raise LookupError("disturbed")
        return super().get(key, default)

    def __getitem__(self, key: str) -> Any:
        if key == "shape":
            raise LookupError("disturbed")
        return super().__getitem__(key)


@pytest.mark.parametrize("interface", INTERFACES)
def test_a_dict_that_fails_while_it_is_read(interface: str) -> None:
    """What it raises is its own, and the user's to see."""
    x = Described(interface)
    x.fields = Disturbed(x.fields)
    with pytest.raises(LookupError, match="disturbed"):
        anystream.from_dlpack(x)


def test_the_fuzzers_corpus() -> None:
    inputs = fuzzing.read_corpus("interfaces")
    assert 10 < len(inputs) <= 60
    for data in inputs:
        fuzz_interfaces.one(data)


def test_the_corpus_reaches_each_interface_and_comes_in() -> None:
    """A corpus of refusals alone would tell little."""
    taken = set()
    for data in fuzzing.read_corpus("interfaces"):
        x = fuzz_interfaces.made(data)
        try:
            array = anystream.from_dlpack(x)
        except fuzz_interfaces.REFUSALS:
            continue
        taken.add(array.plan.protocol.what)
    assert {"__array_interface__", "__cuda_array_interface__"} <= taken


def test_a_paragraph_of_the_corpus_is_read_as_it_was_written() -> None:
    data = bytes(range(256))
    assert bytes.fromhex(fuzzing.text_of(data)) == data
    assert max(map(len, fuzzing.text_of(data).splitlines())) <= 100
