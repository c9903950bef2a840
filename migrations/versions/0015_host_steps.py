# SPDX-License-Identifier: Apache-2.0
"""judgement: changes of single hosts of a pool"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("looks", sa.Column("host_steps", sa.JSON(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("looks") as table:
        table.drop_column("host_steps")
