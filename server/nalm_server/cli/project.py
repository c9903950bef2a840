# SPDX-License-Identifier: Apache-2.0
"""`nalm-server project`: the NF repositories that nalm measures."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from nalm_core.text.json_option import METAVAR, OPTION, STDOUT
from rich.table import Table

from nalm_server.auth.tokens.principal import SYSTEM
from nalm_server.cli.common import JsonCommand, State, err, listed, out, whole_file
from nalm_server.cli.contexts import opened
from nalm_server.git.graph import GraphError, first_look
from nalm_server.projects import service as projects
from nalm_server.projects.schemas import ProjectCreated, ProjectNew

project_app = typer.Typer(
    help="NF repositories that are watched.", no_args_is_help=True, rich_markup_mode=None
)


@project_app.command("add", cls=JsonCommand)
def project_add(
    name: Annotated[str, typer.Argument(help="Name of the project, as in reports and nalm.toml.")],
    repository: Annotated[str, typer.Option(help="Address or path that agents clone from.")],
    branch: Annotated[str, typer.Option(help="The branch whose merges are measured.")] = "main",
    *,
    public: Annotated[
        bool, typer.Option("--public", help="Anyone may read the project, without sign-in.")
    ] = False,
    unchecked: Annotated[
        bool, typer.Option("--unchecked", help="Do not check the repository: only the agents can reach it.")
    ] = False,
    json_file: Annotated[
        str | None,
        typer.Option(
            OPTION, metavar=METAVAR, help="Write JSON to this file, for you alone. Default: standard output."
        ),
    ] = None,
    state: State = None,
) -> None:
    """Adds a project and prints its webhook secret and upload token, which cannot be shown again.

    Example: nalm-server project add my-nf --repository https://example.org/my-nf.git
    """
    with opened(state) as context, context.sessions() as session:
        new = ProjectNew(
            name=name,
            repository=repository,
            default_branch=branch,
            public=public,
            check_repository=not unchecked,
        )
        created = projects.create_project(session, context, SYSTEM, new, context.clock())
        if json_file is not None and json_file != STDOUT:  # before the commit: secrets are shown once
            with whole_file(Path(json_file), mode=0o600) as file:
                file.write(created.model_dump_json().encode() + b"\n")
        session.commit()
    if projects.is_path(repository) and not unchecked:
        _look_at(repository, branch)
    if json_file == STDOUT:
        sys.stdout.write(created.model_dump_json() + "\n")
    elif json_file is None:
        _print_created(created)
    else:
        out.print(f"Project {name} was added; its secrets are in {json_file}.", markup=False)


def _look_at(path: str, branch: str) -> None:
    """Says what is wrong with a path. The server's user may see another directory, so it is no error."""
    try:
        first_look(path, branch, local=True)
    except GraphError as error:
        err.print(f"nalm-server: warning: {path} cannot be measured yet: {error}", markup=False)


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
    """Lists the projects, each with what keeps its commits from being measured.

    Example: nalm-server project list
    """
    with opened(state) as context, context.read_sessions() as session:
        for one in listed(projects.list_projects(session, SYSTEM, context.clock()), "projects"):
            out.print(
                f"{one.name}  {one.repository}  {one.default_branch}  {one.commits} commits", markup=False
            )
            for problem in one.problems:
                out.print(f"    {problem.message} {problem.advice}", markup=False)
