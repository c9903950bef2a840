# SPDX-License-Identifier: Apache-2.0
"""SQL of looks: requests, claims, results."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, cast

from sqlalchemy import ColumnElement, CursorResult, insert, null, select, tuple_, update
from sqlalchemy.orm import Session

from nalm_server.changepoints.models import LookRow
from nalm_server.db.claims import Claim, locked
from nalm_server.db.engine import table_of
from nalm_server.results.series.models import ScenarioRow, SeriesRow

OLD_NEWS = -1
CLAIM = Claim(LookRow.claimed_until, timedelta(minutes=5))
"""Another worker takes over after this time."""


def ask(session: Session, scenario_id: int, host_class: str, *, whole: bool = False) -> None:
    """The caller holds the project's lock."""
    table = table_of(LookRow)
    look = table.c
    place = {"scenario_id": scenario_id, "host_class": host_class}
    again: dict[str, Any] = {"blocks": null(), CLAIM.until.key: None} if whole else {}
    judged = {"judged": OLD_NEWS} if whole else {}
    stored = cast(
        "CursorResult[Any]",
        session.execute(
            update(table)
            .where(look.scenario_id == scenario_id, look.host_class == host_class)
            .values({"requested": look.requested + 1} | judged | again)
        ),
    )
    if not stored.rowcount:
        first = {"requested": 1, "judged": 0, "settled": True}
        session.execute(insert(table), place | first | judged)


def of_project(session: Session, project_id: int) -> list[tuple[int, str]]:
    """(scenario, host class) of everything with a measured series."""
    found = session.execute(
        select(SeriesRow.scenario_id, SeriesRow.host_class)
        .join(ScenarioRow, ScenarioRow.id == SeriesRow.scenario_id)
        .where(ScenarioRow.project_id == project_id, SeriesRow.source.not_like("imported:%"))
        .distinct()
        .order_by(SeriesRow.scenario_id, SeriesRow.host_class)
    )
    return [(scenario_id, host_class) for scenario_id, host_class in found]


def claim(session: Session, now: datetime, after: LookRow | None) -> LookRow | None:
    """Claims the first waiting look after that one, by scenario and host class, for this worker."""
    waiting = (
        select(LookRow)
        .where(LookRow.requested > LookRow.judged, CLAIM.free(now), *_behind(after))
        .order_by(LookRow.scenario_id, LookRow.host_class)
        .limit(1)
    )
    row = session.scalars(locked(waiting, wait=False)).one_or_none()
    if row is not None:
        CLAIM.take(row, now)
        session.flush()
    return row


def _behind(row: LookRow | None) -> list[ColumnElement[bool]]:
    place = tuple_(LookRow.scenario_id, LookRow.host_class)
    return [] if row is None else [place > tuple_(row.scenario_id, row.host_class)]


def lock(session: Session, scenario_id: int, host_class: str) -> LookRow:
    return session.get_one(
        LookRow, (scenario_id, host_class), with_for_update={"key_share": True}, populate_existing=True
    )


def find(session: Session, scenario_id: int, host_class: str) -> LookRow | None:
    return session.get(LookRow, (scenario_id, host_class))


def project_of(session: Session, scenario_id: int) -> int | None:
    """None: it was removed."""
    return session.scalar(select(ScenarioRow.project_id).where(ScenarioRow.id == scenario_id))


def host_steps(session: Session, project_id: int, scenario: str | None) -> list[tuple[str, LookRow]]:
    """(scenario, look) of looks with changes of single hosts."""
    query = (
        select(ScenarioRow.name, LookRow)
        .join(LookRow, LookRow.scenario_id == ScenarioRow.id)
        .where(ScenarioRow.project_id == project_id, LookRow.host_steps.is_not(None))
    )
    if scenario is not None:
        query = query.where(ScenarioRow.name == scenario)
    found = session.execute(query.order_by(ScenarioRow.name, LookRow.host_class))
    return [(name, row) for name, row in found if row.host_steps]


def unsettled_projects(session: Session) -> list[int]:
    return list(
        session.scalars(
            select(ScenarioRow.project_id)
            .join(LookRow, LookRow.scenario_id == ScenarioRow.id)
            .where(~LookRow.settled)
            .distinct()
            .order_by(ScenarioRow.project_id)
        )
    )


def settled(session: Session, project_id: int) -> None:
    of_project = select(ScenarioRow.id).where(ScenarioRow.project_id == project_id)
    session.execute(
        update(LookRow)
        .where(LookRow.scenario_id.in_(of_project), ~LookRow.settled)
        .values(settled=True)
        .execution_options(synchronize_session=False)
    )
