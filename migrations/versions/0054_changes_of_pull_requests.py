# SPDX-License-Identifier: Apache-2.0
"""pull_requests.changed_at: the newest change that an event told, by the forge's clock"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0054"
down_revision = "0053"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("pull_requests") as requests:
        requests.add_column(sa.Column("changed_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("pull_requests") as requests:
        requests.drop_column("changed_at")
