# SPDX-License-Identifier: Apache-2.0
"""agents: credentials, pools, capabilities, health"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    with op.batch_alter_table("hosts") as hosts:
        hosts.add_column(sa.Column("pool", sa.String(length=64), server_default="default", nullable=False))
        hosts.add_column(sa.Column("capabilities", sa.JSON(), nullable=True))
        hosts.add_column(sa.Column("health", sa.JSON(), nullable=True))
        hosts.add_column(sa.Column("clock_offset_seconds", sa.Double(), nullable=True))
        hosts.add_column(sa.Column("version", sa.String(length=64), nullable=True))
        hosts.add_column(sa.Column("registered_at", TIME, nullable=True))
        hosts.add_column(sa.Column("draining_at", TIME, nullable=True))
        hosts.add_column(sa.Column("revoked_at", TIME, nullable=True))
        hosts.create_index("ix_hosts_pool", ["pool"])
    with op.batch_alter_table("projects") as projects:
        projects.add_column(sa.Column("pool", sa.String(length=64), server_default="default", nullable=False))
    with op.batch_alter_table("jobs") as jobs:
        jobs.add_column(sa.Column("needs", sa.String(length=200), nullable=True))
    op.create_index(
        "ix_jobs_needs",
        "jobs",
        ["needs"],
        postgresql_where=sa.text("needs IS NOT NULL"),
        sqlite_where=sa.text("needs IS NOT NULL"),
    )
    with op.batch_alter_table("tokens") as tokens:
        tokens.add_column(sa.Column("agent_id", sa.Integer(), nullable=True))
        tokens.create_foreign_key(
            op.f("fk_tokens_agent_id_hosts"), "hosts", ["agent_id"], ["id"], ondelete="CASCADE"
        )
        tokens.create_index("ix_tokens_agent_id", ["agent_id"])
    _create_tables()


def _create_tables() -> None:
    op.create_table(
        "agent_invitations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("pool", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=128), nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("created_by", sa.String(length=128), nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.Column("used_at", TIME, nullable=True),
        sa.Column("host_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["host_id"], ["hosts.id"], name=op.f("fk_agent_invitations_host_id_hosts"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_agent_invitations")),
        sa.UniqueConstraint("digest", name=op.f("uq_agent_invitations_digest")),
    )
    op.create_table(
        "host_health",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("host_id", sa.Integer(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("kept_until", TIME, nullable=False),
        sa.Column("disk_free_bytes", sa.BigInteger(), nullable=True),
        sa.Column("load", sa.Double(), nullable=True),
        sa.Column("steal", sa.Double(), nullable=True),
        sa.Column("temperature_celsius", sa.Double(), nullable=True),
        sa.Column("frequency_mhz", sa.Double(), nullable=True),
        sa.Column("resolves", sa.Double(), nullable=True),
        sa.Column("clock_offset_seconds", sa.Double(), nullable=True),
        sa.Column("version", sa.String(length=64), nullable=True),
        sa.ForeignKeyConstraint(
            ["host_id"], ["hosts.id"], name=op.f("fk_host_health_host_id_hosts"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_host_health")),
    )
    op.create_index("ix_host_health_host_id_at", "host_health", ["host_id", "at"])
    op.create_index("ix_host_health_kept_until", "host_health", ["kept_until"])
    op.create_table(
        "host_fingerprints",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("host_id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("fingerprint", sa.JSON(), nullable=False),
        sa.Column("first_seen_at", TIME, nullable=False),
        sa.Column("last_seen_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(
            ["host_id"], ["hosts.id"], name=op.f("fk_host_fingerprints_host_id_hosts"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_host_fingerprints")),
    )
    op.create_index(
        "ix_host_fingerprints_host_id_first_seen_at", "host_fingerprints", ["host_id", "first_seen_at"]
    )


def downgrade() -> None:
    op.drop_table("host_fingerprints")
    op.drop_table("host_health")
    op.drop_table("agent_invitations")
    with op.batch_alter_table("tokens") as tokens:
        tokens.drop_index("ix_tokens_agent_id")
        tokens.drop_constraint("fk_tokens_agent_id_hosts", type_="foreignkey")
        tokens.drop_column("agent_id")
    op.drop_index("ix_jobs_needs", table_name="jobs")
    with op.batch_alter_table("jobs") as jobs:
        jobs.drop_column("needs")
    with op.batch_alter_table("projects") as projects:
        projects.drop_column("pool")
    with op.batch_alter_table("hosts") as hosts:
        hosts.drop_index("ix_hosts_pool")
        for name in (
            "revoked_at", "draining_at", "registered_at", "version", "clock_offset_seconds", "health",
            "capabilities", "pool",
        ):  # fmt: skip
            hosts.drop_column(name)
