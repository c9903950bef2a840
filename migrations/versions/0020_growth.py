# SPDX-License-Identifier: Apache-2.0
"""indexes of what pages ask over long histories"""

from __future__ import annotations

revision = "0020"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass


def downgrade() -> None:
    pass
