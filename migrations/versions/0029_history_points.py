# SPDX-License-Identifier: Apache-2.0
"""history_points: the run that a history shows at a commit

The previous version adds runs without points and is stopped first.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

stops_programs_before = "0029"

COLUMNS = (
    *("run_number", "run_id", "scenario_id", "host_class", "commit_id", "base_sha"),
    *("display", "cause", "stage", "ratio_cpp", "low", "high"),
)


def upgrade() -> None:
    op.create_table(
        "history_points",
        sa.Column("run_number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("scenario_id", sa.Integer(), nullable=False),
        sa.Column("host_class", sa.String(length=128), nullable=False),
        sa.Column("commit_id", sa.Integer(), nullable=False),
        sa.Column("base_sha", sa.String(length=64), nullable=True),
        sa.Column("display", sa.String(length=16), nullable=False),
        sa.Column("cause", sa.String(length=16), nullable=True),
        sa.Column("stage", sa.String(length=64), nullable=True),
        sa.Column("ratio_cpp", sa.Double(), nullable=True),
        sa.Column("low", sa.Double(), nullable=True),
        sa.Column("high", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("run_number"),
    )
    _fill()
    # After the rows: one check for all of them locks no run.
    with op.batch_alter_table("history_points") as changed:
        changed.create_foreign_key(None, "runs", ["run_number"], ["id"], ondelete="CASCADE")
    op.create_index(
        "ix_history_points_commit",
        "history_points",
        ["scenario_id", "host_class", "commit_id"],
        unique=True,
        postgresql_include=[
            *("run_number", "run_id", "base_sha", "display", "cause", "stage"),
            *("ratio_cpp", "low", "high"),
        ],
    )


def downgrade() -> None:
    op.drop_table("history_points")


def _fill() -> None:
    """The newest valid run of each commit, without those on other hosts."""
    columns = ", ".join(COLUMNS)
    op.execute(f"""
        INSERT INTO history_points ({columns})
        SELECT {columns} FROM (
            SELECT runs.id AS run_number, runs.run_id, scenario_id, host_class, commit_id, base_sha,
                display, cause, stage, ratio_cpp, low, high,
                row_number() OVER (
                    PARTITION BY scenario_id, host_class, commit_id ORDER BY received_at DESC, runs.id DESC
                ) AS place
            FROM runs JOIN verdicts ON verdicts.run_id = runs.id
            WHERE outcome <> 'invalid' AND NOT beside
        ) AS judged
        WHERE place = 1
        ORDER BY run_number
    """)
