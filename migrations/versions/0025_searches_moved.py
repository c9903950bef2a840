# SPDX-License-Identifier: Apache-2.0
"""Drops tables and columns of backfills, bisects and confirmations from before they were campaigns

The downgrade creates them again, empty; the downgrades of 0024 and 0023 fill them from the campaigns.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

stops_programs_before = "0024"
"""They use what is dropped here."""

JOB_KEYS = {"backfill_id": "backfills", "bisect_id": "bisects", "alert_id": "alerts"}
TABLES = ("confirmations", "confirmation_plans", "bisect_steps", "bisects", "backfill_steps", "backfills")
"""Referring tables come first."""


def upgrade() -> None:
    for column in JOB_KEYS:
        op.drop_index(f"ix_jobs_{column}", "jobs")
    with op.batch_alter_table("jobs") as jobs:
        for column, target in JOB_KEYS.items():
            jobs.drop_constraint(op.f(f"fk_jobs_{column}_{target}"), type_="foreignkey")
            jobs.drop_column(column)
    for table in TABLES:
        op.drop_table(table)


def text(name: str, length: int, *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.String(length=length), nullable=nullable)


def time(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def number(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.Integer(), nullable=nullable)


def real(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.Double(), nullable=True)


def words(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.Text(), nullable=True)


def key(table: str, column: str, target: str, rule: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{target}")
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete=rule)


def downgrade() -> None:
    _create_backfills()
    _create_bisects()
    _create_plans()
    _create_confirmations()
    with op.batch_alter_table("jobs") as jobs:
        for column, target in JOB_KEYS.items():
            jobs.add_column(number(column, nullable=True))
            name = op.f(f"fk_jobs_{column}_{target}")
            jobs.create_foreign_key(name, target, [column], ["id"], ondelete="SET NULL")
    for column in JOB_KEYS:
        op.create_index(f"ix_jobs_{column}", "jobs", [column])


def _searched(table: str) -> tuple[Any, ...]:
    """Columns common to backfills and bisects."""
    return (
        text("state", 16),
        words("message"),
        text("requested_by", 128),
        number("tries"),
        time("not_before", nullable=True),
        time("created_at"),
        time("updated_at"),
        time("finished_at", nullable=True),
        key(table, "project_id", "projects", "CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{table}")),
    )


def _create_backfills() -> None:
    op.create_table(
        "backfills",
        number("id"),
        number("project_id"),
        text("first_sha", 64),
        text("last_sha", 64),
        number("every"),
        sa.Column("scenarios", sa.JSON(), nullable=True),
        *_searched("backfills"),
    )
    op.create_table(
        "backfill_steps",
        number("id"),
        number("backfill_id"),
        number("ordinal"),
        text("base_sha", 64),
        text("head_sha", 64),
        text("state", 16),
        number("job_id", nullable=True),
        key("backfill_steps", "backfill_id", "backfills", "CASCADE"),
        key("backfill_steps", "job_id", "jobs", "SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_backfill_steps")),
        sa.UniqueConstraint("backfill_id", "ordinal", name=op.f("uq_backfill_steps_backfill_id_ordinal")),
    )
    for column in ("project_id", "state"):
        op.create_index(f"ix_backfills_{column}", "backfills", [column])
    op.create_index("ix_backfill_steps_backfill_id_state", "backfill_steps", ["backfill_id", "state"])
    op.create_index("ix_backfill_steps_job_id", "backfill_steps", ["job_id"])


def _create_bisects() -> None:
    op.create_table(
        "bisects",
        number("id"),
        number("project_id"),
        text("scenario", 64),
        text("good_sha", 64),
        text("bad_sha", 64),
        sa.Column("commits", sa.JSON(), nullable=True),
        text("direction", 16, nullable=True),
        text("low_sha", 64, nullable=True),
        text("high_sha", 64, nullable=True),
        *_searched("bisects"),
    )
    op.create_table(
        "bisect_steps",
        number("id"),
        number("bisect_id"),
        number("place"),
        text("sha", 64),
        text("finding", 8, nullable=True),
        words("why"),
        number("measurements"),
        real("budget_seconds"),
        number("job_id", nullable=True),
        text("run_id", 32, nullable=True),
        sa.Column("reused", sa.Boolean(), nullable=False),
        time("at"),
        key("bisect_steps", "bisect_id", "bisects", "CASCADE"),
        key("bisect_steps", "job_id", "jobs", "SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bisect_steps")),
        sa.UniqueConstraint("bisect_id", "place", name=op.f("uq_bisect_steps_bisect_id_place")),
    )
    for column in ("project_id", "state"):
        op.create_index(f"ix_bisects_{column}", "bisects", [column])
    op.create_index("ix_bisect_steps_job_id", "bisect_steps", ["job_id"])


def _create_plans() -> None:
    op.create_table(
        "confirmation_plans",
        number("alert_id"),
        text("state", 16),
        text("base_sha", 64),
        text("head_sha", 64),
        words("why"),
        text("requested_by", 128, nullable=True),
        sa.Column("seen_on", sa.JSON(), nullable=False),
        sa.Column("not_seen_on", sa.JSON(), nullable=False),
        sa.Column("gradual", sa.Boolean(), nullable=False),
        time("begun_at"),
        time("updated_at"),
        time("finished_at", nullable=True),
        key("confirmation_plans", "alert_id", "alerts", "CASCADE"),
        sa.PrimaryKeyConstraint("alert_id", name=op.f("pk_confirmation_plans")),
    )
    op.create_index("ix_confirmation_plans_state", "confirmation_plans", ["state"])


def _create_confirmations() -> None:
    op.create_table(
        "confirmations",
        number("id"),
        number("alert_id"),
        text("scenario", 64),
        text("wanted", 8),
        real("budget_seconds"),
        number("job_id", nullable=True),
        number("bisect_id", nullable=True),
        text("first_host", 128, nullable=True),
        text("host", 128, nullable=True),
        text("run_id", 32, nullable=True),
        text("outcome", 16, nullable=True),
        *(real(name) for name in ("ratio", "low", "high", "level")),
        words("why"),
        time("asked_at"),
        time("answered_at", nullable=True),
        key("confirmations", "alert_id", "alerts", "CASCADE"),
        key("confirmations", "job_id", "jobs", "SET NULL"),
        key("confirmations", "bisect_id", "bisects", "SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_confirmations")),
    )
    for column in ("alert_id", "job_id", "bisect_id"):
        op.create_index(f"ix_confirmations_{column}", "confirmations", [column])
