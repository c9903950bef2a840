# SPDX-License-Identifier: Apache-2.0
"""quality: trials of known truth, jobs of controls"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "quality_trials",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=128), nullable=False),
        sa.Column("scenario", sa.String(length=64), nullable=False),
        sa.Column("expected", sa.String(length=16), nullable=False),
        sa.Column("category", sa.String(length=32), nullable=True),
        sa.Column("size", sa.Double(), nullable=True),
        sa.Column("outcome", sa.String(length=16), nullable=False),
        sa.Column("correct", sa.Boolean(), nullable=False),
        sa.Column("stage_right", sa.Boolean(), nullable=True),
        sa.Column("cause_right", sa.Boolean(), nullable=True),
        sa.Column("ratio_cpp", sa.Double(), nullable=True),
        sa.Column("low", sa.Double(), nullable=True),
        sa.Column("high", sa.Double(), nullable=True),
        sa.Column("cpp", sa.Double(), nullable=True),
        sa.Column("host", sa.String(length=128), nullable=False),
        sa.Column("host_class", sa.String(length=128), nullable=False),
        sa.Column("version", sa.String(length=64), nullable=True),
        sa.Column("base_sha", sa.String(length=64), nullable=True),
        sa.Column("head_sha", sa.String(length=64), nullable=True),
        sa.Column("job_id", sa.Integer(), nullable=True),
        sa.Column("measured_at", TIME, nullable=False),
        sa.Column("received_at", TIME, nullable=False),
        sa.Column("report", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("project_id", "key"),
    )
    op.create_index(
        "ix_quality_trials_project_id_measured_at", "quality_trials", ["project_id", "measured_at"]
    )
    op.create_index("ix_quality_trials_job_id", "quality_trials", ["job_id"])
    op.add_column(
        "projects", sa.Column("controls_per_day", sa.SmallInteger(), server_default="1", nullable=False)
    )


def downgrade() -> None:
    _known_to_the_older()
    with op.batch_alter_table("projects") as table:
        table.drop_column("controls_per_day")
    op.drop_table("quality_trials")


def _known_to_the_older() -> None:
    """Keeps controls, closed, as jobs of a reason that an older program knows."""
    op.execute(
        "UPDATE jobs SET state = 'cancelled', held = NULL, fence = fence + 1, finished_at = updated_at "
        "WHERE reason = 'control' AND finished_at IS NULL"
    )
    op.execute("UPDATE jobs SET reason = 'bisect' WHERE reason = 'control'")
