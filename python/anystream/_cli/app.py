# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The commands and their options; what they do is in the other files of this folder."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import anystream
from anystream._cli.output import writable

app: typer.Typer = typer.Typer(
    name="anystream",
    help="Hand arrays from one library's stream to another's, in the right order.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


class On(StrEnum):
    """Where the doctor runs the race."""

    auto = "auto"
    sycl = "sycl"
    simulated = "simulated"


class StreamKind(StrEnum):
    """What `explain` names as the consumer's stream."""

    none = "none"
    in_order = "in-order"
    out_of_order = "out-of-order"


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"anystream {anystream.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Take the options that stand before a command."""


@app.command()
def doctor(
    trials: Annotated[int, typer.Option(min=20, help="Trials of each row of the race.")] = 20,
    on: Annotated[On, typer.Option(help="Where the race is run.")] = On.auto,
    json: Annotated[
        Path | None,
        # A file that cannot be written is told of before the race, not after it.
        typer.Option(
            metavar="FILE",
            dir_okay=False,
            allow_dash=True,
            callback=writable,
            help="Write it to FILE too.",
        ),
    ] = None,
) -> None:
    """Show what is installed, a real race, and what each hand-off does.

    The exit status is 1 if a value was wrong.
    """
    from anystream._cli.doctor import examine

    raise typer.Exit(examine(Console(), trials, on.value, json))


@app.command()
def devices(
    types: Annotated[
        bool, typer.Option("--types", help="List every device type and what stream may be.")
    ] = False,
) -> None:
    """List the devices that can be used here."""
    from anystream._cli.devices import show_devices, show_types

    show_types(Console()) if types else show_devices(Console())


@app.command()
def explain(
    producer: Annotated[str, typer.Argument(help="The library that owns the array: numpy, dpnp …")],
    consumer: Annotated[str, typer.Argument(help="The library that is about to use it.")],
    stream: Annotated[
        StreamKind, typer.Option(help="A new queue to name as the consumer's, or none.")
    ] = StreamKind.none,
) -> None:
    """Print what a hand-off of a small sample array would do, step by step, and why."""
    from anystream._cli.explain import show_plan

    raise typer.Exit(show_plan(Console(), producer, consumer, stream.value))
