# SPDX-License-Identifier: Apache-2.0
"""jobs: priorities, retries, bisects, backfills, schedules"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

AUTOMATIC = sa.text("reason IN ('push', 'pull_request')")
WAITING = sa.text("state = 'queued' AND held IS NULL")
OLD_UNIQUE = "uq_jobs_commit_id_base_sha_reason"


def time(name: str, *, nullable: bool = True) -> sa.Column[Any]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def text(name: str, length: int, *, nullable: bool = True, **options: Any) -> sa.Column[Any]:
    return sa.Column(name, sa.String(length=length), nullable=nullable, **options)


def key(table: str, name: str, target: str, ondelete: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [name], [f"{target}.id"], name=op.f(f"fk_{table}_{name}_{target}"), ondelete=ondelete
    )


def upgrade() -> None:
    _create_backfills()
    _create_bisects()
    _create_schedules()
    with op.batch_alter_table("jobs") as jobs:
        jobs.drop_constraint(OLD_UNIQUE, type_="unique")
        jobs.add_column(sa.Column("held", sa.Text(), nullable=True))
        jobs.add_column(sa.Column("priority", sa.SmallInteger(), server_default="1", nullable=False))
        jobs.add_column(sa.Column("pull_request", sa.Integer(), nullable=True))
        jobs.add_column(text("requested_by", 128))
        jobs.add_column(sa.Column("scenarios", sa.JSON(), nullable=True))
        jobs.add_column(sa.Column("budget_seconds", sa.Double(), nullable=True))
        for name in ("backfill_id", "bisect_id"):
            jobs.add_column(sa.Column(name, sa.Integer(), nullable=True))
        for name in ("leased_at", "not_before", "avoid_until", "raised_at"):
            jobs.add_column(time(name))
        jobs.add_column(text("avoid_host", 128))
        jobs.add_column(sa.Column("updated_seq", sa.BigInteger(), server_default="0", nullable=False))
        for target in ("backfills", "bisects"):
            column = f"{target[:-1]}_id"
            jobs.create_foreign_key(
                op.f(f"fk_jobs_{column}_{target}"), target, [column], ["id"], ondelete="SET NULL"
            )
    _create_indexes()
    op.add_column("job_transitions", text("who", 128))
    op.add_column(
        "projects", sa.Column("latest_only", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute("CREATE SEQUENCE job_changes_seq")


def _create_indexes() -> None:
    op.create_index(
        "uq_jobs_automatic",
        "jobs",
        ["commit_id", "base_sha", "reason"],
        unique=True,
        sqlite_where=AUTOMATIC,
        postgresql_where=AUTOMATIC,
    )
    op.create_index(
        "ix_jobs_waiting",
        "jobs",
        ["project_id", "priority", "id"],
        sqlite_where=WAITING,
        postgresql_where=WAITING,
    )
    for columns in (
        ["commit_id"],
        ["project_id", "leased_at"],
        ["project_id", "pull_request"],
        ["backfill_id"],
        ["bisect_id"],
        ["updated_seq"],
    ):
        op.create_index(f"ix_jobs_{'_'.join(columns)}", "jobs", columns)


def _create_backfills() -> None:
    op.create_table(
        "backfills",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        text("first_sha", 64, nullable=False),
        text("last_sha", 64, nullable=False),
        sa.Column("every", sa.Integer(), nullable=False),
        sa.Column("scenarios", sa.JSON(), nullable=True),
        text("state", 16, nullable=False),
        sa.Column("message", sa.Text(), nullable=True),
        text("requested_by", 128, nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        time("not_before"),
        time("created_at", nullable=False),
        time("updated_at", nullable=False),
        time("finished_at"),
        key("backfills", "project_id", "projects", "CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_backfills")),
    )
    op.create_index("ix_backfills_project_id", "backfills", ["project_id"])
    op.create_index("ix_backfills_state", "backfills", ["state"])
    op.create_table(
        "backfill_steps",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("backfill_id", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        text("base_sha", 64, nullable=False),
        text("head_sha", 64, nullable=False),
        text("state", 16, nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=True),
        key("backfill_steps", "backfill_id", "backfills", "CASCADE"),
        key("backfill_steps", "job_id", "jobs", "SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_backfill_steps")),
        sa.UniqueConstraint("backfill_id", "ordinal", name=op.f("uq_backfill_steps_backfill_id_ordinal")),
    )
    op.create_index("ix_backfill_steps_backfill_id_state", "backfill_steps", ["backfill_id", "state"])
    op.create_index("ix_backfill_steps_job_id", "backfill_steps", ["job_id"])


def _create_bisects() -> None:
    op.create_table(
        "bisects",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        text("scenario", 64, nullable=False),
        text("good_sha", 64, nullable=False),
        text("bad_sha", 64, nullable=False),
        text("state", 16, nullable=False),
        sa.Column("commits", sa.JSON(), nullable=True),
        text("direction", 16),
        text("low_sha", 64),
        text("high_sha", 64),
        sa.Column("message", sa.Text(), nullable=True),
        text("requested_by", 128, nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        time("not_before"),
        time("created_at", nullable=False),
        time("updated_at", nullable=False),
        time("finished_at"),
        key("bisects", "project_id", "projects", "CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bisects")),
    )
    op.create_index("ix_bisects_project_id", "bisects", ["project_id"])
    op.create_index("ix_bisects_state", "bisects", ["state"])
    op.create_table(
        "bisect_steps",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("bisect_id", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        text("sha", 64, nullable=False),
        text("finding", 8),
        sa.Column("why", sa.Text(), nullable=True),
        sa.Column("measurements", sa.Integer(), nullable=False),
        sa.Column("budget_seconds", sa.Double(), nullable=True),
        sa.Column("job_id", sa.Integer(), nullable=True),
        text("run_id", 32),
        sa.Column("reused", sa.Boolean(), nullable=False),
        time("at", nullable=False),
        key("bisect_steps", "bisect_id", "bisects", "CASCADE"),
        key("bisect_steps", "job_id", "jobs", "SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bisect_steps")),
        sa.UniqueConstraint("bisect_id", "place", name=op.f("uq_bisect_steps_bisect_id_place")),
    )
    op.create_index("ix_bisect_steps_job_id", "bisect_steps", ["job_id"])


def _create_schedules() -> None:
    op.create_table(
        "schedules",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        text("name", 64, nullable=False),
        text("cron", 128, nullable=False),
        text("against", 16, nullable=False),
        sa.Column("scenarios", sa.JSON(), nullable=True),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        time("next_at", nullable=False),
        time("last_at"),
        text("last_sha", 64),
        sa.Column("message", sa.Text(), nullable=True),
        time("created_at", nullable=False),
        key("schedules", "project_id", "projects", "CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_schedules")),
        sa.UniqueConstraint("project_id", "name", name=op.f("uq_schedules_project_id_name")),
    )
    op.create_index("ix_schedules_next_at", "schedules", ["next_at"])


def downgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP SEQUENCE job_changes_seq")
    with op.batch_alter_table("projects") as projects:
        projects.drop_column("latest_only")
    with op.batch_alter_table("job_transitions") as transitions:
        transitions.drop_column("who")
    # The older schema has one job for a commit, base and reason: keeps the first, with its runs.
    op.execute(
        "DELETE FROM jobs WHERE id NOT IN (SELECT min(id) FROM jobs GROUP BY commit_id, base_sha, reason)"
    )
    for columns in ("commit_id", "project_id_leased_at", "project_id_pull_request", "updated_seq"):
        op.drop_index(f"ix_jobs_{columns}", "jobs")
    for name in ("ix_jobs_backfill_id", "ix_jobs_bisect_id", "ix_jobs_waiting", "uq_jobs_automatic"):
        op.drop_index(name, "jobs")
    with op.batch_alter_table("jobs") as jobs:
        for target in ("backfills", "bisects"):
            jobs.drop_constraint(op.f(f"fk_jobs_{target[:-1]}_id_{target}"), type_="foreignkey")
        for name in (
            "held",
            "priority",
            "pull_request",
            "requested_by",
            "scenarios",
            "budget_seconds",
            "backfill_id",
            "bisect_id",
            "leased_at",
            "not_before",
            "avoid_until",
            "raised_at",
            "avoid_host",
            "updated_seq",
        ):
            jobs.drop_column(name)
        jobs.create_unique_constraint(OLD_UNIQUE, ["commit_id", "base_sha", "reason"])
    for table in ("schedules", "bisect_steps", "bisects", "backfill_steps", "backfills"):
        op.drop_table(table)
