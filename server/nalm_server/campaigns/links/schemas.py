# SPDX-License-Identifier: Apache-2.0
"""Links over distances, and what the comparisons of a scenario say about each other."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from nalm_server.base.schemas import NAME, Schema, Whole
from nalm_server.campaigns.backfill.schemas import Progress


class LinksState(StrEnum):
    """planning -> running -> one of the others."""

    PLANNING = "planning"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class LinksNew(Schema):
    scenario: Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=NAME)]
    most: Annotated[Whole, Field(ge=1, le=1000, description="Comparisons, those that gain most.")] = 100


class PlannedLink(Schema):
    """A comparison of two commits, and what it does to the error of their difference in the chain's
    cycles."""

    base_sha: str
    head_sha: str
    distance: int
    """In measured commits of the first parent."""
    why: Literal["distance", "release", "bridge"]
    """`bridge`: across a change of host, kernel or compiler."""
    host: str | None = None
    """The only host that makes it: of a bridge, one of the new or of the former environment; null: any."""
    error_before: float | None
    """Standard error of ln(head / base) by the links that there are; null: none connects the two."""
    error_after: float
    """The same with the link, if it is as exact as the others."""
    gain: float
    """Share of the variance that it takes."""


class LinksPlanNew(Schema):
    links_per_day: Annotated[Whole, Field(ge=0, le=200)] = Field(
        description="Comparisons over distances that idle hosts make each day; 0: none."
    )


class LinksPlan(Schema):
    """The standing plan of a project: comparisons that idle hosts make."""

    links_per_day: int
    next_at: datetime | None
    """Time from which the next ones are planned, when no job waits; null: never."""
    seconds_per_day: float | None
    """What they cost: median time of the project's last runs, times their number. Null: not known."""


class LinksCampaign(Schema):
    id: int
    project: str
    scenario: str
    most: int
    state: LinksState
    progress: Progress
    links: list[PlannedLink]
    """The planned ones, in order; empty in lists."""
    seconds_each: float | None
    """Cost of one comparison: median time of the scenario's last runs. Null: not known, and in lists."""
    message: str | None
    requested_by: str
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None


class Misfit(Schema):
    """A comparison that does not agree with all others."""

    kind: Literal["run", "control", "experiment"]
    run_id: str
    """Of its report."""
    host: str
    base_sha: str
    head_sha: str
    stage: str
    misfit: float
    """Its difference from what all others say, in standard errors of that difference."""
    weight: float
    """Its share of the weight that it would have; 1: all of it."""


class HostFit(Schema):
    """How well the comparisons of a host agree with those of all."""

    host: str
    links: int
    """Comparisons with another way between their ends."""
    misfit: float
    """Median of the absolute misfits, over that of a normal variable: 1 if errors are what runs say."""
    fits: bool


class LinkReport(Schema):
    """The links of a scenario: how well they agree, and which would make it more exact."""

    scenario: str
    host_class: str
    links: int
    """Comparisons of the chain's cycles."""
    checks: int
    """Those with another way between their ends."""
    scale: float
    """Factor by which errors are widened because cycles of links do not close."""
    misfits: list[Misfit]
    """Worst first."""
    hosts: list[HostFit]
    planned: list[PlannedLink]
    """Links over distances that would gain most, in order of gain."""
    seconds_each: float | None
    """As in LinksCampaign."""
