# SPDX-License-Identifier: Apache-2.0
"""`nalm-server schedule`: measures the default branch at set times."""

from __future__ import annotations

from typing import Annotated

import typer
from nalm_core.report.trials.kinds import RunKind

from nalm_server.auth.tokens.principal import SYSTEM
from nalm_server.campaigns.schedules import service
from nalm_server.campaigns.schedules.schemas import Against, Schedule, ScheduleNew
from nalm_server.cli.common import State, listed, out, validated
from nalm_server.cli.contexts import opened

schedule_app = typer.Typer(
    help="The default branch measured at set times.", no_args_is_help=True, rich_markup_mode=None
)

Project = Annotated[str, typer.Argument(help="Name of the project.")]
Name = Annotated[str, typer.Argument(help="Name of the schedule.")]


@schedule_app.command("add")
def schedule_add(
    project: Project,
    name: Name,
    *,
    cron: Annotated[str, typer.Option(help="Minute, hour, day of month, month, day of week; UTC.")],
    against: Annotated[Against, typer.Option(help="What the tip is compared with.")] = Against.PREVIOUS,
    kind: Annotated[RunKind, typer.Option(help="What is measured.")] = RunKind.CYCLES,
    scenario: Annotated[list[str] | None, typer.Option(help="Only this scenario; may be repeated.")] = None,
    since: Annotated[
        str | None,
        typer.Option(help="Whole SHA that counts as measured before; by default the tip's parent."),
    ] = None,
    state: State = None,
) -> None:
    """Adds a schedule. It measures nothing while nothing changes.

    Examples:

    nalm-server schedule add my-nf nightly --cron "0 3 * * mon-fri" --against release

    nalm-server schedule add my-nf rates --cron "0 1 * * *" --against each --kind rate --scenario sfc_a
    """
    with validated():
        new = ScheduleNew(
            name=name, cron=cron, against=against, kind=kind, scenarios=scenario or None, since=since
        )
    with opened(state) as context, context.sessions() as session:
        made = service.create(session, SYSTEM, project, new, context.clock())
        session.commit()
        _print(made)


@schedule_app.command("list")
def schedule_list(project: Project, state: State = None) -> None:
    """Lists a project's schedules with their last results.

    Example: nalm-server schedule list my-nf
    """
    with opened(state) as context, context.read_sessions() as session:
        for one in listed(service.list_schedules(session, SYSTEM, project), "schedules"):
            _print(one)


@schedule_app.command("remove")
def schedule_remove(project: Project, name: Name, state: State = None) -> None:
    """Removes a schedule; its jobs and results stay.

    Example: nalm-server schedule remove my-nf nightly
    """
    with opened(state) as context, context.sessions() as session:
        service.remove(session, SYSTEM, project, name, context.clock())
        session.commit()
    out.print(f"schedule {name} was removed", markup=False)


def _print(one: Schedule) -> None:
    due = f"next {one.next_at:%Y-%m-%d %H:%M} UTC" if one.next_at else "not enabled"
    which = f"  {', '.join(one.scenarios)}" if one.scenarios else ""
    came = f"  {one.message}" if one.message else ""
    out.print(f"{one.name}  {one.cron}  against {one.against}{which}  {due}{came}", markup=False)
