# SPDX-License-Identifier: Apache-2.0
"""series_values.units: the independent values of a run whose launches share layouts of code"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None

FLOATS = sa.LargeBinary().with_variant(postgresql.ARRAY(sa.Double()), "postgresql")


def upgrade() -> None:
    with op.batch_alter_table("series_values") as values:
        values.add_column(sa.Column("units", FLOATS, nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("series_values") as values:
        values.drop_column("units")
