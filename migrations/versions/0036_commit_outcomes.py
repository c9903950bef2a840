# SPDX-License-Identifier: Apache-2.0
"""commit_outcomes: how many scenarios of a commit have each outcome; commits.paths: what a commit changes

The previous version adds runs without outcomes and is stopped first.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

stops_programs_before = "0036"


def upgrade() -> None:
    op.create_table(
        "commit_outcomes",
        sa.Column("commit_id", sa.Integer(), nullable=False),
        sa.Column("display", sa.String(length=16), nullable=False),
        sa.Column("scenarios", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("commit_id", "display"),
    )
    _fill()
    # After the rows: one check for all of them locks no commit.
    with op.batch_alter_table("commit_outcomes") as changed:
        changed.create_foreign_key(None, "commits", ["commit_id"], ["id"], ondelete="CASCADE")
    with op.batch_alter_table("commits") as commits:
        commits.add_column(sa.Column("paths", sa.Text(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("commits") as commits:
        commits.drop_column("paths")
    op.drop_table("commit_outcomes")


def _fill() -> None:
    """Of the newest run of each scenario, without those on other hosts, those with the parent first."""
    op.execute("""
        INSERT INTO commit_outcomes (commit_id, display, scenarios)
        SELECT commit_id, display, count(*) FROM (
            SELECT runs.commit_id, verdicts.display,
                row_number() OVER (
                    PARTITION BY runs.commit_id, runs.scenario_id
                    ORDER BY CASE WHEN runs.base_sha = commits.parent_sha THEN 0 ELSE 1 END,
                        runs.received_at DESC, runs.id DESC
                ) AS turn
            FROM runs
            JOIN verdicts ON verdicts.run_id = runs.id
            JOIN commits ON commits.id = runs.commit_id
            WHERE NOT runs.beside
        ) AS judged
        WHERE turn = 1
        GROUP BY commit_id, display
    """)
