# SPDX-License-Identifier: Apache-2.0
"""The command `nalm-server`."""

from __future__ import annotations

import sys
from datetime import datetime, timedelta
from typing import Annotated

import typer
from rich.table import Table

from nalm_server import cli_agent, logs, migrate
from nalm_server.cli_access import account_app, member_app
from nalm_server.cli_alert import alert_app
from nalm_server.cli_common import State, err, opened, out, reported, settings_of
from nalm_server.cli_features import reference
from nalm_server.cli_job import backfill, bisect, experiment, job_app
from nalm_server.cli_judge import judge
from nalm_server.cli_schedule import schedule_app
from nalm_server.cli_settings import settings_command
from nalm_server.cli_store import backup, export, import_command, restore, retention
from nalm_server.cli_work import beat, serve, worker
from nalm_server.demo.command import demo
from nalm_server.embedded.up import up as run_up
from nalm_server.errors import NalmError
from nalm_server.projects import service as projects
from nalm_server.projects.schemas import ProjectCreated, ProjectNew
from nalm_server.tokens import repository as token_rows
from nalm_server.tokens import service as tokens
from nalm_server.tokens.principal import SYSTEM

app = typer.Typer(
    help="nalm's service: API, page, webhooks, jobs.", no_args_is_help=True, pretty_exceptions_enable=False
)
project_app = typer.Typer(help="NF repositories that are watched.", no_args_is_help=True)
token_app = typer.Typer(help="Tokens of agents, uploaders and administrators.", no_args_is_help=True)
app.add_typer(project_app, name="project")
app.add_typer(token_app, name="token")
app.add_typer(account_app, name="account")
app.add_typer(member_app, name="member")
cli_agent.add_to(app)
app.command()(demo)
app.command("settings")(settings_command)
app.add_typer(job_app, name="job")
app.add_typer(schedule_app, name="schedule")
app.add_typer(alert_app, name="alert")
for command in (
    serve,
    worker,
    beat,
    backup,
    restore,
    export,
    retention,
    backfill,
    bisect,
    experiment,
    reference,
    judge,
):
    app.command()(command)
app.command("import")(import_command)


def main() -> None:
    app()


@app.command()
def up(
    state: State = None,
    host: Annotated[str, typer.Option(envvar="NALM_HOST", help="Address to serve on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(envvar="NALM_PORT", help="Port to serve on.", min=0, max=65535)] = 8080,
    agent: Annotated[bool, typer.Option(help="Run a local agent beside the server.")] = True,
) -> None:
    """Runs everything on this host: database, API, page, one agent. Ctrl-C ends all of it.

    Example: nalm-server up --port 9090 --state /var/lib/nalm
    """
    settings = settings_of(state)
    logs.configure(as_json=settings.log_json)
    with reported(settings):
        run_up(settings, host, port, with_agent=agent)


@app.command("migrate")
def migrate_command(
    state: State = None,
    to: Annotated[str, typer.Option(help="Revision to go to; `-1` goes one back, `base` empties.")] = "head",
) -> None:
    """Brings the database to this program's revision (`up` does so by itself).

    Example: nalm-server migrate
    """
    settings = settings_of(state)
    with reported(settings):
        if settings.database_url is None:
            settings.state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        if to == "head":
            migrate.upgrade(settings.resolved_database_url)
        else:
            migrate.downgrade(settings.resolved_database_url, to)


@project_app.command("add")
def project_add(
    name: Annotated[str, typer.Argument(help="Name, as reports and nalm.toml have it.")],
    repository: Annotated[str, typer.Option(help="Address or path that agents clone from.")],
    branch: Annotated[str, typer.Option(help="The branch whose merges are measured.")] = "main",
    *,
    public: Annotated[bool, typer.Option("--public", help="Anybody may read it.")] = False,
    json: Annotated[bool, typer.Option("--json", help="As JSON, for programs.")] = False,
    state: State = None,
) -> None:
    """Adds a project. Prints its webhook secret and upload token: once, they cannot be shown again.

    Example: nalm-server project add my-nf --repository https://example.org/my-nf.git
    """
    with opened(state) as context, context.sessions() as session:
        new = ProjectNew(name=name, repository=repository, default_branch=branch, public=public)
        created = projects.create_project(session, context, SYSTEM, new, context.clock())
        session.commit()
        if json:
            sys.stdout.write(created.model_dump_json() + "\n")
        else:
            _print_created(created)


def _print_created(created: ProjectCreated) -> None:
    out.print(f"Project {created.name} was added. Keep these now, they are not shown again:", markup=False)
    table = Table.grid(padding=(0, 2))
    table.add_row("webhook address", created.webhook_url)
    table.add_row("webhook secret", created.webhook_secret)
    table.add_row("upload token", created.upload_token)
    out.print(table)
    out.print(
        "At the forge: content type application/json, the push event, this secret. In CI: NALM_TOKEN.",
        markup=False,
    )


@project_app.command("list")
def project_list(state: State = None) -> None:
    """Lists the projects.

    Example: nalm-server project list
    """
    with opened(state) as context, context.read_sessions() as session:
        for one in projects.list_projects(session, SYSTEM):
            out.print(
                f"{one.name}  {one.repository}  {one.default_branch}  {one.commits} commits", markup=False
            )


@token_app.command("new")
def token_new(
    scope: Annotated[tokens.Scope, typer.Argument(help="What it is for.")],
    name: Annotated[str, typer.Option(help="Who has it, for the list.")],
    project: Annotated[str | None, typer.Option(help="The only project it is for.")] = None,
    days: Annotated[
        int | None, typer.Option(help="Its life; without it, it lives until revoked.", min=1, max=36_500)
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
    """Lists the tokens, without their secrets.

    Example: nalm-server token list
    """
    with opened(state) as context, context.read_sessions() as session:
        for row in token_rows.list_all(session):
            ended = f"revoked {row.revoked_at:%Y-%m-%d}" if row.revoked_at else "valid"
            out.print(f"{row.id}  {row.scope}  {row.name}  {ended}", markup=False)


@token_app.command("revoke")
def token_revoke(
    number: Annotated[int, typer.Argument(help="Its number in `token list`.", min=1, max=2**31 - 1)],
    state: State = None,
) -> None:
    """Makes a token worthless at once.

    Example: nalm-server token revoke 12
    """
    with opened(state) as context, context.sessions() as session:
        if not token_rows.revoke(session, number, context.clock()):
            raise NalmError(f"There is no valid token {number}: `nalm-server token list` shows them.")
        session.commit()


if __name__ == "__main__":
    main()
