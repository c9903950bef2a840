# SPDX-License-Identifier: Apache-2.0
"""`nalm agent`, `nalm agent register`, `nalm agent rotate`: serving a nalm server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nalm_agent.runtime.errors import ExitCode, NalmError, UsageError
from nalm_agent.shell.commands import CommandGroup
from nalm_agent.shell.examples import examples
from nalm_agent.store.home import Home

PoolOption = Annotated[
    str | None, typer.Option("--pool", metavar="NAME", help="The pool this host belongs to.")
]


def add_to(app: typer.Typer) -> None:
    """Adds the commands to `nalm`."""
    group = typer.Typer(
        cls=CommandGroup,
        help="Serve a nalm server: lease jobs, measure them, upload the reports.",
        rich_markup_mode=None,
        epilog=examples(
            "nalm agent register --server URL --token-file FILE  once, before the others",
            "nalm agent",
            "nalm agent --server http://127.0.0.1:8080 --token-file agent.token",
            "nalm agent --ping",
        ),
    )
    group.callback(invoke_without_command=True)(agent)
    group.command(
        epilog=examples("nalm agent register --server https://nalm.example.org --token-file invitation")
    )(register)
    group.command(epilog=examples("nalm agent rotate"))(rotate)
    app.add_typer(group, name="agent")


def agent(
    context: typer.Context,
    *,
    server: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Address of nalm-server. Default: the server of the registration."),
    ] = None,
    token_file: Annotated[
        Path | None, typer.Option(help="File with a shared token of scope agent, instead of a registration.")
    ] = None,
    pool: PoolOption = None,
    once: Annotated[bool, typer.Option("--once", help="Exit when the queue is empty.")] = False,
    drain_after_job: Annotated[
        bool, typer.Option("--drain-after-job", help="Exit after one job, so that another version can start.")
    ] = False,
    ping: Annotated[
        bool,
        typer.Option("--ping", help="Only check whether the agent of $NALM_HOME works; exit code 4 if not."),
    ] = False,
) -> None:
    """Serve a nalm server: lease jobs, measure them, upload the reports."""
    if context.invoked_subcommand is not None:
        return
    if ping:
        from nalm_agent.daemon.liveness import require_sign

        typer.echo(f"the agent works; last sign of life {require_sign(Home.default()):.0f} s ago")
        return
    from nalm_agent.daemon.credential import from_file, load
    from nalm_agent.daemon.loop import serve

    home = Home.default()
    if token_file is not None:
        if server is None:
            raise UsageError("--token-file goes with --server", hint="name the server that issued the token")
        credential = from_file(server, token_file, pool)
    else:
        registered = load(home)
        if registered is None:
            raise UsageError(
                f"this agent is not registered: there is no {home.root / 'agent.json'}",
                hint="nalm agent register --server URL --token-file FILE, with a token from "
                "`nalm-server agent invite --pool NAME`",
            )
        credential = registered
        if server is not None and server.rstrip("/") != credential.server:
            raise UsageError(
                f"this agent is registered at {credential.server}, not at {server}",
                hint="omit --server, or use another NALM_HOME for another server",
            )
        if pool is not None and pool != credential.pool:
            raise UsageError(
                f"this agent belongs to pool {credential.pool}, not {pool}",
                hint="`nalm-server agent move` puts a host into another pool",
            )
    serve(credential, home, once=once, one_job=drain_after_job)


def register(
    server: Annotated[str, typer.Option(metavar="URL", help="Address of nalm-server.")],
    token_file: Annotated[Path, typer.Option(help="File with the invitation, which is valid once.")],
    pool: PoolOption = None,
) -> None:
    """Exchange a one-time token for this agent's own credential, kept in $NALM_HOME/agent.json."""
    from nalm_agent.daemon import credential
    from nalm_agent.server_api.client import ServerAwayError
    from nalm_agent.server_api.jobs import ServerClient

    home = Home.default()
    invitation = credential.from_file(server, token_file, pool).token
    client = ServerClient(server, None, typer.echo)
    try:
        got = credential.register(home, client, invitation, pool)
    except ServerAwayError as error:
        raise _AwayError(str(error), hint=error.hint) from error
    finally:
        client.close()
    typer.echo(f"registered as {got.name} in pool {got.pool}; `nalm agent` serves {got.server}")


def rotate() -> None:
    """Replace this agent's credential with a new one; the old one is no longer valid."""
    from nalm_agent.daemon import credential
    from nalm_agent.server_api.client import ServerAwayError
    from nalm_agent.server_api.jobs import ServerClient

    home = Home.default()
    old = credential.load(home)
    if old is None:
        raise UsageError("this agent is not registered", hint="`nalm agent register` does that")
    try:
        credential.rotate(home, old, ServerClient)
    except ServerAwayError as error:
        raise _AwayError(str(error), hint=error.hint) from error
    typer.echo(f"{old.name} has a new credential; restart `nalm agent` if it is running")


class _AwayError(NalmError):
    exit_code = ExitCode.NOT_MEASURED
