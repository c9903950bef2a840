# SPDX-License-Identifier: Apache-2.0
"""What a run shows of its report; kept when the report ages out."""

from __future__ import annotations

from nalm_core.report.offered_load import CLOSED, OfferedLoad
from nalm_core.report.run_report import Arm, ArmInfo, Check, Host, RunReport, Settings, Source
from nalm_core.report.serialization import parse_report
from nalm_core.verdict.checks import all_checks
from sqlalchemy.orm import Session

from nalm_server.base.schemas import Schema
from nalm_server.results import repository
from nalm_server.results.repository import StoredReport


class Remains(Schema):
    """Everything recorded of a run except the raw rounds."""

    failure: str | None
    nalm_version: str
    lcores: int
    model: str
    traffic: str
    load: str = CLOSED
    """The scenario's load; reports that aged out before there were loads are of closed loops."""
    offered: OfferedLoad | None = None
    """The open loop; None for a closed one."""
    fingerprint: Host
    sources: dict[Source, str | None]
    tools: dict[str, str | None]
    """Versions by tool; empty in reports of version 1."""
    settings: Settings
    arms: dict[Arm, ArmInfo]
    checks: list[Check]
    notes: list[str]
    rounds_kept: int
    rounds_set_aside: int
    launches: int
    trials: int = 0
    """Of a run under load, of both arms, without the steps of searches."""
    trials_invalid: int = 0


def of(report: RunReport, checks: list[Check] | None = None) -> Remains:
    """checks: of the report, if they are made already."""
    kept = sum(one.set_aside is None for one in report.rounds)
    trials = [] if report.rates is None else report.rates.every_trial()
    return Remains(
        failure=report.failure,
        nalm_version=report.nalm_version,
        lcores=report.scenario.lcores,
        model=report.scenario.model,
        traffic=report.scenario.traffic,
        load=report.scenario.load,
        offered=report.offered,
        fingerprint=report.host,
        sources=report.sources,
        tools=report.tools,
        settings=report.settings,
        arms=report.arms,
        checks=all_checks(report) if checks is None else checks,
        notes=report.notes,
        rounds_kept=kept,
        rounds_set_aside=len(report.rounds) - kept,
        launches=len({one.launch for one in report.rounds} | {one.launch for one in trials}),
        trials=len(trials),
        trials_invalid=sum(one.invalid is not None for one in trials),
    )


def of_stored(stored: StoredReport) -> Remains:
    """What the run shows, whether or not the report has aged out."""
    if stored.remains is not None:
        return Remains.model_validate(stored.remains)
    return of(parse_report(stored.json))


def settings_of(session: Session, run_number: int) -> Settings:
    """How the run was judged and how long it was to take, whether or not its report has aged out."""
    stored = repository.report(session, run_number)
    if stored.remains is not None:
        return of_stored(stored).settings
    return parse_report(stored.json).settings  # `of` makes all checks of the run again, which takes longest
