# SPDX-License-Identifier: Apache-2.0
"""function_values.cpp and error: cycles of C functions, by samples"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

NAMES = ("cpp", "error")


def upgrade() -> None:
    with op.batch_alter_table("function_values") as values:
        for name in NAMES:
            values.add_column(sa.Column(name, sa.Double(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("function_values") as values:
        for name in NAMES:
            values.drop_column(name)
