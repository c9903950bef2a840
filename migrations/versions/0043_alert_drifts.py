# SPDX-License-Identifier: Apache-2.0
"""alerts.drift_end_id: the last commit of a drift"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None

KEY = "fk_alerts_drift_end_id_commits"


def upgrade() -> None:
    with op.batch_alter_table("alerts") as alerts:
        alerts.add_column(sa.Column("drift_end_id", sa.Integer(), nullable=True))
        alerts.create_foreign_key(KEY, "commits", ["drift_end_id"], ["id"], ondelete="SET NULL")


def downgrade() -> None:
    with op.batch_alter_table("alerts") as alerts:
        alerts.drop_constraint(KEY, type_="foreignkey")
        alerts.drop_column("drift_end_id")
