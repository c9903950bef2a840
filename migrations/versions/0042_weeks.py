# SPDX-License-Identifier: Apache-2.0
"""weeks: stored figures of the weeks of a project, to be computed for those that have commits"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None

stops_programs_before = "0042"


def upgrade() -> None:
    weeks = op.create_table(
        "weeks",
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("start", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changes", sa.Integer(), nullable=False),
        sa.Column("computed", sa.Integer(), nullable=False),
        sa.Column("figures", sa.JSON(), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name="fk_weeks_project_id_projects", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("project_id", "start", name="pk_weeks"),
    )
    found = sorted({(project_id, _monday(at)) for project_id, at in _times()})
    rows = [
        {"project_id": project_id, "start": start, "changes": 1, "computed": 0, "figures": sa.null()}
        for project_id, start in found
    ]
    if rows:
        op.bulk_insert(weeks, rows)


def downgrade() -> None:
    op.drop_table("weeks")


def _times() -> list[tuple[int, datetime]]:
    """Of listed commits; those without a time of their own count from their runs."""
    at = sa.column("at", sa.DateTime(timezone=True))
    query = sa.text("""
        SELECT project_id, committed_at AS at FROM commits WHERE listed AND committed_at IS NOT NULL
        UNION
        SELECT commits.project_id, runs.started_at AS at FROM commits
        JOIN runs ON runs.commit_id = commits.id WHERE commits.listed AND commits.committed_at IS NULL
    """).columns(sa.column("project_id", sa.Integer()), at)
    return [(project_id, when) for project_id, when in op.get_bind().execute(query)]


def _monday(at: datetime) -> datetime:
    at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    return at.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=at.weekday())
