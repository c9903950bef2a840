# SPDX-License-Identifier: Apache-2.0
"""`nalm-server reference`: the reference commit, with which other feature sets are compared."""

from __future__ import annotations

from typing import Annotated

import typer
from nalm_core.text.commit_name import short

from nalm_server.auth.tokens.principal import SYSTEM
from nalm_server.cli.common import State, out
from nalm_server.cli.contexts import opened
from nalm_server.features import reference as references
from nalm_server.projects import service as projects


def reference(
    project: Annotated[str, typer.Argument(help="Name of the project.")],
    commit: Annotated[
        str | None, typer.Argument(help="A commit, tag or watched branch; without it, shows the reference.")
    ] = None,
    *,
    clear: Annotated[bool, typer.Option("--clear", help="Remove the project's reference.")] = False,
    state: State = None,
) -> None:
    """Shows or sets a project's reference commit: the scale of NCPP.

    Example: nalm-server reference my-nf v1.0
    """
    with opened(state) as context, context.sessions() as session:
        found = projects.require(session, project)
        if commit is not None or clear:
            references.move(session, SYSTEM, found, None if clear else commit, context.clock())
            session.commit()
        row = references.commit_of(session, found)
        out.print(f"{short(row.sha)}  {row.subject or ''}" if row else "no reference", markup=False)
