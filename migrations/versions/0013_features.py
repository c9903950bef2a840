# SPDX-License-Identifier: Apache-2.0
"""features: feature sets of runs, the project's reference, fitted cost models"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("features", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("projects", sa.Column("reference_sha", sa.String(length=64), nullable=True))
    op.create_table(
        "cost_models",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("scenario", sa.String(length=64), nullable=False),
        sa.Column("host_class", sa.String(length=128), nullable=False),
        sa.Column("sha", sa.String(length=64), nullable=False),
        sa.Column("fitted_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("fit", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["projects.id"],
            name=op.f("fk_cost_models_project_id_projects"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_cost_models")),
        sa.UniqueConstraint(
            "project_id",
            "scenario",
            "host_class",
            "sha",
            name=op.f("uq_cost_models_project_id_scenario_host_class_sha"),
        ),
    )


def downgrade() -> None:
    op.drop_table("cost_models")
    with op.batch_alter_table("projects") as table:
        table.drop_column("reference_sha")
    with op.batch_alter_table("runs") as table:
        table.drop_column("features")
