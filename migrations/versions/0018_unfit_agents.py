# SPDX-License-Identifier: Apache-2.0
"""hosts.unfit: why an agent's version is not supported"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("hosts", sa.Column("unfit", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("hosts", "unfit")
