# SPDX-License-Identifier: Apache-2.0
"""Shared by the commands of `nalm-server`: settings, context, and errors as one line.

Slow imports are in the functions that need them: a health check runs every half a minute.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import ValidationError

from nalm_server.base import settings_loading
from nalm_server.base.settings import Settings
from nalm_server.cli.console import PlainConsole

if TYPE_CHECKING:
    from nalm_server.db.context import Context
    from nalm_server.worker.wake import Waker

out = PlainConsole(highlight=False, soft_wrap=True)
err = PlainConsole(stderr=True, highlight=False, markup=False, soft_wrap=True)

State = Annotated[
    Path | None,
    typer.Option("--state", envvar="NALM_STATE_DIR", help="State directory. [default: .nalm/server]"),
]


def settings_of(state: Path | None, **given: Any) -> Settings:
    """The checked settings; prints wrong ones and exits with code 2."""
    try:
        return settings_loading.load(**given if state is None else {**given, "state_dir": state})
    except settings_loading.SettingsError as error:
        for line in error.lines:
            err.print(f"nalm-server: {line}")
        raise typer.Exit(2) from error


@contextmanager
def validated() -> Iterator[None]:
    """Prints a line for each validation error and exits with code 2."""
    try:
        yield
    except ValidationError as error:
        for one in error.errors():
            where = ".".join(str(part) for part in one["loc"])
            err.print(f"nalm-server: {where}: {one['msg'].removeprefix('Value error, ')}")
        raise typer.Exit(2) from error


@contextmanager
def reported(settings: Settings) -> Iterator[None]:
    """Prints an error as one line and exits with code 4, or 2 for wrong input; never prints a traceback."""
    from nalm_server.app.embedded.failure import EXIT_COULD_NOT, StartError, explained

    try:
        with validated(), explained(settings.state_dir):
            yield
    except StartError as error:
        err.print(f"nalm-server: {error}")
        raise typer.Exit(EXIT_COULD_NOT) from error


@contextmanager
def context_of(settings: Settings, waker: Waker | None = None) -> Iterator[Context]:
    """Opens the database at this program's revision; migrates an embedded one."""
    from nalm_server.app.context import open_context
    from nalm_server.db import migrate

    with reported(settings), open_context(settings, waker) as context:
        if settings.database_url is None:
            migrate.upgrade(settings.resolved_database_url)
        migrate.require_current(context.engine)
        yield context


@contextmanager
def opened(state: Path | None) -> Iterator[Context]:
    """The context of a command that does one thing and exits."""
    from nalm_server.app.embedded.address import remembered

    with context_of(remembered(settings_of(state))) as context:
        yield context
