# SPDX-License-Identifier: Apache-2.0
"""weeks.parts: the changes of a week's commits and scenarios, to be computed for all weeks"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("weeks") as weeks:
        weeks.add_column(sa.Column("parts", sa.JSON(), nullable=True))
    op.execute("UPDATE weeks SET changes = changes + 1")


def downgrade() -> None:
    with op.batch_alter_table("weeks") as weeks:
        weeks.drop_column("parts")
