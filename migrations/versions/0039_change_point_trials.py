# SPDX-License-Identifier: Apache-2.0
"""change_point_trials: with which probability each change point was first found, and whether it stayed"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "change_point_trials",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("series_id", sa.Integer(), nullable=False),
        sa.Column("probability", sa.Double(), nullable=False),
        sa.Column("found_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("gone_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["series_id"], ["series.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_change_point_trials_series_id", "change_point_trials", ["series_id"])
    with op.batch_alter_table("change_points") as points:
        points.add_column(sa.Column("trial_id", sa.Integer(), nullable=True))
        points.create_foreign_key(None, "change_point_trials", ["trial_id"], ["id"], ondelete="SET NULL")


def downgrade() -> None:
    with op.batch_alter_table("change_points") as points:
        points.drop_constraint(op.f("fk_change_points_trial_id_change_point_trials"), type_="foreignkey")
        points.drop_column("trial_id")
    op.drop_table("change_point_trials")
