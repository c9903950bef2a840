# SPDX-License-Identifier: Apache-2.0
"""series.margin, series.gates: how histories of own metrics are judged"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("series") as series:
        series.add_column(sa.Column("margin", sa.Double(), nullable=True))
        series.add_column(sa.Column("gates", sa.Boolean(), server_default=sa.false(), nullable=False))


def downgrade() -> None:
    with op.batch_alter_table("series") as series:
        series.drop_column("gates")
        series.drop_column("margin")
