# SPDX-License-Identifier: Apache-2.0
"""`nalm-server reports`: the report store."""

from __future__ import annotations

from typing import Annotated

import typer

from nalm_server.cli.common import State, err, out
from nalm_server.cli.contexts import opened
from nalm_server.ops.report_store import moving
from nalm_server.ops.report_store.checking import check

reports_app = typer.Typer(
    help="The report store: run reports outside the database.", no_args_is_help=True, rich_markup_mode=None
)


@reports_app.command("check")
def check_command(state: State = None) -> None:
    """Compares every report in the store with its SHA-256. Exit code 1: some are missing or damaged.

    Example: nalm-server reports check
    """
    number = troubled = 0
    with opened(state) as context:
        for one in check(context):
            number += 1
            if one.trouble is not None:
                troubled += 1
                err.print(f"{one.digest}: {one.trouble}")
        out.print(f"{context.reports.place}: {number} reports, {troubled} missing or damaged", markup=False)
    if troubled:
        raise typer.Exit(1)


@reports_app.command("move")
def move(
    into_database: Annotated[
        bool,
        typer.Option(
            "--into-database",
            help="Move them back, for a downgrade: stop the server first, or it moves them again.",
        ),
    ] = False,
    state: State = None,
) -> None:
    """Moves reports from the database into the store, without waiting for the worker.

    Example: nalm-server reports move
    """
    number = 0
    with opened(state) as context:
        for moved in (moving.into_database if into_database else moving.into_store)(context):
            number += moved
        where = "the database" if into_database else context.reports.place
        out.print(f"{number} reports moved into {where}", markup=False)
