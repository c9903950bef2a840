# SPDX-License-Identifier: Apache-2.0
"""jobs: pools, priorities, retries, bisects, backfills"""

from __future__ import annotations

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    return


def downgrade() -> None:
    return
