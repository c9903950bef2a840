# SPDX-License-Identifier: Apache-2.0
"""alert_moves.ratio, expectations.bound: null for a change from or to 0"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("alert_moves") as moves:
        moves.alter_column("ratio", existing_type=sa.Double(), nullable=True)
    with op.batch_alter_table("expectations") as expectations:
        expectations.alter_column("bound", existing_type=sa.Double(), nullable=True)


def downgrade() -> None:
    op.execute("DELETE FROM alert_moves WHERE ratio IS NULL")
    op.execute("DELETE FROM expectations WHERE bound IS NULL")
    with op.batch_alter_table("expectations") as expectations:
        expectations.alter_column("bound", existing_type=sa.Double(), nullable=False)
    with op.batch_alter_table("alert_moves") as moves:
        moves.alter_column("ratio", existing_type=sa.Double(), nullable=False)
