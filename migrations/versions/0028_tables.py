# SPDX-License-Identifier: Apache-2.0
"""Tables have the glossary's names: repository_settings, alert_subscriptions, self_test_trials

The previous version reads the old tables and is stopped first.
"""

from __future__ import annotations

import re

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

stops_programs_before = "0028"

TABLES = (
    ("watches", "repository_settings"),
    ("alert_watches", "alert_subscriptions"),
    ("quality_trials", "self_test_trials"),
)
"""(old name, new name). No other table refers to them."""


def upgrade() -> None:
    for before, now in TABLES:
        _rename(before, now)


def downgrade() -> None:
    for before, now in TABLES:
        _rename(now, before)


def _rename(before: str, now: str) -> None:
    """Renames a table with its constraints, indexes and sequence."""
    if op.get_context().dialect.name == "sqlite":
        _copy(before, now)
        return
    op.rename_table(before, now)
    named = f"regexp_replace(%s, '(^|_){before}(_|$)', '\\1{now}\\2')"
    op.execute(f"""
        DO $$
        DECLARE former text;
        BEGIN
            FOR former IN SELECT conname FROM pg_constraint WHERE conrelid = '{now}'::regclass LOOP
                EXECUTE format('ALTER TABLE {now} RENAME CONSTRAINT %I TO %I', former, {named % "former"});
            END LOOP;
            FOR former IN SELECT indexname FROM pg_indexes
                WHERE tablename = '{now}' AND indexname <> {named % "indexname"} LOOP
                EXECUTE format('ALTER INDEX %I RENAME TO %I', former, {named % "former"});
            END LOOP;
        END $$
    """)
    op.execute(f"ALTER SEQUENCE IF EXISTS {before}_id_seq RENAME TO {now}_id_seq")


def _copy(before: str, now: str) -> None:
    """SQLite renames a table and leaves the names of its constraints."""
    statements = op.get_bind().scalars(
        sa.text(
            "SELECT sql FROM sqlite_master WHERE tbl_name = :table AND sql IS NOT NULL "
            "ORDER BY type = 'index'"
        ),
        {"table": before},
    )
    table, *indexes = [re.sub(rf"(?<![a-z]){before}(?![a-z])", now, one) for one in statements]
    op.execute(table)
    op.execute(f"INSERT INTO {now} SELECT * FROM {before}")
    op.drop_table(before)
    for index in indexes:
        op.execute(index)
