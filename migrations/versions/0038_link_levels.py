# SPDX-License-Identifier: Apache-2.0
"""link_levels: solved levels of histories, so that another process begins with them;
projects.links_per_day: comparisons over distances that idle hosts make"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "link_levels",
        sa.Column("scenario_id", sa.Integer(), nullable=False),
        sa.Column("host_class", sa.String(length=128), nullable=False),
        sa.Column("metric", sa.String(length=32), nullable=False),
        sa.Column("stage", sa.String(length=64), nullable=False),
        sa.Column("source", sa.String(length=64), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("reference", sa.Integer(), nullable=False),
        sa.Column("scale", sa.Double(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["scenario_id"], ["scenarios.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("scenario_id", "host_class", "metric", "stage", "source"),
    )
    with op.batch_alter_table("projects") as projects:
        projects.add_column(sa.Column("links_per_day", sa.SmallInteger(), server_default="0", nullable=False))


def downgrade() -> None:
    with op.batch_alter_table("projects") as projects:
        projects.drop_column("links_per_day")
    op.drop_table("link_levels")
