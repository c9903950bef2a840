# SPDX-License-Identifier: Apache-2.0
"""Experiments are campaigns

Moves the rows and drops their tables: the previous version is stopped first, so that nothing it stores in
between is lost.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

stops_programs_before = "0026"

ACTIVE = "e.state IN ('queued', 'running')"
SHARED = "project_id, state, message, requested_by, created_at, updated_at, finished_at"
OF_KIND = "c.kind = 'experiment'"
NEWEST_JOB = "(SELECT max(j.id) FROM jobs j WHERE j.experiment_id = e.id)"


def _is_sqlite() -> bool:
    return op.get_context().dialect.name == "sqlite"


def _object(**values: str) -> str:
    """A JSON object of SQL expressions."""
    pairs = ", ".join(f"'{name}', {value}" for name, value in values.items())
    return f"json_object({pairs})" if _is_sqlite() else f"json_build_object({pairs})"


def _json(column: str) -> str:
    """A column of JSON within an object."""
    return f"json({column})" if _is_sqlite() else column


def _real(column: str) -> str:
    """With all its digits: SQLite writes fifteen of seventeen."""
    if not _is_sqlite():
        return column
    return f"CASE WHEN {column} IS NULL THEN NULL ELSE json(printf('%!.17g', {column})) END"


def _text(document: str, name: str) -> str:
    return f"json_extract({document}, '$.{name}')" if _is_sqlite() else f"{document} ->> '{name}'"


def _part(document: str, name: str) -> str:
    """JSON within JSON; a JSON null becomes NULL."""
    if _is_sqlite():
        return f"json_extract({document}, '$.{name}')"
    return f"CASE WHEN {document} ->> '{name}' IS NULL THEN NULL ELSE {document} -> '{name}' END"


def upgrade() -> None:
    _take_experiments()
    _cells_of_campaigns()
    op.drop_index("ix_jobs_experiment_id", "jobs")
    with op.batch_alter_table("jobs") as jobs:
        jobs.drop_constraint(op.f("fk_jobs_experiment_id_experiments"), type_="foreignkey")
        jobs.drop_column("experiment_id")
    op.drop_table("experiments")


def _take_experiments() -> None:
    spec = _object(
        sha="k.sha",
        kind="e.kind",
        names=_json("e.names"),
        seed="e.seed",
        cell_seconds=_real("e.cell_seconds"),
    )
    result = _object(host_class="e.host_class", fitted_cells="e.fitted_cells", document=_json("e.result"))
    shared = ", ".join(f"e.{name}" for name in SHARED.split(", "))
    op.execute(
        f"INSERT INTO campaigns (kind, number, active, spec, result, tries, {SHARED}) "
        f"SELECT 'experiment', e.id, {ACTIVE}, {spec}, {result}, 0, {shared} "
        "FROM experiments e JOIN commits k ON k.id = e.commit_id ORDER BY e.id"
    )
    op.execute(
        "INSERT INTO campaign_steps (campaign_id, ordinal, state, base_sha, head_sha, budget_seconds, "
        "job_id, detail, started_at, finished_at) "
        "SELECT c.id, 0, CASE WHEN e.state IN ('queued', 'running') THEN 'queued' "
        "WHEN e.state = 'done' THEN 'done' ELSE 'failed' END, k.sha, k.sha, e.cell_seconds, "
        f"{NEWEST_JOB}, '{{}}', e.created_at, e.finished_at FROM experiments e "
        f"JOIN commits k ON k.id = e.commit_id JOIN campaigns c ON {OF_KIND} AND c.number = e.id "
        "ORDER BY e.id"
    )
    op.execute(
        f"UPDATE jobs SET campaign_id = (SELECT c.id FROM campaigns c WHERE {OF_KIND} "
        "AND c.number = jobs.experiment_id) WHERE experiment_id IS NOT NULL"
    )


def _move_cells(old: str, new: str, table: str, value: str) -> None:
    """Makes cells refer to `table` by the column `new`, filled with an expression, instead of `old`."""
    other = "experiments" if old == "experiment_id" else "campaigns"
    op.add_column("experiment_cells", sa.Column(new, sa.Integer(), nullable=True))
    op.execute(f"UPDATE experiment_cells SET {new} = {value}")
    with op.batch_alter_table("experiment_cells") as cells:
        cells.drop_constraint(op.f(f"uq_experiment_cells_{old}_name"), type_="unique")
        cells.drop_constraint(op.f(f"fk_experiment_cells_{old}_{other}"), type_="foreignkey")
        cells.drop_column(old)
        cells.alter_column(new, existing_type=sa.Integer(), nullable=False)
        cells.create_foreign_key(
            op.f(f"fk_experiment_cells_{new}_{table}"), table, [new], ["id"], ondelete="CASCADE"
        )
        cells.create_unique_constraint(op.f(f"uq_experiment_cells_{new}_name"), [new, "name"])


def _cells_of_campaigns() -> None:
    value = f"(SELECT c.id FROM campaigns c WHERE {OF_KIND} AND c.number = experiment_cells.experiment_id)"
    _move_cells("experiment_id", "campaign_id", "campaigns", value)


def downgrade() -> None:
    _create_experiments()
    _give_experiments()
    value = "(SELECT c.number FROM campaigns c WHERE c.id = experiment_cells.campaign_id)"
    _move_cells("campaign_id", "experiment_id", "experiments", value)
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
    op.execute(
        "UPDATE jobs SET experiment_id = (SELECT c.number FROM campaigns c WHERE c.id = jobs.campaign_id "
        f"AND {OF_KIND}) WHERE campaign_id IS NOT NULL"
    )
    moved = "(SELECT id FROM campaigns WHERE kind = 'experiment')"
    op.execute(f"UPDATE jobs SET campaign_id = NULL WHERE campaign_id IN {moved}")
    op.execute(f"DELETE FROM campaign_steps WHERE campaign_id IN {moved}")
    op.execute("DELETE FROM campaigns WHERE kind = 'experiment'")


def text(name: str, length: int, *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.String(length=length), nullable=nullable)


def time(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def key(column: str, target: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_experiments_{column}_{target}")
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete="CASCADE")


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
        key("project_id", "projects"),
        key("commit_id", "commits"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_experiments")),
    )
    for column in ("project_id", "commit_id", "state"):
        op.create_index(f"ix_experiments_{column}", "experiments", [column])


def _give_experiments() -> None:
    shared = ", ".join(f"c.{name}" for name in SHARED.split(", "))
    op.execute(
        f"INSERT INTO experiments (id, commit_id, kind, names, seed, cell_seconds, host_class, fitted_cells, "
        f"result, {SHARED}) "
        f"SELECT c.number, k.id, {_text('c.spec', 'kind')}, {_part('c.spec', 'names')}, "
        f"CAST({_text('c.spec', 'seed')} AS INTEGER), "
        f"CAST({_text('c.spec', 'cell_seconds')} AS DOUBLE PRECISION), {_text('c.result', 'host_class')}, "
        f"CAST({_text('c.result', 'fitted_cells')} AS INTEGER), {_part('c.result', 'document')}, {shared} "
        "FROM campaigns c JOIN commits k ON k.project_id = c.project_id "
        f"AND k.sha = {_text('c.spec', 'sha')} WHERE {OF_KIND} ORDER BY c.number"
    )
    if not _is_sqlite():
        op.execute(
            "SELECT setval(pg_get_serial_sequence('experiments', 'id'), "
            "(SELECT coalesce(max(id), 0) + 1 FROM experiments), false)"
        )
