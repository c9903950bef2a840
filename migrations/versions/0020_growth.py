# SPDX-License-Identifier: Apache-2.0
"""indexes for pages over long histories; alerts.measured_after"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

INDEXES: Sequence[tuple[str, str, list[str], str | None]] = (
    ("ix_runs_project_id_base_sha", "runs", ["project_id", "base_sha"], None),
    ("ix_runs_host_id_id", "runs", ["host_id", "id"], None),
    ("ix_runs_classes", "runs", ["scenario_id", "host_class", "received_at"], "import_id IS NULL"),
    (
        "ix_verdicts_noteworthy",
        "verdicts",
        ["run_id"],
        "(outcome IN ('regressed', 'improved', 'broken') OR display = 'feature')",
    ),
    ("ix_verdicts_priced", "verdicts", ["run_id"], "price_cycles_per_packet IS NOT NULL"),
    ("ix_commits_listed", "commits", ["project_id"], "listed"),
    ("ix_jobs_project_id_updated_at", "jobs", ["project_id", "updated_at"], None),
)


def upgrade() -> None:
    op.add_column("alerts", sa.Column("measured_after", sa.Integer(), nullable=True))
    if not op.get_context().as_sql:
        _count_what_was_measured()
    with op.get_context().autocommit_block():
        for name, table, columns, where in INDEXES:
            # An interrupted index exists but is not valid.
            op.drop_index(name, table_name=table, if_exists=True, postgresql_concurrently=True)
            condition = sa.text(where) if where is not None else None
            op.create_index(
                name,
                table,
                columns,
                sqlite_where=condition,
                postgresql_where=condition,
                postgresql_concurrently=True,
            )


def downgrade() -> None:
    for name, table, _columns, _where in INDEXES:
        op.drop_index(name, table)
    with op.batch_alter_table("alerts") as changed:
        changed.drop_column("measured_after")


def _count_what_was_measured() -> None:
    """Project by project: commits from the last one back, each with the time of its first run."""
    connection = op.get_bind()
    alerts = sa.table(
        "alerts", *(sa.column(name) for name in ("id", "project_id", "commit_id", "measured_after"))
    )
    confirmed: Any = sa.column("confirmed_at", sa.DateTime(timezone=True))
    alerts.append_column(confirmed)
    commits = sa.table("commits", *(sa.column(name) for name in ("id", "project_id", "position", "listed")))
    runs = sa.table("runs", sa.column("commit_id"), sa.column("received_at", sa.DateTime(timezone=True)))
    asked = sa.select(alerts.c.project_id).where(confirmed.is_not(None)).distinct()
    for project_id in list(connection.scalars(asked)):
        first = sa.func.min(runs.c.received_at, type_=sa.DateTime(timezone=True))
        measured = connection.execute(
            sa.select(commits.c.position, first)
            .join(runs, runs.c.commit_id == commits.c.id)
            .where(commits.c.project_id == project_id, commits.c.listed)
            .group_by(commits.c.id, commits.c.position)
            .order_by(commits.c.position.desc())
        ).all()
        findings = connection.execute(
            sa.select(alerts.c.id, commits.c.position, confirmed)
            .join(commits, commits.c.id == alerts.c.commit_id)
            .where(alerts.c.project_id == project_id, confirmed.is_not(None))
            .order_by(commits.c.position.desc())
        ).all()
        times: list[Any] = []
        later = iter([*measured, (-1, None)])
        position, at = next(later)
        for number, culprit, until in findings:
            while position > culprit:
                insort(times, at)
                position, at = next(later)
            counted = sa.update(alerts).where(alerts.c.id == number)
            connection.execute(counted.values(measured_after=bisect_right(times, until)))
