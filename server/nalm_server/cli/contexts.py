# SPDX-License-Identifier: Apache-2.0
"""The context of a command of `nalm-server`, and errors as one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from nalm_server.app.context import open_context
from nalm_server.app.embedded.address import remembered
from nalm_server.app.embedded.failure import EXIT_COULD_NOT, StartError, explained
from nalm_server.base.settings import Settings
from nalm_server.cli.common import err, settings_of, validated
from nalm_server.db import migrate
from nalm_server.db.context import Context
from nalm_server.worker.wake import Waker


@contextmanager
def reported(settings: Settings) -> Iterator[None]:
    """Prints an error as one line and exits with code 4, or 2 for wrong input; never prints a traceback."""
    try:
        with validated(), explained(settings.state_dir):
            yield
    except StartError as error:
        err.print(f"nalm-server: {error}")
        raise typer.Exit(EXIT_COULD_NOT) from error


@contextmanager
def context_of(settings: Settings, waker: Waker | None = None) -> Iterator[Context]:
    """Opens the database at this program's revision; migrates an embedded one."""
    with reported(settings), open_context(settings, waker) as context:
        if settings.database_url is None:
            migrate.upgrade(settings.resolved_database_url)
        migrate.require_current(context.engine)
        yield context


@contextmanager
def opened(state: Path | None) -> Iterator[Context]:
    """The context of a command that does one thing and exits. Where nothing names a directory, it makes no
    server: the command is for one that exists."""
    settings = remembered(settings_of(state))
    if state is None and settings.database_url is None and not settings.state_dir.is_dir():
        err.print(
            f"nalm-server: no server is in {settings.state_dir}: name its directory by --state or "
            "NALM_STATE_DIR, or start one here: nalm-server up"
        )
        raise typer.Exit(EXIT_COULD_NOT)
    with context_of(settings) as context:
        yield context
