# SPDX-License-Identifier: Apache-2.0
"""repository_settings: a default branch that is not there, a nalm.toml that is missing or wrong"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

COLUMNS = (
    ("branch_error", sa.Text()),
    ("configuration_sha", sa.String(length=64)),
    ("configuration_error", sa.Text()),
)


def upgrade() -> None:
    with op.batch_alter_table("repository_settings") as settings:
        for name, kind in COLUMNS:
            settings.add_column(sa.Column(name, kind, nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("repository_settings") as settings:
        for name, _ in COLUMNS:
            settings.drop_column(name)
