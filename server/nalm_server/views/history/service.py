# SPDX-License-Identifier: Apache-2.0
"""Scenarios and the history of a metric."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Any

from nalm_core.report.catalogue import Metric
from nalm_core.text.commit_name import short
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.errors import NotFoundError
from nalm_server.changepoints import service as judgement
from nalm_server.changepoints.schemas import ChangePoint
from nalm_server.features.repository import run_features
from nalm_server.features.scale import normalised, scale_of
from nalm_server.results.series import history_repository, repository
from nalm_server.results.series.history_repository import NO_RUNS, HistoryCommit, HistoryRuns
from nalm_server.results.series.metrics import metric_named
from nalm_server.results.series.models import ScenarioRow
from nalm_server.results.series.repository import ImportedValue, SeriesName, StoredValues
from nalm_server.results.series.values import Figure, Figures, Value
from nalm_server.views.history import functions, linked_lines
from nalm_server.views.history.schemas import FunctionSummary, ImportedPoint, ScenarioSummary

CHAIN = "chain"
NCPP = "ncpp"
ASK_FUNCTIONS = "Only C functions have this metric: choose at least one."


def list_scenarios(session: Session, project: ProjectRow) -> list[ScenarioSummary]:
    rows = repository.list_scenarios(session, project.id)
    classes = repository.host_classes(session, [row.id for row in rows])
    return [
        ScenarioSummary(
            name=row.name,
            stages=row.stages,
            model=row.model,
            lcores=row.lcores,
            traffic=row.traffic,
            load=row.load,
            host_classes=list(classes.get(row.id, {})),
            runs=sum(classes.get(row.id, {}).values()),
        )
        for row in rows
    ]


@dataclass(frozen=True)
class HistoryRequest:
    """Parameters of a scenario's history."""

    metric: str
    host_class: str | None
    limit: int
    stages: list[str] = field(default_factory=list)
    """Empty: chain and all stages, unless functions are given."""
    functions: list[str] = field(default_factory=list)
    """`STAGE>FUNCTION`."""
    every_branch: bool = False
    """False: only the default branch's commits."""
    linked: bool = True
    """False: values as each run measured them."""


def history(session: Session, project: ProjectRow, scenario: str, request: HistoryRequest) -> dict[str, Any]:
    """schemas.History as plain values: ten thousand objects would take most of the time."""
    target = find_target(session, project, scenario, request)
    (found,) = lines_of(session, project, [target], request)
    functions.require_known(request.functions, found.line.stages)
    return {
        "metric": target.metric,
        "scenario": found.scenario.name,
        "host_class": found.host_class,
        "host_classes": found.host_classes,
        **_plain(found.line),
        "imported": _imported(repository.imported(session, found.scenario.id, request.metric)),
    }


@dataclass(frozen=True)
class Target:
    """A scenario on one host class."""

    scenario: ScenarioRow
    classes: dict[str, int]
    """Number of runs by host class, the class of the newest run first."""
    host_class: str | None
    """The selected class; None: the scenario has no valid run."""
    metric: Metric

    @property
    def runs(self) -> int:
        return self.classes[self.host_class] if self.host_class is not None else 0

    def series(self, request: HistoryRequest) -> int:
        """Number of requested series."""
        return len(request.stages) + len(request.functions) or 1 + len(self.scenario.stages)


def find_target(session: Session, project: ProjectRow, scenario: str, request: HistoryRequest) -> Target:
    """Raises NotFoundError for unknown names."""
    metric = metric_named(session, project.id, request.metric)
    if request.functions:
        functions.require_metric(request.metric)
    row, classes, shown = _find_scenario(session, project, scenario, request.host_class)
    return Target(row, classes, shown, metric)


def lines_of(
    session: Session, project: ProjectRow, targets: Sequence[Target], request: HistoryRequest
) -> list[FoundLine]:
    """Raises NotFoundError for unknown stages."""
    measured = [(one.scenario.id, one.host_class) for one in targets if one.host_class is not None]
    histories, commits = history_repository.read(
        session, project.id, measured, request.limit, every_branch=request.every_branch
    )
    found = []
    for target in targets:
        row, shown = target.scenario, target.host_class
        line = Line([CHAIN, *row.stages], histories.get(row.id, NO_RUNS), commits)
        if shown is not None:
            of_metric = _ncpp if request.metric == NCPP else _line
            measured_scenario = MeasuredScenario(project, row, shown, target.metric)
            line = of_metric(session, measured_scenario, line, request)
        found.append(FoundLine(row, shown, list(target.classes), line))
    return found


def _find_scenario(
    session: Session, project: ProjectRow, scenario: str, host_class: str | None
) -> tuple[ScenarioRow, dict[str, int], str | None]:
    """The scenario, its classes, and the selected one."""
    row = repository.find_scenario(session, project.id, scenario)
    if row is None:
        raise NotFoundError(f"Project {project.name!r} has no run of a scenario {scenario!r}.")
    classes = repository.host_classes(session, [row.id]).get(row.id, {})
    if host_class is not None and host_class not in classes:
        raise NotFoundError(f"Scenario {scenario!r} has no run on host class {host_class!r}.")
    return row, classes, host_class or next(iter(classes), None)


def list_functions(
    session: Session,
    project: ProjectRow,
    scenario: str,
    *,
    host_class: str | None,
    part: str | None,
    limit: int,
) -> list[FunctionSummary]:
    """C functions with a history. Raises NotFoundError for unknown names."""
    row, _, shown = _find_scenario(session, project, scenario, host_class)
    if shown is None:
        return []
    return functions.list_functions(session, row.id, shown, part, limit)


@dataclass(frozen=True)
class MeasuredScenario:
    """A scenario with runs on a host class."""

    project: ProjectRow
    scenario: ScenarioRow
    host_class: str
    metric: Metric


@dataclass
class Line:
    """The stages shown; one run for each commit, along the first parent, with their figures."""

    stages: list[str]
    runs: HistoryRuns
    commits: Mapping[int, HistoryCommit]
    """By id, along the first parent, also those of the other lines."""
    figures: Figures = field(default_factory=dict)
    """On one scale, if links give one, else as measured."""
    measured: Figures = field(default_factory=dict)
    """As each run measured them."""
    same_features: dict[str, dict[int, float]] = field(default_factory=dict)
    """By stage and run number: `figures` without the prices of added features; only where there are any."""
    linked: set[str] = field(default_factory=set)
    """Stages whose figures are on one scale."""
    environments: list[dict[str, Any]] = field(default_factory=list)
    change_points: list[ChangePoint] = field(default_factory=list)
    segments: list[dict[str, Any]] = field(default_factory=list)
    missing: str | None = None
    """Why there is no NCPP, or no figure without a function."""


@dataclass(frozen=True)
class FoundLine:
    """A scenario's line, with its host classes, the class of the newest run first."""

    scenario: ScenarioRow
    host_class: str | None
    host_classes: list[str]
    line: Line


def _line(session: Session, of: MeasuredScenario, line: Line, request: HistoryRequest) -> Line:
    series = _series(session, of, request)
    counted = {}
    if request.functions:
        counted = functions.names_of(session, of.scenario.id, of.host_class, request.functions)
    runs = line.runs
    since = min(runs.run_number, default=0)
    figures = _figures(repository.values(session, series, since), series) if runs else {}
    stages = _stages(of.scenario, request, figures)
    if runs:
        functions.add_values(session, figures, counted, request.metric, since)
    known = {name for name, _ in counted.values()}
    stages += [name for name in dict.fromkeys(request.functions) if name in known]
    shas = {line.commits[commit_id].sha for commit_id in runs.commit_id}
    points = judgement.of_history(session, of.project.id, list(series))
    segments = judgement.segments(session, of.scenario.id, of.host_class)
    if request.linked and runs:
        line = linked_lines.with_links(session, of, replace(line, measured=figures), request)
    return replace(
        line,
        stages=stages,
        figures={**figures, **line.figures},
        measured=figures,
        change_points=[one for one in points if one.sha in shas],
        segments=[one for one in segments if one["sha"] in shas],
        missing=_missing(of, request, figures),
    )


def _missing(of: MeasuredScenario, request: HistoryRequest, figures: Figures) -> str | None:
    """Why nothing is shown, if the request explains it."""
    if request.functions:
        sampled = request.metric in ("cpp", "eipc") and not request.stages
        return functions.NOT_SAMPLED if sampled and not figures else None
    return ASK_FUNCTIONS if of.metric.scopes == ("function",) else None


def _series(session: Session, of: MeasuredScenario, request: HistoryRequest) -> dict[int, SeriesName]:
    """Series of the requested stages; none if only functions are requested."""
    if request.functions and not request.stages:
        return {}
    row = of.scenario
    series = repository.series_of_metric(session, row.id, of.host_class, request.metric)
    if not request.stages:
        return series
    known = {CHAIN, *row.stages, *(one.stage for one in series.values())}
    _require_stages(row.name, request.stages, known)
    return {number: one for number, one in series.items() if one.stage in request.stages}


def _stages(row: ScenarioRow, request: HistoryRequest, figures: Figures) -> list[str]:
    if request.stages or request.functions:
        return list(dict.fromkeys(request.stages))
    ours = [CHAIN, *row.stages]
    others = figures.keys() - set(ours)
    return [*ours, *sorted(others)]


def _ncpp(session: Session, of: MeasuredScenario, line: Line, request: HistoryRequest) -> Line:
    """The chain's CPP relative to the reference's cost model: computed on read, so that a new model applies
    to old runs."""
    row, host_class = of.scenario, of.host_class
    _require_stages(row.name, request.stages, {CHAIN})
    line = _line(session, of, line, replace(request, metric="cpp", stages=[CHAIN]))
    scale = scale_of(session, of.project, row.name, host_class)
    features = run_features(session, row.id, host_class) if scale.model else {}
    run_ids = dict(zip(line.runs.run_number, line.runs.run_id, strict=True))
    ncpp, measured = (normalised(scale, one, run_ids, features) for one in (line.figures, line.measured))
    return replace(line, figures=ncpp, measured=measured, same_features={}, missing=scale.missing)


def _require_stages(scenario: str, stages: list[str], known: set[str]) -> None:
    for stage in stages:
        if stage not in known:
            raise NotFoundError(
                f"Scenario {scenario!r} has no stage {stage!r}: the stages are {', '.join(sorted(known))}."
            )


def _imported(found: list[ImportedValue]) -> list[ImportedPoint]:
    points: dict[int, ImportedPoint] = {}
    for one in found:
        point = points.setdefault(
            one.run_number,
            ImportedPoint(
                sha=one.sha, short_sha=short(one.sha), host_class=one.host_class, at=one.at, values={}
            ),
        )
        point.values[one.stage] = Value(value=one.value, low=one.low, high=one.high, source=one.source)
    return list(points.values())


def _figures(found: Iterable[StoredValues], series: dict[int, SeriesName]) -> Figures:
    by_stage: Figures = defaultdict(dict)
    for series_id, run_numbers, values, lows, highs in found:
        stage, source = series[series_id]
        by_stage[stage].update(zip(run_numbers, zip(values, lows, highs, repeat(source)), strict=False))
    return by_stage


def _plain(line: Line) -> dict[str, Any]:
    runs, commits = line.runs, map(line.commits.__getitem__, line.runs.commit_id)
    values, measured = (_by_commit(line, figures) for figures in (line.figures, line.measured))
    columns = (runs.base_sha, runs.run_id, runs.display, runs.cause, runs.stage)
    return {
        "stages": line.stages,
        "linked": sorted(line.linked),
        "points": [
            _point(commit, run, of_commit, as_measured)
            for commit, of_commit, as_measured, *run in zip(commits, values, measured, *columns, strict=False)
        ],
        "environments": line.environments,
        "change_points": line.change_points,
        "segments": line.segments,
        "missing": line.missing,
    }


def _values(figures: Iterable[Figure | None]) -> list[dict[str, Any] | None]:
    """As schemas.Value."""
    return [one and {"value": one[0], "low": one[1], "high": one[2], "source": one[3]} for one in figures]


def _by_commit(line: Line, figures: Figures) -> Iterator[dict[str, Any]]:
    of_stages = [_values(map(figures.get(stage, {}).get, line.runs.run_number)) for stage in line.stages]
    if not of_stages:
        return repeat({})
    return (dict(zip(line.stages, values, strict=True)) for values in zip(*of_stages, strict=True))


def _point(
    commit: HistoryCommit,
    run: Sequence[str | None],
    values: dict[str, Any],
    measured: dict[str, Any],
) -> dict[str, Any]:
    base_sha, run_id, display, cause, stage = run
    return {
        "sha": commit.sha,
        "short_sha": short(commit.sha),
        "subject": commit.subject,
        "committed_at": commit.committed_at,
        "parent_sha": commit.parent_sha,
        "base_sha": base_sha,
        "run_id": run_id,
        "display": display,
        "cause": cause,
        "culprit_stage": stage,
        "values": values,
        "measured": measured,
    }
