# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Prints what anystream costs, as ratios to competitors measured in the same run.

usage: bench.py [--smoke] [SECTION...]

sections: import, export, order, order-cpp, resolve, instructions
"""

import argparse
from collections.abc import Callable

from imports import bench_export, bench_import
from instructions import bench_instructions
from ordering import bench_order, bench_order_in_cpp, make_sycl_visible
from rotation import SMOKE, Effort
from streams import bench_resolve

SECTIONS: dict[str, Callable[[Effort], None]] = {
    "import": bench_import,
    "export": bench_export,
    "order": bench_order,
    "order-cpp": bench_order_in_cpp,
    "resolve": bench_resolve,
    "instructions": bench_instructions,
}


def main() -> None:
    """Run the sections named on the command line, all if none is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="one call each: does it run at all")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    options = parser.parse_args()
    unknown = set(options.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"no section {', '.join(unknown)}; the sections are {', '.join(SECTIONS)}.")
    make_sycl_visible()
    for name in options.sections or SECTIONS:
        SECTIONS[name](SMOKE if options.smoke else Effort())


if __name__ == "__main__":
    main()
