# SPDX-License-Identifier: Apache-2.0
"""functions: a history of the cost of each C function"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "function_series",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("scenario_id", sa.Integer(), nullable=False),
        sa.Column("host_class", sa.String(length=128), nullable=False),
        sa.Column("stage", sa.String(length=64), nullable=False),
        sa.Column("function", sa.String(length=500), nullable=False),
        sa.Column("source", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(["scenario_id"], ["scenarios.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("scenario_id", "host_class", "stage", "function", "source"),
    )
    op.create_table(
        "function_values",
        sa.Column("series_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("ipp", sa.Double(), nullable=False),
        sa.Column("calls", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["series_id"], ["function_series.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("series_id", "run_id"),
    )
    op.create_index("ix_function_values_run_id", "function_values", ["run_id"])


def downgrade() -> None:
    op.drop_table("function_values")
    op.drop_table("function_series")
