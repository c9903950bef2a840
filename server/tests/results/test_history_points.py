# SPDX-License-Identifier: Apache-2.0
"""The table of history points agrees with runs and verdicts after any sequence of changes."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from nalm_server.git.commits.models import CommitRow
from nalm_server.results.models import RunRow, VerdictRow
from nalm_server.results.series import history_repository
from nalm_server.results.series.models import HistoryPointRow
from nalm_server_harness import Service
from nalm_server_measured import Measured, store
from sqlalchemy import select, update
from sqlalchemy.orm import Session

pytestmark = pytest.mark.dialects

COMMITS, STEPS = 9, 45
"""Each commit is changed several times."""


def expected(session: Session) -> list[tuple[Any, ...]]:
    """The rule, run by run: the newest of a commit wins."""
    newest: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    judged = session.execute(
        select(RunRow, VerdictRow)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .order_by(RunRow.received_at, RunRow.id)
    )
    for run, verdict in judged:
        if verdict.outcome != "invalid" and not run.beside:
            columns = (run.id, run.run_id, run.base_sha, verdict.display, verdict.cause, verdict.stage)
            figures = (verdict.ratio_cpp, verdict.low, verdict.high)
            newest[run.scenario_id, run.host_class, run.commit_id] = (*columns, *figures)
    return sorted((*key, *columns) for key, columns in newest.items())


def stored(session: Session) -> list[tuple[Any, ...]]:
    names = ("scenario_id", "host_class", "commit_id", "run_number", "run_id", "base_sha")
    names += ("display", "cause", "stage", "ratio_cpp", "low", "high")
    return sorted(map(tuple, session.execute(select(*(getattr(HistoryPointRow, name) for name in names)))))


def remove(session: Session, run: RunRow, _draw: random.Random) -> None:
    session.delete(run)


def judge_again(session: Session, run: RunRow, draw: random.Random) -> None:
    verdict = session.get_one(VerdictRow, run.id)
    verdict.outcome = verdict.display = draw.choice(["invalid", "same", "regressed"])
    verdict.cause, verdict.stage = draw.choice([(None, None), ("cycles", "nat")])
    verdict.ratio_cpp, verdict.low, verdict.high = draw.random(), None, 1.5


def put_beside(_session: Session, run: RunRow, _draw: random.Random) -> None:
    run.beside = not run.beside


def receive_later(_session: Session, run: RunRow, draw: random.Random) -> None:
    run.received_at += timedelta(minutes=draw.choice([-3, 3]))


CHANGES: list[Callable[[Session, RunRow, random.Random], None]] = [
    remove,
    judge_again,
    put_beside,
    receive_later,
]


@pytest.mark.nightly
def test_points_are_what_runs_and_verdicts_say(service: Service) -> None:
    draw = random.Random(16)
    for step in range(STEPS):
        if step < COMMITS or draw.random() < 0.3:
            scenario = draw.choice(["sfc_a", "sfc_b"])
            store(service, [Measured(step % COMMITS + 1, scenario=scenario)], seconds=draw.choice([0, 60]))
        else:
            change(service, draw)
        with service.context.read_sessions() as session:
            assert stored(session) == expected(session)
    with service.context.sessions() as session:
        session.execute(update(CommitRow).where(CommitRow.position % 3 == 0).values(listed=False))
        session.commit()
    with service.context.read_sessions() as session:
        for limit, every_branch in itertools.product(range(1, COMMITS + 1), (False, True)):
            assert_read(session, limit, every_branch=every_branch)


def change(service: Service, draw: random.Random) -> None:
    with service.context.sessions() as session:
        run = draw.choice(session.scalars(select(RunRow).order_by(RunRow.id)).all())
        key = run.scenario_id, run.host_class, run.commit_id
        draw.choice(CHANGES)(session, run, draw)
        session.flush()
        history_repository.refresh(session, *key)
        session.commit()


def assert_read(session: Session, limit: int, *, every_branch: bool) -> None:
    """A history has the last commits with a point, also where few of the last commits have one."""
    points = expected(session)
    line = session.scalars(select(CommitRow).order_by(CommitRow.position, CommitRow.id)).all()
    targets = dict(sorted({(scenario_id, host_class) for scenario_id, host_class, *_ in points}))
    histories, commits = history_repository.read(
        session, 1, targets.items(), limit, every_branch=every_branch
    )
    assert list(histories) == list(targets)
    assert list(commits) == [one.id for one in line if one.id in commits]
    for scenario_id, runs in histories.items():
        by_commit = {commit_id: rest for own, _, commit_id, *rest in points if own == scenario_id}
        ids = [one.id for one in line if one.id in by_commit and (one.listed or every_branch)][-limit:]
        assert list(zip(*vars(runs).values(), strict=True)) == [(one, *by_commit[one]) for one in ids]
        assert [commits[one].sha for one in ids] == [one.sha for one in line if one.id in ids]
