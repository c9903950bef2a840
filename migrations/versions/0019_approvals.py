# SPDX-License-Identifier: Apache-2.0
"""approvals: of one commit of one repository; repositories of heads; order of deliveries"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

WAITING = sa.text("status = 'received'")
# The repository of a head was not stored before: the head belongs to its pull request alone.
FORKS = (
    "UPDATE pull_requests SET fork = 'pull request ' || number WHERE from_fork",
    "UPDATE jobs SET fork = 'pull request ' || pull_request WHERE reason = 'pull_request' "
    "AND (held IS NOT NULL OR EXISTS (SELECT 1 FROM pull_requests r WHERE r.project_id = jobs.project_id "
    "AND r.number = jobs.pull_request AND r.from_fork))",
    "UPDATE jobs SET fork = 'unknown' WHERE held IS NOT NULL AND fork IS NULL",
)
APPROVED = (
    "INSERT INTO approvals (project_id, sha, fork, approved_at, approved_by) "
    "SELECT j.project_id, j.head_sha, j.fork, t.at, t.who "
    "FROM job_transitions t JOIN jobs j ON j.id = t.job_id WHERE t.id IN ("
    "SELECT min(t.id) FROM job_transitions t JOIN jobs j ON j.id = t.job_id "
    "WHERE j.fork IS NOT NULL AND t.state = 'queued' AND t.who IS NOT NULL AND t.reason LIKE 'approved by %' "
    "GROUP BY j.project_id, j.head_sha, j.fork)"
)
# Dropped jobs lost their hold, and were queued again without one.
HELD = (
    "UPDATE jobs SET held = fork || ' comes from a fork: a developer must approve it' "
    "WHERE state = 'queued' AND held IS NULL AND fork IS NOT NULL "
    "AND NOT EXISTS (SELECT 1 FROM watches w WHERE w.project_id = jobs.project_id "
    "AND w.fork_pull_requests = 'always') "
    "AND NOT EXISTS (SELECT 1 FROM approvals a WHERE a.project_id = jobs.project_id "
    "AND a.sha = jobs.head_sha AND a.fork = jobs.fork)"
)


def upgrade() -> None:
    op.create_table(
        "approvals",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("sha", sa.String(length=64), nullable=False),
        sa.Column("fork", sa.String(length=200), nullable=False),
        sa.Column("approved_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("approved_by", sa.String(length=128), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["projects.id"],
            name=op.f("fk_approvals_project_id_projects"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_approvals")),
        sa.UniqueConstraint("project_id", "sha", "fork", name=op.f("uq_approvals_project_id_sha_fork")),
    )
    op.add_column("jobs", sa.Column("fork", sa.String(length=200), nullable=True))
    op.add_column("pull_requests", sa.Column("fork", sa.String(length=200), nullable=True))
    op.create_index(op.f("ix_pull_requests_project_id_head_sha"), "pull_requests", ["project_id", "head_sha"])
    op.add_column("deliveries", sa.Column("about", sa.String(length=100), nullable=True))
    op.create_index(
        "ix_deliveries_waiting",
        "deliveries",
        ["project_id", "about", "id"],
        sqlite_where=WAITING,
        postgresql_where=WAITING,
    )
    for statement in (*FORKS, APPROVED, HELD):
        op.execute(statement)


def downgrade() -> None:
    # The older program would queue dropped jobs again, without a hold.
    op.execute("UPDATE jobs SET state = 'cancelled' WHERE state = 'superseded' AND fork IS NOT NULL")
    op.execute("UPDATE jobs SET held = NULL WHERE state != 'queued'")
    op.drop_index("ix_deliveries_waiting", table_name="deliveries")
    op.drop_column("deliveries", "about")
    op.drop_index(op.f("ix_pull_requests_project_id_head_sha"), table_name="pull_requests")
    op.drop_column("pull_requests", "fork")
    op.drop_column("jobs", "fork")
    op.drop_table("approvals")
