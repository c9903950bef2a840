# SPDX-License-Identifier: Apache-2.0
"""report_extracts: what pages show of large reports"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "report_extracts",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("program", sa.String(length=64), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_report_extracts_run_id_runs"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_report_extracts")),
    )


def downgrade() -> None:
    op.drop_table("report_extracts")
