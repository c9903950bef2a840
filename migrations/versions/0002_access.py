# SPDX-License-Identifier: Apache-2.0
"""access: accounts, roles, sign-ins, tokens with owner and expiry, audit log"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)


def _of(table: str, column: str, target: str, ondelete: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{target}")
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete=ondelete)


def upgrade() -> None:
    _accounts()
    _sign_ins()
    _audit_log()
    with op.batch_alter_table("projects") as batch:
        batch.add_column(sa.Column("public", sa.Boolean(), nullable=False, server_default=sa.false()))
    with op.batch_alter_table("tokens") as batch:
        batch.add_column(sa.Column("account_id", sa.Integer(), nullable=True))
        batch.add_column(sa.Column("expires_at", MOMENT, nullable=True))
        batch.add_column(sa.Column("last_used_at", MOMENT, nullable=True))
        batch.create_foreign_key(
            op.f("fk_tokens_account_id_accounts"), "accounts", ["account_id"], ["id"], ondelete="CASCADE"
        )
        batch.create_index(op.f("ix_tokens_account_id"), ["account_id"])


def _accounts() -> None:
    op.create_table(
        "accounts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("password_hash", sa.String(length=256), nullable=True),
        sa.Column("administrator", sa.Boolean(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("signed_in_at", MOMENT, nullable=True),
        sa.Column("disabled_at", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
        sa.UniqueConstraint("name", name=op.f("uq_accounts_name")),
    )
    op.create_table(
        "memberships",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("since", MOMENT, nullable=False),
        _of("memberships", "account_id", "accounts", "CASCADE"),
        _of("memberships", "project_id", "projects", "CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_memberships")),
        sa.UniqueConstraint("account_id", "project_id", name=op.f("uq_memberships_account_id_project_id")),
    )
    op.create_index(op.f("ix_memberships_project_id"), "memberships", ["project_id"])


def _sign_ins() -> None:
    op.create_table(
        "identities",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("issuer", sa.String(length=255), nullable=False),
        sa.Column("subject", sa.String(length=255), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        _of("identities", "account_id", "accounts", "CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_identities")),
        sa.UniqueConstraint("issuer", "subject", name=op.f("uq_identities_issuer_subject")),
    )
    op.create_index(op.f("ix_identities_account_id"), "identities", ["account_id"])
    op.create_table(
        "sign_in_links",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        _of("sign_in_links", "account_id", "accounts", "CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_in_links")),
        sa.UniqueConstraint("digest", name=op.f("uq_sign_in_links_digest")),
    )
    op.create_index(op.f("ix_sign_in_links_account_id"), "sign_in_links", ["account_id"])
    op.create_table(
        "sessions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("by_link", sa.Boolean(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("seen_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        _of("sessions", "account_id", "accounts", "CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
        sa.UniqueConstraint("digest", name=op.f("uq_sessions_digest")),
    )
    op.create_index(op.f("ix_sessions_account_id"), "sessions", ["account_id"])


def _audit_log() -> None:
    op.create_table(
        "audit_log",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("who", sa.String(length=128), nullable=False),
        sa.Column("action", sa.String(length=64), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=True),
        sa.Column("subject", sa.String(length=256), nullable=False),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("request_id", sa.String(length=32), nullable=True),
        _of("audit_log", "project_id", "projects", "SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_log")),
    )
    op.create_index("ix_audit_log_at", "audit_log", ["at"])
    op.create_index("ix_audit_log_project_id_at", "audit_log", ["project_id", "at"])


def downgrade() -> None:
    with op.batch_alter_table("tokens") as batch:
        batch.drop_index(op.f("ix_tokens_account_id"))
        batch.drop_constraint(op.f("fk_tokens_account_id_accounts"), type_="foreignkey")
        for column in ("account_id", "expires_at", "last_used_at"):
            batch.drop_column(column)
    with op.batch_alter_table("projects") as batch:
        batch.drop_column("public")
    for table in ("audit_log", "sessions", "sign_in_links", "identities", "memberships", "accounts"):
        op.drop_table(table)
