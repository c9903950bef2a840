# SPDX-License-Identifier: Apache-2.0
"""projects.refine_minutes_per_day, refine_margin: what idle hosts measure on; jobs.margin: in place of
nalm.toml's"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("projects") as projects:
        projects.add_column(
            sa.Column("refine_minutes_per_day", sa.SmallInteger(), server_default="0", nullable=False)
        )
        projects.add_column(sa.Column("refine_margin", sa.Double(), server_default="0.002", nullable=False))
    with op.batch_alter_table("jobs") as jobs:
        jobs.add_column(sa.Column("margin", sa.Double(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("jobs") as jobs:
        jobs.drop_column("margin")
    with op.batch_alter_table("projects") as projects:
        projects.drop_column("refine_margin")
        projects.drop_column("refine_minutes_per_day")
