# SPDX-License-Identifier: Apache-2.0
"""Experiments as the API shows and accepts them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from nalm_core.experiments.result import Result
from nalm_core.rates.experiments.load_experiments import LoadResult
from nalm_core.report.cell import Kind, Use
from nalm_core.report.run_report import RunDefinition
from nalm_core.wire.load_parameters import NO_PARAMETERS, LoadParameters
from pydantic import Field, StringConstraints, TypeAdapter

from nalm_server.base.schemas import NAME, Real, Schema
from nalm_server.jobs.schemas import Revision


class ExperimentState(StrEnum):
    """queued -> running -> one of the others; `failed` and `cancelled` go back to queued when retried."""

    QUEUED = "queued"
    RUNNING = "running"
    """An agent has its job, or some cells are stored."""
    DONE = "done"
    FAILED = "failed"
    """No cell is usable."""
    CANCELLED = "cancelled"


ExperimentDocument = Annotated[Result | LoadResult, Field(discriminator="kind")]
RESULT: TypeAdapter[ExperimentDocument] = TypeAdapter(ExperimentDocument)

TableName = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=NAME)]


class ExperimentNew(Schema):
    kind: Kind
    revision: Revision | None = Field(default=None, description="Null: the tip of the default branch.")
    names: Annotated[list[TableName], Field(max_length=100)] = Field(
        default_factory=list,
        description="Scenarios, ablations, chains, queues, flows or roles of nalm.toml; empty: all of its "
        "tables.",
    )
    cell_seconds: Annotated[Real, Field(gt=0, le=3600)] | None = Field(
        default=None,
        description="Seconds for the rounds of a cell, for a load or a trial; null: the agent's default.",
    )
    parameters: LoadParameters = Field(
        default=NO_PARAMETERS,
        description="Of an experiment under load, in place of the defaults; each kind has some of them.",
    )


class Experiment(Schema):
    id: int
    project: str
    kind: Kind
    sha: str
    names: list[str]
    cell_seconds: float | None
    parameters: LoadParameters
    state: ExperimentState
    host_class: str | None
    """Null: nothing is measured yet."""
    cells: int
    """Number of cells stored so far."""
    message: str | None
    requested_by: str
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None


class TakenCell(Schema):
    number: int
    """Number of its report."""
    name: str
    subject: str
    use: Use
    base: RunDefinition | None
    head: RunDefinition | None
    run_id: str
    host: str
    unusable: str | None
    """Why the cell has no ratio."""
    ratio: float | None
    """CPP of head / base, and its interval."""
    low: float | None
    high: float | None
    received_at: datetime


class ExperimentDetail(Experiment):
    job_id: int | None
    taken: list[TakenCell]
    """In the order of their upload."""
    result: ExperimentDocument | None
    """Result of the cells so far; `partial` says whether cells are missing. Of experiments under load: by
    table of nalm.toml, once the job is done."""
