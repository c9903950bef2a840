# SPDX-License-Identifier: Apache-2.0
"""report_extracts: several kinds for each report"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0053"
down_revision = "0052"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Another program made the extracts that are there, and does not read them: they are made again."""
    op.drop_table("report_extracts")
    _create(sa.Column("kind", sa.String(length=16), nullable=False))


def downgrade() -> None:
    op.drop_table("report_extracts")
    _create()


def _create(*kind: sa.Column[str]) -> None:
    op.create_table(
        "report_extracts",
        sa.Column("run_id", sa.Integer(), nullable=False),
        *kind,
        sa.Column("program", sa.String(length=64), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_report_extracts_run_id_runs"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", *(one.name for one in kind), name=op.f("pk_report_extracts")),
    )
