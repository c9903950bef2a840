# SPDX-License-Identifier: Apache-2.0
"""webhooks: deliveries processed later, watched branches, pull requests, tags"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def of_project(table: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_project_id_projects")
    return sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=name, ondelete="CASCADE")


def upgrade() -> None:
    op.create_table(
        "watches",
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("branches", sa.JSON(), nullable=True),
        sa.Column("paths_ignore", sa.JSON(), nullable=True),
        sa.Column("push_commits", sa.String(length=8), nullable=False),
        sa.Column("fork_pull_requests", sa.String(length=8), nullable=False),
        sa.Column("measure_tags", sa.Boolean(), nullable=False),
        sa.Column("local", sa.Boolean(), nullable=False),
        sa.Column("read_credential", sa.LargeBinary(), nullable=True),
        sa.Column("previous_secret", sa.LargeBinary(), nullable=True),
        sa.Column("previous_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reconcile_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reconciled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reconcile_failures", sa.Integer(), nullable=False),
        sa.Column("reconcile_error", sa.Text(), nullable=True),
        of_project("watches"),
        sa.PrimaryKeyConstraint("project_id", name=op.f("pk_watches")),
    )
    op.create_index("ix_watches_reconcile_at", "watches", ["reconcile_at"])
    for table in ("branches", "tags"):
        op.create_table(
            table,
            sa.Column("id", sa.Integer(), nullable=False),
            sa.Column("project_id", sa.Integer(), nullable=False),
            sa.Column("name", sa.String(length=255), nullable=False),
            sa.Column("sha", sa.String(length=64), nullable=False),
            sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
            sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
            of_project(table),
            sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{table}")),
            sa.UniqueConstraint("project_id", "name", name=op.f(f"uq_{table}_project_id_name")),
        )
    op.create_table(
        "pull_requests",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("title", sa.String(length=512), nullable=True),
        sa.Column("author", sa.String(length=256), nullable=True),
        sa.Column("url", sa.String(length=512), nullable=True),
        sa.Column("from_fork", sa.Boolean(), nullable=False),
        sa.Column("base_branch", sa.String(length=255), nullable=True),
        sa.Column("head_sha", sa.String(length=64), nullable=False),
        sa.Column("base_sha", sa.String(length=64), nullable=True),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        of_project("pull_requests"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pull_requests")),
        sa.UniqueConstraint("project_id", "number", name=op.f("uq_pull_requests_project_id_number")),
    )
    op.create_index(
        "ix_pull_requests_project_id_state_updated_at", "pull_requests", ["project_id", "state", "updated_at"]
    )
    # No batch: columns that are nullable or have a default are added in place on both databases.
    op.add_column("deliveries", sa.Column("body", sa.LargeBinary(), nullable=True))
    op.add_column("deliveries", sa.Column("attempts", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("deliveries", sa.Column("next_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("deliveries", sa.Column("worked_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index("ix_deliveries_status_next_at", "deliveries", ["status", "next_at"])
    op.create_index("ix_deliveries_project_id_received_at", "deliveries", ["project_id", "received_at"])


def downgrade() -> None:
    op.drop_index("ix_deliveries_project_id_received_at", table_name="deliveries")
    op.drop_index("ix_deliveries_status_next_at", table_name="deliveries")
    with op.batch_alter_table("deliveries") as deliveries:
        for column in ("worked_at", "next_at", "attempts", "body"):
            deliveries.drop_column(column)
    op.drop_table("pull_requests")
    op.drop_table("tags")
    op.drop_table("branches")
    op.drop_table("watches")
