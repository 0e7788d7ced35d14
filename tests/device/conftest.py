# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Gives tests the libraries that they name, and says at the end what each of them ran on."""

from suite import figures, pytest_collection_modifyitems, pytest_terminal_summary, use

__all__ = ["figures", "pytest_collection_modifyitems", "pytest_terminal_summary", "use"]
