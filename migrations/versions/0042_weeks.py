# SPDX-License-Identifier: Apache-2.0
"""weeks: stored figures of the weeks of a project, to be computed for those that have commits

The previous version adds runs without marking their weeks and is stopped first.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None

stops_programs_before = "0042"

MONDAY = {
    "postgresql": "date_trunc('week', {} AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'",
    "sqlite": "date({}, 'weekday 0', '-6 days') || ' 00:00:00.000000'",
}
"""The start of the week of a time."""


def upgrade() -> None:
    op.create_table(
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
    _fill(MONDAY[op.get_context().dialect.name])


def downgrade() -> None:
    op.drop_table("weeks")


def _fill(monday: str) -> None:
    """Weeks of listed commits; of those without a time of their own, the weeks of their runs."""
    op.execute(f"""
        INSERT INTO weeks (project_id, start, changes, computed)
        SELECT project_id, start, 1, 0 FROM (
            SELECT project_id, {monday.format("committed_at")} AS start
            FROM commits WHERE listed AND committed_at IS NOT NULL
            UNION
            SELECT commits.project_id, {monday.format("runs.started_at")} AS start
            FROM runs JOIN commits ON commits.id = runs.commit_id
            WHERE commits.listed AND commits.committed_at IS NULL
        ) AS found
    """)
