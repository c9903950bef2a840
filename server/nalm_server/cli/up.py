# SPDX-License-Identifier: Apache-2.0
"""`nalm-server up` and `migrate`: the embedded form, and the database's revision."""

from __future__ import annotations

from typing import Annotated

import typer

from nalm_server.app.embedded.up import up as run_up
from nalm_server.base import logs
from nalm_server.cli.common import Host, Port, State, err, settings_of
from nalm_server.cli.contexts import reported
from nalm_server.db import migrate


def up(
    state: State = None,
    host: Host = None,
    port: Port = None,
    agent: Annotated[bool, typer.Option(help="Run a local agent, too.")] = True,
) -> None:
    """Runs everything on this host: database, API, page, one agent. Ctrl-C stops it.

    Example: nalm-server up --port 9090 --state /var/lib/nalm
    """
    settings = settings_of(state, host=host, port=port)
    logs.configure(as_json=settings.log_json)
    with reported(settings):
        run_up(settings, with_agent=agent)


def migrate_command(
    state: State = None,
    to: Annotated[str, typer.Option(help="Target revision; `-1`: one back, `base`: drop all.")] = "head",
    *,
    online: Annotated[
        bool,
        typer.Option(
            "--online", help="Only if the running version can stay up meanwhile; otherwise exit with code 3."
        ),
    ] = False,
) -> None:
    """Migrates the database to this program's revision (`up` does so by itself).

    Example: nalm-server migrate
    """
    settings = settings_of(state)
    with reported(settings):
        if settings.database_url is None:
            settings.state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        if online and not migrate.may_run_meanwhile(settings.resolved_database_url):
            err.print("nalm-server: this upgrade drops what the running version uses: stop it first.")
            raise typer.Exit(3)
        if to == "head":
            migrate.upgrade(settings.resolved_database_url)
        else:
            migrate.downgrade(settings.resolved_database_url, to)
