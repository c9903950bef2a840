# SPDX-License-Identifier: Apache-2.0
"""`nalm-server judge`: judges the histories of a project now."""

from __future__ import annotations

from typing import Annotated

import typer

from nalm_server.auth.access import project_repository as project_rows
from nalm_server.changepoints import tasks, triggers
from nalm_server.cli.common import State, out
from nalm_server.cli.contexts import opened
from nalm_server.projects import service as projects


def judge(
    project: Annotated[str, typer.Argument(help="Name of the project.")],
    *,
    whole: Annotated[
        bool,
        typer.Option(
            "--whole",
            help="Judge again what was judged before, as after an upgrade; no notification is sent.",
        ),
    ] = False,
    state: State = None,
) -> None:
    """Searches the histories of a project for change points, also while the server runs.

    Example: nalm-server judge my-nf --whole
    """
    with opened(state) as context:
        with context.sessions() as session:
            found = project_rows.lock(session, projects.require(session, project).id)
            looked = triggers.project(session, found.id, whole=whole)
            session.commit()
        tasks.drain(context)
        out.print(f"{project}: {looked} histories judged", markup=False)
