# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Producers by what their ``__dlpack__`` takes: each records what it was sent beside None."""

from typing import Any

from stand_ins import Producer, Recorder


def _sent(**keywords: Any) -> dict[str, Any]:
    return {name: value for name, value in keywords.items() if value is not None}


class Bare(Recorder):
    def __dlpack__(self) -> Any:
        return self.export()


class StreamOnly(Recorder):
    def __dlpack__(self, stream: Any = None) -> Any:
        return self.export(**_sent(stream=stream))


class StreamByKeyword(Recorder):
    def __dlpack__(self, *, stream: Any = None) -> Any:
        return self.export(**_sent(stream=stream))


class PositionalOnly(Recorder):
    def __dlpack__(self, stream: Any = None, /) -> Any:
        return self.export(**_sent(stream=stream))


class StreamAndVersion(Recorder):
    def __dlpack__(self, stream: Any = None, max_version: Any = None) -> Any:
        return self.export(**_sent(stream=stream, max_version=max_version))


class Versioned(Recorder):
    def __dlpack__(self, *, stream: Any = None, max_version: Any = None) -> Any:
        return self.export(**_sent(stream=stream, max_version=max_version))


class Full(Recorder):
    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: Any = None,
        dl_device: Any = None,
        copy: Any = None,
    ) -> Any:
        sent = _sent(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)
        return self.export(**sent)


class AnyKeyword(Producer):
    """None is recorded here too: this one tells it from what was not sent."""


class AnyPosition(Recorder):
    def __dlpack__(self, *positions: Any) -> Any:
        assert positions == ()
        return self.export()
