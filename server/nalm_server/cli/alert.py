# SPDX-License-Identifier: Apache-2.0
"""`nalm-server alert`: alerts, as in the API."""

from __future__ import annotations

from typing import Annotated

import typer
from nalm_core.findings.recovery import recovery_text
from nalm_core.report.catalogue import title_of
from nalm_core.text.commit_name import short
from nalm_core.text.percents import change_percent

from nalm_server.alerts import presentation
from nalm_server.alerts.list_repository import AlertFilter
from nalm_server.alerts.rules import mutes
from nalm_server.alerts.schemas import Alert, AlertDetail, AlertMove, MuteNew, Order, StateChange
from nalm_server.alerts.states import AlertState
from nalm_server.alerts.suspicion import CHAIN
from nalm_server.alerts.triage import changes
from nalm_server.auth.tokens.principal import SYSTEM
from nalm_server.cli.common import State, listed, out, validated
from nalm_server.cli.contexts import opened

alert_app = typer.Typer(
    help="Findings: what commits did, and what became of it.", no_args_is_help=True, rich_markup_mode=None
)

Number = Annotated[int, typer.Argument(help="Number of the alert.", min=1, max=2**31 - 1)]
Project = Annotated[str, typer.Argument(help="Name of the project.")]
Why = Annotated[str, typer.Option(help="The reason, kept with the alert.")]


@alert_app.command("list")
def alert_list(
    project: Project,
    state_is: Annotated[
        AlertState | None, typer.Option("--state-is", help="Only alerts in this state.")
    ] = None,
    order: Annotated[str, typer.Option(help="Order: severity or new.")] = "severity",
    limit: Annotated[int, typer.Option(help="How many to show, at most.", min=1, max=500)] = 50,
    state: State = None,
) -> None:
    """Lists a project's alerts, the most severe first.

    Example: nalm-server alert list my-nf --state-is confirmed
    """
    alert_filter = AlertFilter([state_is] if state_is else None)
    by: Order = "new" if order == "new" else "severity"
    with opened(state) as context, context.read_sessions() as session:
        alerts = presentation.list_alerts(session, SYSTEM, project, alert_filter, order=by, limit=limit)
        for one in listed(alerts, "alerts"):
            out.print(_line(one), markup=False)


@alert_app.command("show")
def alert_show(number: Number, state: State = None) -> None:
    """Shows an alert: what moved, why, and each change of its state.

    Example: nalm-server alert show 17
    """
    with opened(state) as context, context.read_sessions() as session:
        _print(presentation.get(session, SYSTEM, number, context.clock()))


@alert_app.command("state")
def alert_state(
    number: Number,
    new_state: Annotated[
        str, typer.Argument(metavar="STATE", help="acknowledged, expected, fixed, false_alarm or reopened.")
    ],
    *,
    why: Why,
    bound: Annotated[
        float | None, typer.Option(help="With expected: the accepted ratio after / before.")
    ] = None,
    state: State = None,
) -> None:
    """Sets the state of an alert.

    Example: nalm-server alert state 17 false_alarm --why "the host was being updated"
    """
    with validated():
        change = StateChange.model_validate({"state": new_state, "why": why, "bound": bound})
    with opened(state) as context, context.sessions() as session:
        shown = changes.set_state(session, SYSTEM, number, change, context.clock())
        session.commit()
    out.print(_line(shown), markup=False)


@alert_app.command("mute")
def alert_mute(
    project: Project,
    scenario: Annotated[str, typer.Argument(help="Name of a scenario, or a glob.")],
    *,
    why: Why,
    until: Annotated[
        str | None, typer.Option(help="As 2026-12-01T00:00:00Z; without it, until ended.")
    ] = None,
    state: State = None,
) -> None:
    """Stops notifications about these scenarios for a while; changes are recorded.

    Example: nalm-server alert mute my-nf "sfc_*" --why "the host moves" --until 2026-12-01T00:00:00Z
    """
    with validated():
        new = MuteNew.model_validate({"scenario": scenario, "why": why, "until": until})
    with opened(state) as context, context.sessions() as session:
        made = mutes.mute(session, SYSTEM, project, new, context.clock())
        session.commit()
    out.print(f"mute {made.id}: {made.scenario} until {made.until or 'it is ended'}", markup=False)


def _line(one: Alert) -> str:
    size = change_percent(one.ratio - 1) if one.ratio is not None else ""
    muted = "  muted" if one.muted else ""
    return (
        f"{one.id}  {one.state}{muted}  {short(one.sha)}  {one.metric_title} {size}  {one.stage}  "
        f"{', '.join(one.scenarios)}  {one.author or ''}"
    )


def _without_ratio(move: AlertMove) -> str:
    return "from or to 0" if move.stage == CHAIN else "no ratio of its own"


def _print(one: AlertDetail) -> None:
    out.print(_line(one), markup=False)
    for rest in one.recovery or []:
        out.print(f"  {rest.scenario}: {recovery_text(rest)}", markup=False)
    if one.explanation is not None:
        out.print(one.explanation["text"], markup=False)
    for move in one.moves:
        size = _without_ratio(move) if move.ratio is None else change_percent(move.ratio - 1)
        series = f"{move.scenario}  {move.stage}  {title_of(move.metric)} {size}"
        out.print(f"  {series}  {move.source}  {move.fate}", markup=False)
    for step in one.history:
        out.print(f"  {step.at:%Y-%m-%d %H:%M}  {step.state}  {step.who or 'nalm'}: {step.why}", markup=False)
