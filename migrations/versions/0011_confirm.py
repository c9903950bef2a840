# SPDX-License-Identifier: Apache-2.0
"""confirm: findings are measured again before a notification is sent"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

PULL_REQUEST = 2
"""Priority of a pull request's jobs before confirmations were inserted."""


def time(name: str, *, nullable: bool = True) -> sa.Column[Any]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def text(name: str, length: int, *, nullable: bool = True) -> sa.Column[Any]:
    return sa.Column(name, sa.String(length=length), nullable=nullable)


def key(table: str, name: str, target: str, ondelete: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [name], [f"{target}.id"], name=op.f(f"fk_{table}_{name}_{target}"), ondelete=ondelete
    )


def upgrade() -> None:
    _create_plans()
    _create_confirmations()
    with op.batch_alter_table("jobs") as jobs:
        jobs.add_column(sa.Column("alert_id", sa.Integer(), nullable=True))
        jobs.add_column(text("only_host", 128))
        jobs.add_column(text("not_host", 128))
        jobs.create_foreign_key(
            op.f("fk_jobs_alert_id_alerts"), "alerts", ["alert_id"], ["id"], ondelete="SET NULL"
        )
    op.create_index("ix_jobs_alert_id", "jobs", ["alert_id"])
    op.add_column("runs", sa.Column("beside", sa.Boolean(), server_default=sa.false(), nullable=False))
    _move_priorities(+1)


def _move_priorities(by: int) -> None:
    """Shifts waiting jobs, so that they keep their place among later ones."""
    op.execute(
        f"UPDATE jobs SET priority = priority + {by} "
        f"WHERE state = 'queued' AND priority >= {PULL_REQUEST + (by < 0)}"
    )


def _create_plans() -> None:
    op.create_table(
        "confirmation_plans",
        sa.Column("alert_id", sa.Integer(), nullable=False),
        text("state", 16, nullable=False),
        text("base_sha", 64, nullable=False),
        text("head_sha", 64, nullable=False),
        sa.Column("why", sa.Text(), nullable=True),
        text("requested_by", 128),
        sa.Column("seen_on", sa.JSON(), nullable=False),
        sa.Column("not_seen_on", sa.JSON(), nullable=False),
        sa.Column("gradual", sa.Boolean(), nullable=False),
        time("begun_at", nullable=False),
        time("updated_at", nullable=False),
        time("finished_at"),
        key("confirmation_plans", "alert_id", "alerts", "CASCADE"),
        sa.PrimaryKeyConstraint("alert_id", name=op.f("pk_confirmation_plans")),
    )
    op.create_index("ix_confirmation_plans_state", "confirmation_plans", ["state"])


def _create_confirmations() -> None:
    op.create_table(
        "confirmations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("alert_id", sa.Integer(), nullable=False),
        text("scenario", 64, nullable=False),
        text("wanted", 8, nullable=False),
        sa.Column("budget_seconds", sa.Double(), nullable=True),
        sa.Column("job_id", sa.Integer(), nullable=True),
        sa.Column("bisect_id", sa.Integer(), nullable=True),
        text("first_host", 128),
        text("host", 128),
        text("run_id", 32),
        text("outcome", 16),
        sa.Column("ratio", sa.Double(), nullable=True),
        sa.Column("low", sa.Double(), nullable=True),
        sa.Column("high", sa.Double(), nullable=True),
        sa.Column("level", sa.Double(), nullable=True),
        sa.Column("why", sa.Text(), nullable=True),
        time("asked_at", nullable=False),
        time("answered_at"),
        key("confirmations", "alert_id", "alerts", "CASCADE"),
        key("confirmations", "job_id", "jobs", "SET NULL"),
        key("confirmations", "bisect_id", "bisects", "SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_confirmations")),
    )
    for column in ("alert_id", "job_id", "bisect_id"):
        op.create_index(f"ix_confirmations_{column}", "confirmations", [column])


def downgrade() -> None:
    _known_to_the_older()
    _move_priorities(-1)
    with op.batch_alter_table("runs") as runs:
        runs.drop_column("beside")
    op.drop_index("ix_jobs_alert_id", "jobs")
    with op.batch_alter_table("jobs") as jobs:
        jobs.drop_constraint(op.f("fk_jobs_alert_id_alerts"), type_="foreignkey")
        for name in ("not_host", "only_host", "alert_id"):
            jobs.drop_column(name)
    op.drop_table("confirmations")
    op.drop_table("confirmation_plans")


def _known_to_the_older() -> None:
    """Keeps confirmations, closed, as jobs of a reason that an older program knows."""
    op.execute(
        "UPDATE jobs SET state = 'cancelled', held = NULL, fence = fence + 1, finished_at = updated_at "
        "WHERE reason = 'confirm' AND finished_at IS NULL"
    )
    op.execute("UPDATE jobs SET reason = 'bisect' WHERE reason = 'confirm'")
