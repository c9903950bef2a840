# SPDX-License-Identifier: Apache-2.0
"""scenarios.load: room for the name of an open loop"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("scenarios") as scenarios:
        scenarios.alter_column("load", existing_type=sa.String(length=16), type_=sa.String(length=32))


def downgrade() -> None:
    op.execute("UPDATE scenarios SET load = substr(load, 1, 16)")
    with op.batch_alter_table("scenarios") as scenarios:
        scenarios.alter_column("load", existing_type=sa.String(length=32), type_=sa.String(length=16))
