# SPDX-License-Identifier: Apache-2.0
"""Shared by the commands of `nalm-server`: settings, and wrong input as one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from nalm_core.text.mistakes import message_of
from pydantic import ValidationError

from nalm_server.base import settings_loading
from nalm_server.base.settings import Settings
from nalm_server.cli.console import PlainConsole

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
            err.print(f"nalm-server: {where}: {message_of(one)}")
        raise typer.Exit(2) from error
