# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Classes that are there for type checkers, and have no instances of their own."""

from typing import TYPE_CHECKING, Any, ClassVar, Never, Self


class NotMade:
    """A class that is never called: what a checker knows as one of it comes from elsewhere."""

    _instead: ClassVar[str]  # a sentence: what to write

    if TYPE_CHECKING:

        def __new__(cls, never: Never, /) -> Self: ...
    else:

        def __new__(cls, *_: Any, **__: Any) -> Self:
            raise TypeError(
                f"{cls.__name__} is for type checkers: it makes no object.\n  "
                f"{cls._instead.format(cls.__name__)}"
            )
