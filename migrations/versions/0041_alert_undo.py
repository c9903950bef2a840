# SPDX-License-Identifier: Apache-2.0
"""alerts.undo: what the last change by a person replaced"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("alerts") as alerts:
        alerts.add_column(sa.Column("undo", sa.JSON(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("alerts") as alerts:
        alerts.drop_column("undo")
