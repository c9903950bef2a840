# SPDX-License-Identifier: Apache-2.0
"""Columns have the glossary's names: severity, notified, requested, sent_digest

The previous version reads the old columns and is stopped first.
"""

from __future__ import annotations

from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

stops_programs_before = "0027"

COLUMNS = (
    ("alerts", "worth", "severity"),
    ("alert_states", "told", "notified"),
    ("looks", "asked", "requested"),
    ("notifications", "wanted", "requested"),
    ("notifications", "said", "sent_digest"),
)
"""(table, old column, new column). Both databases rename them in indexes, too."""
KEYS = (
    ("campaign_steps", "detail", "wanted", "remeasurement"),
    ("campaigns", "result", "not_seen_on", "not_reproduced_on"),
    ("campaigns", "result", "seen_on", "reproduced_on"),
)
"""Of confirmations: (table, JSON column, old key, new key)."""


def upgrade() -> None:
    for table, before, now in COLUMNS:
        op.execute(f"ALTER TABLE {table} RENAME COLUMN {before} TO {now}")
    for table, column, before, now in KEYS:
        _rename_key(table, column, before, now)


def downgrade() -> None:
    for table, column, before, now in KEYS:
        _rename_key(table, column, now, before)
    for table, before, now in COLUMNS:
        op.execute(f"ALTER TABLE {table} RENAME COLUMN {now} TO {before}")


def _rename_key(table: str, column: str, old: str, new: str) -> None:
    owner = "id" if table == "campaigns" else "campaign_id"
    text = f"""replace(CAST({column} AS TEXT), '"{old}":', '"{new}":')"""
    value = text if op.get_context().dialect.name == "sqlite" else f"CAST({text} AS JSON)"
    op.execute(
        f"UPDATE {table} SET {column} = {value} "
        f"WHERE {owner} IN (SELECT id FROM campaigns WHERE kind = 'confirmation')"
    )
