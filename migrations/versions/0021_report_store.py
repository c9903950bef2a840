# SPDX-License-Identifier: Apache-2.0
"""reports, experiment_cells, quality_trials: the name of a report in the report store; released_reports"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from nalm_server.db.migrate import SchemaError

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

TABLES = ("reports", "experiment_cells", "quality_trials")


def upgrade() -> None:
    for table in TABLES:
        op.add_column(table, sa.Column("stored_digest", sa.String(length=64), nullable=True))
        op.add_column(table, sa.Column("stored_bytes", sa.Integer(), nullable=True))
    op.create_table(
        "released_reports",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("released_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_released_reports")),
    )
    op.create_index("ix_released_reports_released_at", "released_reports", ["released_at"])
    stored = sa.text("stored_digest IS NOT NULL")
    with op.get_context().autocommit_block():
        for table in TABLES:
            op.create_index(
                f"ix_{table}_stored_digest",
                table,
                ["stored_digest"],
                sqlite_where=stored,
                postgresql_where=stored,
                postgresql_concurrently=True,
                if_not_exists=True,
            )


def downgrade() -> None:
    """The older program reads reports from the database only."""
    if not op.get_context().as_sql:
        _require_in_database()
    for table in TABLES:
        op.drop_index(f"ix_{table}_stored_digest", table)
        with op.batch_alter_table(table) as changed:
            changed.drop_column("stored_bytes")
            changed.drop_column("stored_digest")
    op.drop_table("released_reports")


def _require_in_database() -> None:
    for table in TABLES:
        stored = sa.table(table, sa.column("stored_digest"))
        query = sa.select(sa.func.count()).where(stored.c.stored_digest.is_not(None))
        number = op.get_bind().scalar(query)
        if number:
            raise SchemaError(
                f"{number} reports of {table} are in the report store, where an older program does not "
                "look: stop the server and run `nalm-server reports move --into-database` first."
            )
