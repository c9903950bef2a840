# SPDX-License-Identifier: Apache-2.0
"""Search of histories: 10,000 series after a merge, by two workers, on SQLite and on PostgreSQL."""

from __future__ import annotations

import signal
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path

from host import print_result
from nalm_server.app.context import make_context
from nalm_server.base.settings import Settings
from nalm_server.changepoints import tasks, triggers
from nalm_server.changepoints.models import ChangePointRow
from nalm_server.db import migrate
from nalm_server.db.context import Context
from postgres import cluster
from sqlalchemy import func, select, text

HERE = Path(__file__).parent
COMMITS = 100
SERIES = 10_000
TARGET_S = 60.0


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that PostgreSQL is removed
    with tempfile.TemporaryDirectory() as home:
        slow = measure("sqlite", f"sqlite:///{home}/nalm.db", Path(home))
        with cluster() as url:
            slow |= measure("postgresql", url, Path(home))
    return int(slow)


def measure(name: str, url: str, home: Path) -> bool:
    """Whether it took longer than the goal."""
    migrate.upgrade(url)
    context = make_context(Settings(state_dir=home / name, database_url=url))
    try:
        run_sql(context, "judged.sql")
        run_sql(context, "judged_commits.sql", first=1, last=COMMITS)
        first = looked(context)
        print_result(f"judgement_first_look_{name}", first, "s", "lower", series=SERIES, commits=COMMITS)
        run_sql(context, "judged_commits.sql", first=COMMITS + 1, last=COMMITS + 1)
        after = looked(context)
        with context.read_sessions() as session:
            found = session.scalar(select(func.count()).select_from(ChangePointRow))
        details = {"series": SERIES, "commits": COMMITS + 1, "change_points": found}
        print_result(f"judgement_after_merge_{name}", after, "s", "lower", **details)
    finally:
        context.engine.dispose()
    return after > TARGET_S


def run_sql(context: Context, file: str, **given: int) -> None:
    with context.sessions() as session:
        for statement in (HERE / file).read_text().split(";\n"):
            session.execute(text(statement), given)
        if context.engine.dialect.name == "postgresql":
            session.execute(text("ANALYZE"))
        session.commit()


def looked(context: Context) -> float:
    """Seconds until every history has been searched and its changes weighed."""
    with context.sessions() as session:
        triggers.project(session, 1, whole=False)
        session.commit()
    beside = get_context("spawn").Process(target=drain, args=(context.settings,))
    begun = time.perf_counter()
    beside.start()
    tasks.drain(context)
    beside.join()
    return time.perf_counter() - begun


def drain(settings: Settings) -> None:
    """Runs as a second worker."""
    context = make_context(settings)
    tasks.drain(context)
    context.engine.dispose()


if __name__ == "__main__":
    sys.exit(main())
