# SPDX-License-Identifier: Apache-2.0
"""out: notifications, integrations"""

from __future__ import annotations

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    return


def downgrade() -> None:
    return
