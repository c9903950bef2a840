# SPDX-License-Identifier: Apache-2.0
"""campaigns, campaign_steps, jobs.campaign_id: backfills are the first kind of campaign

The previous version runs on these tables, too: what only it uses stays until 0025. The downgrade fills it.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

ACTIVE = sa.text("active")
SHARED = "project_id, state, message, requested_by, tries, not_before, created_at, updated_at, finished_at"


def text(name: str, length: int, *, nullable: bool = True) -> sa.Column[str]:
    return sa.Column(name, sa.String(length=length), nullable=nullable)


def time(name: str, *, nullable: bool = True) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def key(table: str, column: str, other: str, rule: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{other}")
    return sa.ForeignKeyConstraint([column], [f"{other}.id"], name=name, ondelete=rule)


def upgrade() -> None:
    _create_campaigns()
    _create_steps()
    with op.batch_alter_table("jobs") as jobs:
        jobs.add_column(sa.Column("campaign_id", sa.Integer(), nullable=True))
        jobs.create_foreign_key(
            op.f("fk_jobs_campaign_id_campaigns"), "campaigns", ["campaign_id"], ["id"], ondelete="SET NULL"
        )
    op.create_index("ix_jobs_campaign_id", "jobs", ["campaign_id"])
    _take_backfills()


def _create_campaigns() -> None:
    op.create_table(
        "campaigns",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        text("kind", 16, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        text("state", 16, nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("spec", sa.JSON(), nullable=False),
        sa.Column("result", sa.JSON(), nullable=False),
        sa.Column("message", sa.Text(), nullable=True),
        text("requested_by", 128),
        sa.Column("tries", sa.Integer(), nullable=False),
        time("not_before"),
        time("created_at", nullable=False),
        time("updated_at", nullable=False),
        time("finished_at"),
        key("campaigns", "project_id", "projects", "CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_campaigns")),
        sa.UniqueConstraint("kind", "number", name=op.f("uq_campaigns_kind_number")),
    )
    op.create_index("ix_campaigns_project_id_kind_number", "campaigns", ["project_id", "kind", "number"])
    op.create_index("ix_campaigns_active", "campaigns", ["id"], sqlite_where=ACTIVE, postgresql_where=ACTIVE)


def _create_steps() -> None:
    op.create_table(
        "campaign_steps",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        text("state", 16, nullable=False),
        text("base_sha", 64, nullable=False),
        text("head_sha", 64, nullable=False),
        text("scenario", 64),
        text("host", 128),
        sa.Column("budget_seconds", sa.Double(), nullable=True),
        sa.Column("job_id", sa.Integer(), nullable=True),
        sa.Column("child_id", sa.Integer(), nullable=True),
        text("run_id", 32),
        text("outcome", 16),
        sa.Column("why", sa.Text(), nullable=True),
        sa.Column("detail", sa.JSON(), nullable=False),
        time("started_at"),
        time("finished_at"),
        key("campaign_steps", "campaign_id", "campaigns", "CASCADE"),
        key("campaign_steps", "job_id", "jobs", "SET NULL"),
        key("campaign_steps", "child_id", "campaigns", "SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_campaign_steps")),
        sa.UniqueConstraint("campaign_id", "ordinal", name=op.f("uq_campaign_steps_campaign_id_ordinal")),
    )
    op.create_index("ix_campaign_steps_campaign_id_state", "campaign_steps", ["campaign_id", "state"])
    for column in ("job_id", "child_id"):
        op.create_index(f"ix_campaign_steps_{column}", "campaign_steps", [column])


def _is_sqlite() -> bool:
    return op.get_context().dialect.name == "sqlite"


def _take_backfills() -> None:
    build, embed = ("json_object", "json(scenarios)") if _is_sqlite() else ("json_build_object", "scenarios")
    spec = f"{build}('first_sha', first_sha, 'last_sha', last_sha, 'every', every, 'scenarios', {embed})"
    op.execute(
        f"INSERT INTO campaigns (kind, number, active, spec, result, {SHARED}) "
        f"SELECT 'backfill', id, state IN ('planning', 'running'), {spec}, '{{}}', {SHARED} "
        "FROM backfills ORDER BY id"
    )
    op.execute(
        "INSERT INTO campaign_steps (campaign_id, ordinal, state, base_sha, head_sha, job_id, detail) "
        "SELECT c.id, s.ordinal, s.state, s.base_sha, s.head_sha, s.job_id, '{}' FROM backfill_steps s "
        "JOIN campaigns c ON c.kind = 'backfill' AND c.number = s.backfill_id ORDER BY s.id"
    )
    op.execute(
        "UPDATE jobs SET campaign_id = (SELECT c.id FROM campaigns c WHERE c.kind = 'backfill' "
        "AND c.number = jobs.backfill_id) WHERE backfill_id IS NOT NULL"
    )


def downgrade() -> None:
    _give_backfills()
    op.drop_index("ix_jobs_campaign_id", "jobs")
    with op.batch_alter_table("jobs") as jobs:
        jobs.drop_constraint(op.f("fk_jobs_campaign_id_campaigns"), type_="foreignkey")
        jobs.drop_column("campaign_id")
    op.drop_table("campaign_steps")
    op.drop_table("campaigns")


def _spec(name: str) -> str:
    """A text or an array of the spec."""
    if _is_sqlite():
        return f"json_extract(spec, '$.{name}')"
    return f"spec -> '{name}'" if name == "scenarios" else f"spec ->> '{name}'"


def _give_backfills() -> None:
    op.execute("DELETE FROM backfill_steps")
    op.execute("UPDATE jobs SET backfill_id = NULL WHERE backfill_id IS NOT NULL")
    op.execute("DELETE FROM backfills")
    op.execute(
        f"INSERT INTO backfills (id, first_sha, last_sha, every, scenarios, {SHARED}) "
        f"SELECT number, {_spec('first_sha')}, {_spec('last_sha')}, CAST({_spec('every')} AS INTEGER), "
        f"{_spec('scenarios')}, {SHARED} FROM campaigns WHERE kind = 'backfill' ORDER BY number"
    )
    op.execute(
        "INSERT INTO backfill_steps (backfill_id, ordinal, base_sha, head_sha, state, job_id) "
        "SELECT c.number, s.ordinal, s.base_sha, s.head_sha, s.state, s.job_id FROM campaign_steps s "
        "JOIN campaigns c ON c.id = s.campaign_id WHERE c.kind = 'backfill' ORDER BY s.id"
    )
    op.execute(
        "UPDATE jobs SET backfill_id = (SELECT c.number FROM campaigns c WHERE c.id = jobs.campaign_id "
        "AND c.kind = 'backfill') WHERE campaign_id IS NOT NULL"
    )
    if not _is_sqlite():
        op.execute(
            "SELECT setval(pg_get_serial_sequence('backfills', 'id'), "
            "(SELECT coalesce(max(id), 0) + 1 FROM backfills), false)"
        )
