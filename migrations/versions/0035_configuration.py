# SPDX-License-Identifier: Apache-2.0
"""projects.configuration: a nalm.toml in place of the commits' own"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("projects") as projects:
        projects.add_column(sa.Column("configuration", sa.Text(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("projects") as projects:
        projects.drop_column("configuration")
