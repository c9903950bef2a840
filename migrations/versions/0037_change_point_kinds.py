# SPDX-License-Identifier: Apache-2.0
"""change_points.kind: a step or a drift; steps are what was found before"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("change_points") as points:
        points.add_column(sa.Column("kind", sa.String(length=8), nullable=False, server_default="step"))


def downgrade() -> None:
    with op.batch_alter_table("change_points") as points:
        points.drop_column("kind")
