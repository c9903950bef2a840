# SPDX-License-Identifier: Apache-2.0
"""`nalm-server token`: tokens of agents, uploaders and administrators."""

from __future__ import annotations

import sys
from datetime import datetime, timedelta
from typing import Annotated

import typer

from nalm_server.auth.tokens import repository as token_rows
from nalm_server.auth.tokens import service as tokens
from nalm_server.auth.tokens.schemas import Token
from nalm_server.base.errors import NalmError
from nalm_server.cli.common import State, err, listed, out
from nalm_server.cli.contexts import opened
from nalm_server.projects import service as projects

token_app = typer.Typer(
    help="Tokens of agents, uploaders and administrators.", no_args_is_help=True, rich_markup_mode=None
)


@token_app.command("new")
def token_new(
    scope: Annotated[tokens.Scope, typer.Argument(help="Scope of the token.")],
    name: Annotated[str, typer.Option(help="Name of its holder, for the list.")],
    project: Annotated[str | None, typer.Option(help="Restrict the token to this project.")] = None,
    days: Annotated[
        int | None,
        typer.Option(help="Days until it expires; without it, it is valid until revoked.", min=1, max=36_500),
    ] = None,
    state: State = None,
) -> None:
    """Makes a token and prints it, once.

    Example: nalm-server token new agent --name bench-07
    """
    server_wide = scope in (tokens.Scope.ADMIN, tokens.Scope.AGENT)
    if server_wide == (project is not None):
        err.print("nalm-server: --project goes with every scope but admin and agent, and not with these")
        raise typer.Exit(2)
    with opened(state) as context, context.sessions() as session:
        project_id = projects.require(session, project).id if project else None
        token = tokens.issue(
            session, scope, name, context.clock(), project_id, expires_at=_in(context.clock(), days)
        )
        session.commit()
        sys.stdout.write(token + "\n")


def _in(now: datetime, days: int | None) -> datetime | None:
    return now + timedelta(days=days) if days is not None else None


@token_app.command("list")
def token_list(state: State = None) -> None:
    """Lists the tokens, without their secrets: number, scope, name, whose it is, and until when it is valid.

    Example: nalm-server token list
    """
    with opened(state) as context, context.read_sessions() as session:
        for row in listed(token_rows.list_all(session), "tokens"):
            described = [str(row.id), row.scope, row.name, _belongs_to(row), _validity(row, context.clock())]
            out.print("  ".join(described), markup=False)


def _belongs_to(token: Token) -> str:
    if token.project is not None:
        return f"project {token.project}"
    return "server" if token.owner is None else f"account {token.owner}"


def _validity(token: Token, now: datetime) -> str:
    if token.revoked_at is not None:
        return f"revoked {token.revoked_at:%Y-%m-%d}"
    if token.expires_at is None:
        return "valid until revoked"
    return f"{'expired' if token.expires_at <= now else 'valid until'} {token.expires_at:%Y-%m-%d}"


@token_app.command("revoke")
def token_revoke(
    number: Annotated[int, typer.Argument(help="Its number in `token list`.", min=1, max=2**31 - 1)],
    state: State = None,
) -> None:
    """Revokes a token at once.

    Example: nalm-server token revoke 12
    """
    with opened(state) as context, context.sessions() as session:
        if not token_rows.revoke(session, number, context.clock()):
            raise NalmError(f"There is no valid token {number}: `nalm-server token list` shows them.")
        session.commit()
