# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Where installed packages keep the libraries that the core may open."""

from importlib.util import find_spec

from anystream._peers import DRIVER_PACKAGES


def search_paths() -> list[tuple[str, str]]:
    """Give pairs (driver, folder) of the packages that are installed; imports none of them."""
    return [
        (driver, folder)
        for driver, package in DRIVER_PACKAGES
        if (spec := find_spec(package)) is not None
        for folder in spec.submodule_search_locations or ()
    ]
