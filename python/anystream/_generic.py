# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The type variables of what is generic over a platform; a default is new in Python 3.13."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from anystream._markers import Platform

    # Without an argument a class is of any platform.
    PlatformT = TypeVar("PlatformT", bound=Platform[Any])
    PlatformT_co = TypeVar("PlatformT_co", bound=Platform[Any], covariant=True, default=Any)
else:
    from typing import TypeVar

    PlatformT_co = TypeVar("PlatformT_co", covariant=True)
