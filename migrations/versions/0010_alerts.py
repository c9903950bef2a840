# SPDX-License-Identifier: Apache-2.0
"""alerts: their states, what moved, mutes, expectations, floors, watches"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)
POINTERS = (("after_commit_id", "commits"), ("fixed_by_id", "commits"), ("merged_into_id", "alerts"))


def _added() -> list[sa.Column[Any]]:
    return [
        sa.Column("after_commit_id", sa.Integer(), nullable=True),
        sa.Column("kind", sa.String(length=16), nullable=True),
        sa.Column("source", sa.String(length=8), nullable=True),
        sa.Column("muted", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("scenario", sa.String(length=64), nullable=True),
        sa.Column("stage", sa.String(length=64), nullable=True),
        sa.Column("metric", sa.String(length=32), nullable=True),
        *(sa.Column(name, sa.Double(), nullable=True) for name in ("ratio", "low", "high", "worth", "bound")),
        sa.Column("explanation", sa.JSON(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("assignee", sa.String(length=128), nullable=True),
        sa.Column("confirmed_at", MOMENT, nullable=True),
        sa.Column("fixed_by_id", sa.Integer(), nullable=True),
        sa.Column("merged_into_id", sa.Integer(), nullable=True),
    ]


def _number(name: str = "id", *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), nullable=nullable)


def _text(name: str, length: int) -> sa.Column[str]:
    return sa.Column(name, sa.String(length=length), nullable=False)


def _to(table: str, column: str, target: str, ondelete: str = "CASCADE") -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{target}")
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete=ondelete)


def _primary(table: str) -> sa.PrimaryKeyConstraint:
    return sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{table}"))


def _unique(table: str, *columns: str) -> sa.UniqueConstraint:
    return sa.UniqueConstraint(*columns, name=op.f(f"uq_{table}_{'_'.join(columns)}"))


def _index(table: str, *columns: str) -> None:
    op.create_index(op.f(f"ix_{table}_{'_'.join(columns)}"), table, list(columns))


def upgrade() -> None:
    with op.batch_alter_table("alerts") as alerts:
        for column in _added():
            alerts.add_column(column)
        for name, target in POINTERS:
            alerts.create_foreign_key(
                op.f(f"fk_alerts_{name}_{target}"), target, [name], ["id"], ondelete="SET NULL"
            )
        alerts.create_unique_constraint(op.f("uq_alerts_commit_id"), ["commit_id"])
    _create_life()
    _create_moves()
    _create_rules()


def _create_life() -> None:
    op.create_table(
        "alert_states",
        _number(),
        _number("alert_id"),
        _text("state", 16),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("who", sa.String(length=128), nullable=True),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("told", sa.Boolean(), server_default=sa.false(), nullable=False),
        _to("alert_states", "alert_id", "alerts"),
        _primary("alert_states"),
    )
    _index("alert_states", "alert_id")
    _index("alert_states", "at")
    op.create_table(
        "alert_comments",
        _number(),
        _number("alert_id"),
        _text("who", 128),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        _to("alert_comments", "alert_id", "alerts"),
        _primary("alert_comments"),
    )
    _index("alert_comments", "alert_id")


def _create_moves() -> None:
    table = "alert_moves"
    op.create_table(
        table,
        _number(),
        _number("project_id"),
        _number("commit_id"),
        _number("alert_id", nullable=True),
        _text("scenario", 64),
        _text("host_class", 128),
        _text("stage", 64),
        _text("metric", 32),
        _text("source", 8),
        _text("kind", 16),
        sa.Column("ratio", sa.Double(), nullable=False),
        sa.Column("low", sa.Double(), nullable=True),
        sa.Column("high", sa.Double(), nullable=True),
        _number("run_number", nullable=True),
        _number("change_point_id", nullable=True),
        _text("fate", 16),
        sa.Column("at", MOMENT, nullable=False),
        _to(table, "project_id", "projects"),
        _to(table, "commit_id", "commits"),
        _to(table, "alert_id", "alerts", "SET NULL"),
        _to(table, "run_number", "runs", "SET NULL"),
        _to(table, "change_point_id", "change_points", "SET NULL"),
        _primary(table),
        _unique(table, "commit_id", "scenario", "host_class", "stage", "metric", "source"),
    )
    for columns in (("alert_id",), ("project_id", "commit_id"), ("run_number",), ("change_point_id",)):
        _index(table, *columns)


def _create_rules() -> None:
    op.create_table(
        "alert_mutes",
        _number(),
        _number("project_id"),
        _text("scenario", 64),
        sa.Column("until", MOMENT, nullable=True),
        sa.Column("why", sa.Text(), nullable=False),
        _text("who", 128),
        sa.Column("created_at", MOMENT, nullable=False),
        _to("alert_mutes", "project_id", "projects"),
        _primary("alert_mutes"),
    )
    _index("alert_mutes", "project_id")
    op.create_table(
        "expectations",
        _number(),
        _number("project_id"),
        _number("commit_id"),
        _text("scenario", 64),
        _text("metric", 32),
        sa.Column("bound", sa.Double(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        _text("source", 8),
        _text("who", 256),
        sa.Column("created_at", MOMENT, nullable=False),
        _to("expectations", "project_id", "projects"),
        _to("expectations", "commit_id", "commits"),
        _primary("expectations"),
        _unique("expectations", "commit_id", "scenario", "metric", "source"),
    )
    _index("expectations", "project_id")
    _create_floors()
    _create_watches()


def _create_floors() -> None:
    op.create_table(
        "series_floors",
        _number(),
        _number("project_id"),
        _text("scenario", 64),
        _text("host_class", 128),
        _text("stage", 64),
        _text("metric", 32),
        sa.Column("size", sa.Double(), nullable=False),
        _number("alert_id", nullable=True),
        _text("who", 128),
        sa.Column("set_at", MOMENT, nullable=False),
        _to("series_floors", "project_id", "projects"),
        _to("series_floors", "alert_id", "alerts", "SET NULL"),
        _primary("series_floors"),
        _unique("series_floors", "project_id", "scenario", "host_class", "stage", "metric"),
    )
    _index("series_floors", "alert_id")


def _create_watches() -> None:
    op.create_table(
        "alert_watches",
        _number(),
        _number("account_id"),
        _text("project", 64),
        _text("scenario", 64),
        _text("stage", 64),
        _text("author", 256),
        sa.Column("created_at", MOMENT, nullable=False),
        _to("alert_watches", "account_id", "accounts"),
        _primary("alert_watches"),
        _unique("alert_watches", "account_id", "project", "scenario", "stage", "author"),
    )


def downgrade() -> None:
    made = (
        "alert_watches",
        "series_floors",
        "expectations",
        "alert_mutes",
        "alert_moves",
        "alert_comments",
        "alert_states",
    )
    for table in made:
        op.drop_table(table)
    with op.batch_alter_table("alerts") as alerts:
        alerts.drop_constraint(op.f("uq_alerts_commit_id"), type_="unique")
        for name, target in POINTERS:
            alerts.drop_constraint(op.f(f"fk_alerts_{name}_{target}"), type_="foreignkey")
        for column in _added():
            alerts.drop_column(column.name)
