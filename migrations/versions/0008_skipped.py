# SPDX-License-Identifier: Apache-2.0
"""commits: why one is not measured"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("commits", sa.Column("skipped", sa.String(length=256), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("commits") as table:
        table.drop_column("skipped")
