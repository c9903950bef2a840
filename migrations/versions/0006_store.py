# SPDX-License-Identifier: Apache-2.0
"""store: builds, launches as arrays, retention, imports, change points, alerts"""

from __future__ import annotations

import json
import struct

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

FLOATS = sa.LargeBinary().with_variant(postgresql.ARRAY(sa.Double()), "postgresql")
RUN_REFERENCES = (
    ("build_id", "builds", "SET NULL"),
    ("base_build_id", "builds", "SET NULL"),
    ("import_id", "imports", "CASCADE"),
)
INDEXES = (
    ("ix_series_values_covering", "series_values", ["series_id", "run_id"]),
    ("ix_runs_project_id_received_at", "runs", ["project_id", "received_at"]),
)


def upgrade() -> None:
    _index_large_tables()
    _create_builds()
    _create_imports()
    with op.batch_alter_table("runs") as batch:
        for column, table, on_delete in RUN_REFERENCES:
            batch.add_column(sa.Column(column, sa.Integer(), nullable=True))
            batch.create_foreign_key(
                op.f(f"fk_runs_{column}_{table}"), table, [column], ["id"], ondelete=on_delete
            )
    _index_imported_runs()
    with op.batch_alter_table("series_values") as batch:
        batch.add_column(sa.Column("launches", FLOATS, nullable=True))
        batch.alter_column("samples", existing_type=sa.JSON(), nullable=True)
    op.add_column("reports", sa.Column("expired_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("reports", sa.Column("remains", sa.JSON(), nullable=True))
    _create_retention()
    _create_alerts()


def _index_large_tables() -> None:
    """On PostgreSQL without blocking writers: first, since it commits, and repeatable after an
    interruption."""
    if op.get_context().dialect.name != "postgresql":
        op.create_index("ix_runs_project_id_received_at", "runs", ["project_id", "received_at"])
        return
    with op.get_context().autocommit_block():
        for name, table, columns in INDEXES:
            include = ["value", "low", "high"] if table == "series_values" else None
            op.drop_index(name, table_name=table, if_exists=True, postgresql_concurrently=True)
            op.create_index(name, table, columns, postgresql_include=include, postgresql_concurrently=True)


def _index_imported_runs() -> None:
    """Index of a column that is still empty everywhere."""
    if op.get_context().dialect.name != "postgresql":
        op.create_index("ix_runs_import_id", "runs", ["import_id"])
        return
    with op.get_context().autocommit_block():
        op.create_index("ix_runs_import_id", "runs", ["import_id"], postgresql_concurrently=True)


def _create_builds() -> None:
    op.create_table(
        "builds",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("sha", sa.String(length=64), nullable=False),
        sa.Column("tree", sa.Text(), nullable=False),
        sa.Column("code_digest", sa.Text(), nullable=False),
        sa.Column("functions", sa.Text(), nullable=True),
        sa.Column("compiler", sa.Text(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_builds_project_id_projects"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_builds")),
        sa.UniqueConstraint("project_id", "digest", name=op.f("uq_builds_project_id_digest")),
    )
    op.create_index("ix_builds_project_id_sha", "builds", ["project_id", "sha"])


def _create_imports() -> None:
    op.create_table(
        "imports",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("format", sa.String(length=32), nullable=False),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.Column("values", sa.Integer(), nullable=False),
        sa.Column("imported_by", sa.String(length=128), nullable=False),
        sa.Column("imported_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_imports_project_id_projects"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_imports")),
        sa.UniqueConstraint("project_id", "digest", name=op.f("uq_imports_project_id_digest")),
    )


def _create_retention() -> None:
    op.create_table(
        "retention_rules",
        sa.Column("project_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("report_days", sa.Integer(), nullable=False),
        sa.Column("log_days", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["projects.id"],
            name=op.f("fk_retention_rules_project_id_projects"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("project_id", name=op.f("pk_retention_rules")),
    )
    op.create_table(
        "removals",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_removals_project_id_projects"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_removals")),
    )
    op.create_index("ix_removals_project_id_at", "removals", ["project_id", "at"])


def _create_alerts() -> None:
    op.create_table(
        "alerts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("commit_id", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("scenarios", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_alerts_project_id_projects"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["commit_id"], ["commits.id"], name=op.f("fk_alerts_commit_id_commits"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alerts")),
    )
    op.create_index("ix_alerts_project_id_state", "alerts", ["project_id", "state"])
    op.create_index("ix_alerts_commit_id", "alerts", ["commit_id"])
    commits = ("commit_id", "low_commit_id", "high_commit_id")
    op.create_table(
        "change_points",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("series_id", sa.Integer(), nullable=False),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in commits),
        sa.Column("alert_id", sa.Integer(), nullable=True),
        sa.Column("ratio", sa.Double(), nullable=False),
        sa.Column("probability", sa.Double(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("detected_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["series_id"], ["series.id"], name=op.f("fk_change_points_series_id_series"), ondelete="CASCADE"
        ),
        *(
            sa.ForeignKeyConstraint(
                [name], ["commits.id"], name=op.f(f"fk_change_points_{name}_commits"), ondelete="CASCADE"
            )
            for name in commits
        ),
        sa.ForeignKeyConstraint(
            ["alert_id"], ["alerts.id"], name=op.f("fk_change_points_alert_id_alerts"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_change_points")),
    )
    op.create_index(
        "ix_change_points_series_id_commit_id", "change_points", ["series_id", "commit_id"], unique=True
    )
    op.create_index("ix_change_points_commit_id", "change_points", ["commit_id"])
    op.create_index("ix_change_points_alert_id", "change_points", ["alert_id"])


def _launches_to_samples() -> None:
    connection = op.get_bind()
    if connection.dialect.name == "postgresql":
        op.execute("UPDATE series_values SET samples = to_json(launches) WHERE samples IS NULL")
        return
    packed = connection.exec_driver_sql(
        "SELECT rowid, launches FROM series_values WHERE samples IS NULL"
    ).all()
    for rowid, launches in packed:
        unpacked = json.dumps(struct.unpack(f"<{len(launches) // 8}d", launches))
        connection.exec_driver_sql("UPDATE series_values SET samples = ? WHERE rowid = ?", (unpacked, rowid))


def downgrade() -> None:
    for table in ("change_points", "alerts", "removals", "retention_rules"):
        op.drop_table(table)
    with op.batch_alter_table("reports") as batch:
        batch.drop_column("remains")
        batch.drop_column("expired_at")
    # The old program could not show imported runs.
    imported = "SELECT id FROM runs WHERE import_id IS NOT NULL"
    op.execute(f"DELETE FROM series_values WHERE run_id IN ({imported})")
    op.execute("DELETE FROM runs WHERE import_id IS NOT NULL")
    _launches_to_samples()
    with op.batch_alter_table("series_values") as batch:
        batch.drop_column("launches")
        batch.alter_column("samples", existing_type=sa.JSON(), nullable=False)
    op.drop_index("ix_runs_import_id", table_name="runs")
    op.drop_index("ix_runs_project_id_received_at", table_name="runs")
    if op.get_context().dialect.name == "postgresql":
        op.drop_index("ix_series_values_covering", table_name="series_values")
    with op.batch_alter_table("runs") as batch:
        for column, table, _ in reversed(RUN_REFERENCES):
            batch.drop_constraint(f"fk_runs_{column}_{table}", type_="foreignkey")
            batch.drop_column(column)
    op.drop_table("imports")
    op.drop_index("ix_builds_project_id_sha", table_name="builds")
    op.drop_table("builds")
