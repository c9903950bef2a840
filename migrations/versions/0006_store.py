# SPDX-License-Identifier: Apache-2.0
"""store: builds, host fingerprints over time, retention"""

from __future__ import annotations

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    return


def downgrade() -> None:
    return
