# SPDX-License-Identifier: Apache-2.0
"""One metric of several scenarios, stages and branches over common commits, in columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Any

from nalm_core.report.catalogue import Metric
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.errors import InvalidError, NotFoundError
from nalm_server.git.refs import repository as refs
from nalm_server.git.refs.models import TagRow
from nalm_server.results.series.history_repository import HistoryCommit
from nalm_server.results.series.values import Figure
from nalm_server.views.history import chart_repository as repository
from nalm_server.views.history import functions
from nalm_server.views.history.service import (
    FoundLine,
    HistoryRequest,
    Line,
    Shown,
    Target,
    find_target,
    lines_of,
    metric_for,
    read,
)

MOST_FIGURES = 400_000
"""Maximum per answer: 20 series over 10,000 commits, and as many again."""
MOST_RELEASES = 500
LONGEST = 10_000
"""Maximum number of commits."""
NO_FIGURE = (None, None, None, None)


@dataclass(frozen=True)
class LinesRequest:
    scenarios: list[str]
    metrics: list[str]
    history: HistoryRequest
    branches: list[str] = field(default_factory=list)
    """Empty: the default branch."""
    with_measured: bool = True
    """False: without the values as each run measured them."""


@dataclass(frozen=True)
class Branched:
    """A scenario's line, on one branch if requested."""

    found: FoundLine
    branch: str | None


@dataclass(frozen=True)
class Prepared:
    """What lines are made of, but for the values of their series."""

    targets: list[Target]
    history: HistoryRequest
    """With runs of other branches, too, if some are requested."""
    shown: Shown
    tags: list[TagRow]


def prepare(session: Session, project: ProjectRow, request: LinesRequest) -> Prepared:
    """Raises NotFoundError for unknown names, InvalidError if the answer would be too large."""
    targets = [find_target(session, project, name, request.history) for name in request.scenarios]
    _require_bounded(targets, request)
    widest = (
        replace(request.history, limit=LONGEST, every_branch=True) if request.branches else request.history
    )
    shown = read(session, project, targets, widest)
    return Prepared(targets, widest, shown, refs.tags(session, project.id, MOST_RELEASES))


def lines(
    session: Session, project: ProjectRow, request: LinesRequest, prepared: Prepared | None = None
) -> list[dict[str, Any]]:
    """schemas.Lines of each metric as plain values. Raises as `prepare` does, and NotFoundError for unknown
    metrics and functions."""
    metrics = [metric_for(session, project, name, request.history) for name in request.metrics]
    prepared = prepared or prepare(session, project, request)
    of_metrics = _found(session, project, request, metrics, prepared)
    for of_metric in of_metrics:
        functions.require_known(
            request.history.functions, [name for one in of_metric for name in one.found.line.stages]
        )
    commits = _commits([one.found.line for one in of_metrics[0]])
    places = {one.id: place for place, one in enumerate(commits)}
    place_of = {one.sha: place for place, one in enumerate(commits)}
    shared = {
        "commits": {
            "sha": [one.sha for one in commits],
            "subject": [one.subject for one in commits],
            "committed_at": [one.committed_at for one in commits],
        },
        "releases": [
            {"name": tag.name, "at": place_of[tag.sha]} for tag in prepared.tags if tag.sha in place_of
        ],
    }
    return [
        {
            "metric": metric,
            "lines": [_columns(one, places, with_measured=request.with_measured) for one in of_metric],
            **shared,
        }
        for metric, of_metric in zip(metrics, of_metrics, strict=True)
    ]


def _found(
    session: Session,
    project: ProjectRow,
    request: LinesRequest,
    metrics: Sequence[Metric],
    prepared: Prepared,
) -> list[list[Branched]]:
    """By metric."""
    branches = {name: _shas_of(session, project.id, name) for name in request.branches}
    by_metric = lines_of(session, project, prepared.targets, prepared.history, metrics, shown=prepared.shown)
    return [
        [one for found in of_metric for one in _on_each(found, branches, request.history.limit)]
        for of_metric in by_metric
    ]


def _require_bounded(targets: Sequence[Target], request: LinesRequest) -> None:
    """Checks before large reads. All runs of a commit count, though only the newest is shown."""
    figures = sum(min(one.runs, request.history.limit) * one.series(request.history) for one in targets)
    figures *= max(1, len(request.branches))
    if figures > MOST_FIGURES:
        raise InvalidError(
            f"The request has {figures:,} figures, at most {MOST_FIGURES:,} are allowed: choose fewer "
            "scenarios, stages or branches, or a smaller limit."
        )


def _on_each(found: FoundLine, branches: Mapping[str, set[str]], limit: int) -> Iterator[Branched]:
    """branches: the commits of each; empty: the line as found."""
    if not branches:
        yield Branched(found, None)
    for name, shas in branches.items():
        yield Branched(replace(found, line=_along(found.line, shas, limit)), name)


def _shas_of(session: Session, project_id: int, name: str) -> set[str]:
    row = refs.find_branch(session, project_id, name)
    if row is None or row.deleted_at is not None:
        raise NotFoundError(f"There is no watched branch {name!r}.")
    return repository.first_parents(session, project_id, row.sha, LONGEST)


def _along(line: Line, shas: set[str], limit: int) -> Line:
    commit_ids = line.runs.commit_id
    places = [place for place, number in enumerate(commit_ids) if line.commits[number].sha in shas]
    return replace(
        line,
        runs=line.runs.at(places[-limit:]),
        change_points=[one for one in line.change_points if one.sha in shas],
        segments=[one for one in line.segments if one["sha"] in shas],
        environments=[one for one in line.environments if one["sha"] in shas],
    )


def _commits(found: Sequence[Line]) -> list[HistoryCommit]:
    """The commits of all lines, along the first parent."""
    shown = {commit_id for line in found for commit_id in line.runs.commit_id}
    return [one for number, one in found[0].commits.items() if number in shown]


def _columns(one: Branched, places: dict[int, int], *, with_measured: bool) -> dict[str, Any]:
    line = one.found.line
    runs = line.runs
    return {
        "scenario": one.found.scenario.name,
        "branch": one.branch,
        "host_class": one.found.host_class,
        "at": [places[commit_id] for commit_id in runs.commit_id],
        "run_id": runs.run_id,
        "base_sha": runs.base_sha,
        "display": runs.display,
        "ratio_cpp": runs.ratio_cpp,
        "low": runs.low,
        "high": runs.high,
        "stages": [_stage(name, line, with_measured=with_measured) for name in line.stages],
        "environments": line.environments,
        "missing": line.missing,
        "change_points": line.change_points,
        "segments": line.segments,
    }


def _stage(name: str, line: Line, *, with_measured: bool) -> dict[str, Any]:
    stage, function = functions.split(name)
    value, low, high = _edges(line, line.figures.get(name, {}))
    measured = {}
    if with_measured:
        edges = _edges(line, line.measured.get(name, {}))
        measured = dict(zip(("measured", "measured_low", "measured_high"), edges, strict=True))
    same = line.same_features.get(name)
    return {
        "stage": stage,
        "function": function,
        "linked": name in line.linked,
        "value": value,
        "low": low,
        "high": high,
        **measured,
        "same_features": None if same is None else list(map(same.get, line.runs.run_number)),
    }


def _edges(line: Line, figures: Mapping[int, Figure]) -> Iterator[list[Any]]:
    """Columns of value, low and high, with None for a run without the figure."""
    found = map(figures.get, line.runs.run_number, repeat(NO_FIGURE))
    columns = [list(column) for column in zip(*found, strict=True)]
    return iter(columns[:3] if columns else [[], [], []])
