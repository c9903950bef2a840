# SPDX-License-Identifier: Apache-2.0
"""webhooks: deliveries worked on later, watched branches, pull requests, tags"""

from __future__ import annotations

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    return


def downgrade() -> None:
    return
