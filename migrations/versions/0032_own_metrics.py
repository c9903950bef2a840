# SPDX-License-Identifier: Apache-2.0
"""project_metrics: metrics that nalm.toml defines; jobs.branch: whose thresholds apply"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "project_metrics",
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("unit", sa.String(length=24), nullable=False),
        sa.Column("better", sa.String(length=8), nullable=False),
        sa.Column("source", sa.String(length=16), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("project_id", "name"),
    )
    with op.batch_alter_table("jobs") as changed:
        changed.add_column(sa.Column("branch", sa.String(length=255), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("jobs") as changed:
        changed.drop_column("branch")
    op.drop_table("project_metrics")
