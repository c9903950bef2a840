# SPDX-License-Identifier: Apache-2.0
"""The store's commands: export, import, retention, backup, restore."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from nalm_server.auth.access import project_repository as project_rows
from nalm_server.auth.tokens.principal import SYSTEM
from nalm_server.base.errors import NalmError
from nalm_server.cli.common import State, err, out, settings_of, whole_file
from nalm_server.cli.contexts import opened, reported
from nalm_server.db.context import Context
from nalm_server.ops.backup import service as backups
from nalm_server.ops.retention import service as rules
from nalm_server.ops.retention import sweep
from nalm_server.projects import service as projects
from nalm_server.results import function_backfill
from nalm_server.results.imports import service as imports
from nalm_server.results.imports.schemas import Options, Source
from nalm_server.results.intake import take_report
from nalm_server.results.schemas import ReportTaken
from nalm_server.views.exports import service as exports
from nalm_server.views.exports.schemas import Filter, Format
from nalm_server.views.exports.tables import Table

Project = Annotated[str, typer.Argument(help="Name of the project.")]


def backup(
    file: Annotated[Path, typer.Argument(help="The file to write; must not exist.", dir_okay=False)],
    with_key: Annotated[
        bool,
        typer.Option("--with-key", help="Include the key of stored secrets: then keep the file secret."),
    ] = False,
    state: State = None,
) -> None:
    """Writes the database and the stored reports into one file, also while the server runs.

    Example: nalm-server backup /backup/nalm-$(date +%F).tar
    """
    settings = settings_of(state)
    with reported(settings):
        manifest, unreadable = backups.backup(settings, file.absolute(), with_key=with_key)
        out.print(
            f"{file}: {manifest.database} at revision {manifest.revision}, {manifest.reports} reports",
            markup=False,
        )
        if not with_key:
            out.print(
                "The backup lacks secret.key, and stored secrets cannot be read without it: keep a copy "
                "elsewhere, or use --with-key.",
                markup=False,
            )
    if unreadable:
        err.print(
            f"nalm-server: {len(unreadable)} reports are missing or damaged in the report store: the backup "
            "leaves them out. `nalm-server reports check` names them."
        )
        raise typer.Exit(1)


def restore(
    file: Annotated[Path, typer.Argument(help="What `backup` wrote.", exists=True, dir_okay=False)],
    state: State = None,
) -> None:
    """Restores a backup into an empty state: completely, or not at all.

    Example: nalm-server restore nalm-2026-11-21.tar --state /var/lib/nalm
    """
    settings = settings_of(state)
    with reported(settings):
        manifest = backups.restore(settings, file)
        out.print(f"restored what was saved at {manifest.made_at:%Y-%m-%d %H:%M} UTC", markup=False)
        if "secret.key" not in manifest.parts:
            out.print(
                f"The backup has no key: put secret.key into {settings.state_dir} before the first start, "
                "or set each project's secrets again.",
                markup=False,
            )


def export(
    project: Project,
    *,
    form: Annotated[Format, typer.Option("--format", help="Format of the output.")] = Format.CSV,
    table: Annotated[Table, typer.Option(help="Table to export.")] = Table.SERIES,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A file. [default: stdout]")] = None,
    scenario: Annotated[str | None, typer.Option(help="Only this scenario.")] = None,
    metric: Annotated[str | None, typer.Option(help="Only this metric.")] = None,
    state: State = None,
) -> None:
    """Exports every row of a table; of series, every value.

    Example: nalm-server export my-nf --format parquet -o my-nf.parquet
    """
    with opened(state) as context:
        with context.read_sessions() as session:
            found = projects.require(session, project)
        series_filter = Filter(scenario, metric)
        exports.require(form, table, series_filter)
        pieces = exports.export(context, found, form, series_filter, table)
        if output is None:
            sys.stdout.buffer.writelines(pieces)
            return
        with whole_file(output) as file:
            file.writelines(pieces)


def retention(
    apply: Annotated[bool, typer.Option("--apply", help="Remove it now, before the next sweep.")] = False,
    state: State = None,
) -> None:
    """Shows what is due for removal in each project; --apply removes it.

    Example: nalm-server retention --apply
    """
    with opened(state) as context:
        with context.read_sessions() as session:
            for row in project_rows.list_all(session):
                shown = rules.show(session, row, context.settings, context.clock())
                due = ", ".join(f"{one.number} {one.kind} ({one.bytes} bytes)" for one in shown.due)
                out.print(f"{row.name}  due: {due}", markup=False)
        if apply:
            sweep.drain(context)
            out.print("removed", markup=False)


def functions(project: Project, state: State = None) -> None:
    """Adds C functions of stored reports to their histories, for runs from before these existed.

    Example: nalm-server functions my-nf
    """
    with opened(state) as context:
        with context.read_sessions() as session:
            found = projects.require(session, project)
        read = 0
        for number in function_backfill.fill(context, found.id):
            read += number
            out.print(f"{read} reports read", markup=False)
        out.print("Every report that is still kept has its functions in their histories.", markup=False)


def _taken(context: Context, project: str, file: Path) -> ReportTaken:
    """Raises NalmError, which names the file and its first mistake."""
    try:
        return take_report(context, SYSTEM, file.read_bytes(), None, None, project=project)
    except NalmError as error:
        mistake = next((f" {one.path}: {one.message}" for one in error.details), "")
        raise NalmError(f"{file}: {error.message}{mistake}") from error


def import_command(
    project: Project,
    path: Annotated[
        Path, typer.Argument(help="A file; for nalm-report also a directory of files.", exists=True)
    ],
    *,
    form: Annotated[Source, typer.Option("--format", help="Tool that wrote the file.")],
    commit: Annotated[str | None, typer.Option(help="Commit, if the file names none.")] = None,
    scenario: Annotated[str | None, typer.Option(help="Scenario, if the file names none.")] = None,
    time: Annotated[
        str | None, typer.Option(help="Time of measuring, with its zone, if the file has none.")
    ] = None,
    host_class: Annotated[str, typer.Option(help="Class of the host it was measured on.")] = "imported",
    metric: Annotated[
        list[str] | None, typer.Option(help="Map a figure: cpu_time=cycles_per_visit*2.6. Repeatable.")
    ] = None,
    state: State = None,
) -> None:
    """Imports another tool's results, which are never judged, or nalm's own reports, which are.

    Example: nalm-server import my-nf runtime.txt --format vpp-runtime --commit 1a2b3c4 --scenario sfc_a \
    --time 2026-11-21T09:00:00Z
    """
    with opened(state) as context:
        if form is Source.NALM_REPORT:
            for file in sorted(path.rglob("*.json")) if path.is_dir() else [path]:
                run = _taken(context, project, file)
                out.print(f"{file}: {'' if run.new else 'known, '}{run.summary}", markup=False)
            return
        options = Options(
            commit=commit, scenario=scenario, time=time, host_class=host_class, metrics=metric or []
        )
        taken = imports.take(context, SYSTEM, project, form=form, body=path.read_bytes(), options=options)
        word = "imported" if taken.new else "already imported, nothing changed"
        out.print(f"{taken.runs} runs, {taken.values} values {word}. {taken.note}", markup=False)
