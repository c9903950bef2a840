# SPDX-License-Identifier: Apache-2.0
"""Shared by the commands of `nalm-server`: settings, options, output files, and wrong input as one line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, BinaryIO, TypeVar

import typer
from nalm_core.text.json_option import with_json_files
from nalm_core.text.mistakes import message_of
from pydantic import ValidationError
from typer.core import TyperCommand

from nalm_server.base import settings_loading
from nalm_server.base.settings import Settings
from nalm_server.cli.console import PlainConsole

out = PlainConsole(highlight=False, soft_wrap=True)
err = PlainConsole(stderr=True, highlight=False, markup=False, soft_wrap=True)

T = TypeVar("T")
State = Annotated[
    Path | None,
    typer.Option("--state", envvar="NALM_STATE_DIR", help="State directory. [default: .nalm/server]"),
]
Host = Annotated[
    str | None,
    typer.Option("--host", help="Address to serve on; by default NALM_HOST, or else 127.0.0.1."),
]
Port = Annotated[
    int | None,
    typer.Option("--port", help="Port to serve on; by default NALM_PORT, or else 8080.", min=0, max=65535),
]


def settings_of(state: Path | None, **given: Any) -> Settings:
    """The checked settings, of which None gives none; prints wrong ones and exits with code 2."""
    given["state_dir"] = state
    try:
        return settings_loading.load(**{name: value for name, value in given.items() if value is not None})
    except settings_loading.SettingsError as error:
        for line in error.lines:
            err.print(f"nalm-server: {line}")
        raise typer.Exit(2) from error


def listed(rows: Iterable[T], what: str) -> list[T]:
    """The rows. Without any, standard error says so: `no alerts`."""
    found = list(rows)
    if not found:
        err.print(f"no {what}")
    return found


class JsonCommand(TyperCommand):
    """A command whose `--json` takes a file, or none."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parses the arguments with a file after each `--json`."""
        return super().parse_args(ctx, with_json_files(args))


@contextmanager
def whole_file(path: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """Half a table looks like a table, so a file gets its name when it is whole. A device is written to."""
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(partial, "wb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            yield file
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def validated() -> Iterator[None]:
    """Prints a line for each validation error and exits with code 2."""
    try:
        yield
    except ValidationError as error:
        for one in error.errors():
            where = ".".join(str(part) for part in one["loc"])
            err.print(f"nalm-server: {where}: {message_of(one)}")
        raise typer.Exit(2) from error
