# SPDX-License-Identifier: Apache-2.0
"""jobs: the newest ones of a host"""

from __future__ import annotations

from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_jobs_host_id", "jobs", ["host", "id"])


def downgrade() -> None:
    op.drop_index("ix_jobs_host_id", "jobs")
