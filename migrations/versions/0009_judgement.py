# SPDX-License-Identifier: Apache-2.0
"""judgement: how far histories were judged; change points with their significance"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

WAITING = sa.text("asked > judged OR NOT settled")


def upgrade() -> None:
    op.create_table(
        "looks",
        sa.Column("scenario_id", sa.Integer(), nullable=False),
        sa.Column("host_class", sa.String(length=128), nullable=False),
        sa.Column("asked", sa.Integer(), server_default="0", nullable=False),
        sa.Column("judged", sa.Integer(), server_default="0", nullable=False),
        sa.Column("settled", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("claimed_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("judged_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("blocks", sa.JSON(), nullable=True),
        sa.Column("cuts", sa.JSON(), nullable=True),
        sa.ForeignKeyConstraint(
            ["scenario_id"],
            ["scenarios.id"],
            name=op.f("fk_looks_scenario_id_scenarios"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("scenario_id", "host_class", name=op.f("pk_looks")),
    )
    op.create_index(
        "ix_looks_waiting", "looks", ["claimed_until"], sqlite_where=WAITING, postgresql_where=WAITING
    )
    _ask_for_what_is_there()
    op.add_column("change_points", sa.Column("chain_share", sa.Double(), nullable=True))
    op.add_column(
        "change_points", sa.Column("significant", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
    op.add_column("change_points", sa.Column("withdrawn_at", sa.DateTime(timezone=True), nullable=True))


def _ask_for_what_is_there() -> None:
    """Existing histories are judged once, without notifications."""
    op.execute(
        "INSERT INTO looks (scenario_id, host_class, judged) "
        "SELECT DISTINCT scenario_id, host_class, -1 FROM series WHERE source NOT LIKE 'imported:%'"
    )


def downgrade() -> None:
    with op.batch_alter_table("change_points") as batch:
        for column in ("withdrawn_at", "significant", "chain_share"):
            batch.drop_column(column)
    op.drop_index("ix_looks_waiting", table_name="looks")
    op.drop_table("looks")
