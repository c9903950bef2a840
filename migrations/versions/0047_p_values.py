# SPDX-License-Identifier: Apache-2.0
"""change_points.p_value: that noise alone shows as much as a change"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("change_points") as points:
        points.add_column(sa.Column("p_value", sa.Double(), nullable=True))
    op.execute("UPDATE change_points SET p_value = 1 - probability")
    with op.batch_alter_table("change_points") as points:
        points.alter_column("p_value", existing_type=sa.Double(), nullable=False)


def downgrade() -> None:
    with op.batch_alter_table("change_points") as points:
        points.drop_column("p_value")
