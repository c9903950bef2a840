# SPDX-License-Identifier: Apache-2.0
"""Columns with the glossary's names: severity, notified, requested, sent_digest

The columns of before stay, unused, while the version before runs on these tables
(nalm_server.app.tables.UNUSED). The way back fills them again.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

WAITING = "{} > judged OR NOT settled"
COLUMNS: tuple[tuple[str, str, str, Any, Any], ...] = (
    ("alerts", "worth", "severity", sa.Double(), None),
    ("alert_states", "told", "notified", sa.Boolean(), sa.false()),
    ("looks", "asked", "requested", sa.Integer(), "0"),
    ("notifications", "wanted", "requested", sa.Integer(), "1"),
    ("notifications", "said", "sent_digest", sa.String(length=64), None),
)
"""Table, column of before, column of now, its type and, where it is not nullable, its default."""
KEYS = (
    ("campaign_steps", "detail", "wanted", "remeasurement"),
    ("campaigns", "result", "not_seen_on", "not_reproduced_on"),
    ("campaigns", "result", "seen_on", "reproduced_on"),
)
"""Of confirmations: table, JSON column, key of before, key of now."""


def upgrade() -> None:
    for table, before, now, kind, default in COLUMNS:
        with op.batch_alter_table(table) as changed:
            changed.add_column(sa.Column(now, kind, server_default=default, nullable=default is None))
        op.execute(f"UPDATE {table} SET {now} = {before}")
    with op.batch_alter_table("notifications") as notifications:
        notifications.alter_column("wanted", existing_type=sa.Integer(), server_default="1")
    _wait_by("requested")
    for table, column, before, now in KEYS:
        _rename_key(table, column, before, now)


def downgrade() -> None:
    for table, column, before, now in KEYS:
        _rename_key(table, column, now, before)
    for table, before, now, _, _ in COLUMNS:
        op.execute(f"UPDATE {table} SET {before} = {now}")
    _wait_by("asked")
    with op.batch_alter_table("notifications") as notifications:
        notifications.alter_column("wanted", existing_type=sa.Integer(), server_default=None)
    for table, _, now, _, _ in COLUMNS:
        with op.batch_alter_table(table) as changed:
            changed.drop_column(now)


def _wait_by(column: str) -> None:
    """The index of looks that wait."""
    waiting = sa.text(WAITING.format(column))
    op.drop_index("ix_looks_waiting", "looks")
    op.create_index(
        "ix_looks_waiting", "looks", ["claimed_until"], sqlite_where=waiting, postgresql_where=waiting
    )


def _rename_key(table: str, column: str, old: str, new: str) -> None:
    owner = "id" if table == "campaigns" else "campaign_id"
    text = f"""replace(CAST({column} AS TEXT), '"{old}":', '"{new}":')"""
    value = text if op.get_context().dialect.name == "sqlite" else f"CAST({text} AS JSON)"
    op.execute(
        f"UPDATE {table} SET {column} = {value} "
        f"WHERE {owner} IN (SELECT id FROM campaigns WHERE kind = 'confirmation')"
    )
