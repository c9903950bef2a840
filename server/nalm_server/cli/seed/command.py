# SPDX-License-Identifier: Apache-2.0
"""`nalm-server seed`: fills a database with a project at size."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from random import Random
from typing import Annotated, Any

import typer
from sqlalchemy.orm import Session

from nalm_server.alerts.weeks import tasks as weeks
from nalm_server.alerts.weeks import week_repository
from nalm_server.alerts.weeks.calendar import start_of
from nalm_server.auth.access import project_repository as projects
from nalm_server.auth.tokens import service as tokens
from nalm_server.cli.common import State, err, out
from nalm_server.cli.contexts import opened
from nalm_server.cli.seed import repository
from nalm_server.cli.seed.alerts import AlertRows
from nalm_server.cli.seed.rows import (
    HOST_CLASS,
    SOURCES,
    Rows,
    SeededRuns,
    Series,
    fingerprint,
    host_name,
    metrics_of,
    stages_of,
)
from nalm_server.cli.seed.story import STAGES, SeededCommit, commits, scenario_name
from nalm_server.db.context import Context

BATCH = 250
"""Commits per transaction."""


def seed(
    project: Annotated[str, typer.Option(help="Name of the new project.")] = "seeded",
    commit_count: Annotated[
        int, typer.Option("--commits", help="Number of commits.", min=1, max=200_000)
    ] = 1000,
    scenarios: Annotated[int, typer.Option(help="Number of scenarios.", min=1, max=200)] = 5,
    hosts: Annotated[int, typer.Option(help="Number of hosts.", min=1, max=200)] = 2,
    *,
    dense: Annotated[
        int,
        typer.Option(
            help="The newest commits with a run in every scenario; older ones have the first five only.",
            min=0,
        ),
    ] = 1000,
    random_seed: Annotated[int, typer.Option("--seed", help="Another number makes other figures.")] = 1,
    ends: Annotated[
        datetime | None,
        typer.Option(help="Time of the newest commit, in UTC; default: now."),
    ] = None,
    state: State = None,
) -> None:
    """Adds a project of made-up commits, runs and alerts, to try a server and its page at size.

    No network function runs, and equal arguments give equal figures. Do not use it beside real projects.

    Example: nalm-server seed --state seeded --commits 10000 --scenarios 50 --hosts 20
    """
    begun = time.monotonic()
    with opened(state) as context:
        with context.read_sessions() as session:
            if projects.find(session, project) is not None:
                err.print(f"nalm-server: there is a project {project!r} already: choose another --project.")
                raise typer.Exit(2)
        newest = ends.replace(tzinfo=UTC) if ends is not None else context.clock()
        sown = _Seeding(context, project, Size(commit_count, scenarios, hosts, dense), random_seed, newest)
        runs, alerts = sown.write(lambda done: out.print(f"{done} of {commit_count} commits", markup=False))
    took = time.monotonic() - begun
    out.print(
        f"{project}: {commit_count} commits, {scenarios} scenarios, {hosts} hosts, {runs} runs, {alerts} "
        f"alerts, in {took:.0f} s",
        markup=False,
    )


@dataclass(frozen=True)
class Size:
    commits: int
    scenarios: int
    hosts: int
    dense: int
    """The newest commits with a run in every scenario."""


class _Seeding:
    """One project with everything that belongs to it."""

    def __init__(self, context: Context, project: str, size: Size, random_seed: int, ends: datetime) -> None:
        self.context, self.project, self.random_seed, self.ends = context, project, random_seed, ends
        self.total, self.scenarios, self.hosts, self.dense = (
            size.commits,
            size.scenarios,
            size.hosts,
            size.dense,
        )
        self.ids: dict[str, int] = {}
        self.series: dict[Series, int] = {}

    def write(self, progress: Callable[[int], None]) -> tuple[int, int]:
        """(runs, alerts)."""
        with self.context.sessions() as session:
            self._frame(session)
            session.commit()
        measured = SeededRuns(
            self.ids,
            self.series,
            self.scenarios,
            self.hosts,
            self.total - self.dense + 1,
            Random(self.random_seed),
        )
        alerts = AlertRows()
        every = commits(self.total, self.scenarios, self.random_seed, self.ends)
        while batch := list(islice(every, BATCH)):
            rows = Rows()
            for commit in batch:
                measured.add(commit, rows)
                alerts.add(commit, measured.slower, self.ids, self.total)
            self._store(batch, rows)
            progress(batch[-1].number)
        with self.context.sessions() as session:
            for table, found in (
                ("alerts", alerts.alerts),
                ("alert_states", alerts.steps),
                ("alert_moves", alerts.moves),
            ):
                repository.add(session, table, found)
            repository.continue_numbers(session)
            session.commit()
        weeks.drain(self.context)
        return measured.run_number - self.ids["runs"], len(alerts.alerts)

    def _frame(self, session: Session) -> None:
        """Project, hosts, scenarios and series."""
        for table in repository.NUMBERED:
            self.ids[table] = repository.next_id(session, table)
        self.ids["project"] = self.ids["projects"]
        secret = self.context.box.seal(tokens.new_secret())
        repository.add(
            session,
            "projects",
            [
                {
                    "id": self.ids["project"],
                    "name": self.project,
                    "repository": "https://git.example.org/seeded.git",
                    "default_branch": "main",
                    "webhook_secret": secret,
                    "public": True,
                    "created_at": self.ends,
                }
            ],
        )
        repository.add(session, "hosts", [self._host(place) for place in range(self.hosts)])
        repository.add(session, "scenarios", [self._scenario(place) for place in range(self.scenarios)])
        repository.add(session, "series", list(self._series()))

    def _host(self, place: int) -> dict[str, Any]:
        return {
            "id": self.ids["hosts"] + place,
            "name": f"{self.project}-{host_name(place)}",
            "host_class": HOST_CLASS,
            "fingerprint": fingerprint(place).model_dump(mode="json"),
            "first_seen_at": self.ends,
            "last_seen_at": self.ends,
        }

    def _scenario(self, place: int) -> dict[str, Any]:
        return {
            "id": self.ids["scenarios"] + place,
            "project_id": self.ids["project"],
            "name": scenario_name(place),
            "model": "rtc",
            "lcores": 1,
            "traffic": f"{scenario_name(place)}.pcap",
            "load": "closed",
            "stages": list(STAGES),
        }

    def _series(self) -> Iterator[dict[str, Any]]:
        number = self.ids["series"]
        for place in range(self.scenarios):
            for stage in stages_of(place):
                for metric in metrics_of(stage):
                    self.series[place, stage, metric] = number
                    yield {
                        "id": number,
                        "scenario_id": self.ids["scenarios"] + place,
                        "metric": metric,
                        "host_class": HOST_CLASS,
                        "stage": stage,
                        "source": SOURCES[metric],
                    }
                    number += 1

    def _store(self, batch: list[SeededCommit], rows: Rows) -> None:
        listed = [
            {
                "id": self.ids["commits"] + one.number - 1,
                "project_id": self.ids["project"],
                "sha": one.sha,
                "parent_sha": one.parent_sha,
                "position": one.number,
                "listed": True,
                "subject": one.subject,
                "message": one.subject,
                "author": one.author,
                "committed_at": one.at,
                "paths": one.paths,
            }
            for one in batch
        ]
        with self.context.sessions() as session:
            for table, found in (
                ("commits", listed),
                ("runs", rows.runs),
                ("reports", rows.reports),
                ("verdicts", rows.verdicts),
                ("history_points", rows.points),
                ("commit_outcomes", rows.outcomes),
                ("series_values", rows.values),
                ("link_values", rows.links),
            ):
                repository.add(session, table, found)
            week_repository.mark(session, self.ids["project"], sorted({start_of(one.at) for one in batch}))
            session.commit()
