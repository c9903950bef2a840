# SPDX-License-Identifier: Apache-2.0
"""agents: credentials, pools, capabilities, health"""

from __future__ import annotations

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    return


def downgrade() -> None:
    return
