# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m anystream` is the console script `anystream`."""

import sys

from anystream._cli import main

sys.exit(main())
