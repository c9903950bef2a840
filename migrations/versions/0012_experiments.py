# SPDX-License-Identifier: Apache-2.0
"""experiments"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def text(name: str, length: int, *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.String(length=length), nullable=nullable)


def time(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def key(table: str, name: str, target: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [name], [f"{target}.id"], name=op.f(f"fk_{table}_{name}_{target}"), ondelete="CASCADE"
    )


def upgrade() -> None:
    _create_experiments()
    _create_cells()
    with op.batch_alter_table("jobs") as jobs:
        jobs.add_column(sa.Column("experiment_id", sa.Integer(), nullable=True))
        jobs.create_foreign_key(
            op.f("fk_jobs_experiment_id_experiments"),
            "experiments",
            ["experiment_id"],
            ["id"],
            ondelete="SET NULL",
        )
    op.create_index("ix_jobs_experiment_id", "jobs", ["experiment_id"])


def _create_experiments() -> None:
    op.create_table(
        "experiments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("commit_id", sa.Integer(), nullable=False),
        text("kind", 16),
        sa.Column("names", sa.JSON(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("cell_seconds", sa.Double(), nullable=True),
        text("state", 16),
        text("host_class", 128, nullable=True),
        sa.Column("fitted_cells", sa.Integer(), nullable=False),
        sa.Column("result", sa.JSON(), nullable=True),
        sa.Column("message", sa.Text(), nullable=True),
        text("requested_by", 128),
        time("created_at"),
        time("updated_at"),
        time("finished_at", nullable=True),
        key("experiments", "project_id", "projects"),
        key("experiments", "commit_id", "commits"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_experiments")),
    )
    for column in ("project_id", "commit_id", "state"):
        op.create_index(f"ix_experiments_{column}", "experiments", [column])


def _create_cells() -> None:
    op.create_table(
        "experiment_cells",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("experiment_id", sa.Integer(), nullable=False),
        text("name", 64),
        text("subject", 64),
        text("use", 16),
        sa.Column("base", sa.JSON(), nullable=True),
        sa.Column("head", sa.JSON(), nullable=True),
        text("run_id", 32),
        text("digest", 64),
        text("host", 128),
        text("host_class", 128),
        sa.Column("unusable", sa.Text(), nullable=True),
        *(sa.Column(name, sa.Double(), nullable=True) for name in ("ratio", "low", "high")),
        sa.Column("compressed", sa.LargeBinary(), nullable=False),
        time("received_at"),
        key("experiment_cells", "experiment_id", "experiments"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_experiment_cells")),
        sa.UniqueConstraint("experiment_id", "name", name=op.f("uq_experiment_cells_experiment_id_name")),
        sa.UniqueConstraint("run_id", name=op.f("uq_experiment_cells_run_id")),
    )


def downgrade() -> None:
    _known_to_the_older()
    op.drop_index("ix_jobs_experiment_id", "jobs")
    with op.batch_alter_table("jobs") as jobs:
        jobs.drop_constraint(op.f("fk_jobs_experiment_id_experiments"), type_="foreignkey")
        jobs.drop_column("experiment_id")
    op.drop_table("experiment_cells")
    op.drop_table("experiments")


def _known_to_the_older() -> None:
    """Keeps experiments, closed, as jobs of a reason that an older program knows."""
    op.execute(
        "UPDATE jobs SET state = 'cancelled', held = NULL, fence = fence + 1, finished_at = updated_at "
        "WHERE reason = 'experiment' AND finished_at IS NULL"
    )
    op.execute("UPDATE jobs SET reason = 'bisect' WHERE reason = 'experiment'")
