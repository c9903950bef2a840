# SPDX-License-Identifier: Apache-2.0
"""jobs: the newest of each state of a project is found in an index"""

from __future__ import annotations

from alembic import op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None

OLD, NEW = "ix_jobs_project_id_state", "ix_jobs_project_id_state_id"


def upgrade() -> None:
    op.create_index(NEW, "jobs", ["project_id", "state", "id"])
    op.drop_index(OLD, "jobs")


def downgrade() -> None:
    op.create_index(OLD, "jobs", ["project_id", "state"])
    op.drop_index(NEW, "jobs")
