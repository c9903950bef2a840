# SPDX-License-Identifier: Apache-2.0
"""Scenarios and the history of a metric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Any, NamedTuple

from nalm_core.report.catalogue import Metric
from nalm_core.text.commit_name import short
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.errors import NotFoundError
from nalm_server.changepoints.schemas import ChangePoint
from nalm_server.features.linked_chain import linked_chain
from nalm_server.features.repository import run_features
from nalm_server.features.scale import Scale, normalised, scale_of
from nalm_server.results.series import history_repository, repository
from nalm_server.results.series.entry import CHAIN
from nalm_server.results.series.history_repository import NO_RUNS, HistoryCommit, HistoryRuns
from nalm_server.results.series.metrics import metric_named
from nalm_server.results.series.models import ScenarioRow
from nalm_server.results.series.repository import ImportedValue
from nalm_server.results.series.values import Figure, Figures, Value
from nalm_server.views.history import functions, linked_lines
from nalm_server.views.history.scenario_data import NCPP, OF_NCPP, ScenarioData, Stored
from nalm_server.views.history.schemas import FunctionSummary, ImportedPoint, ScenarioSummary

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


def history(
    session: Session, project: ProjectRow, scenario: str, metric: str, request: HistoryRequest
) -> dict[str, Any]:
    """schemas.History as plain values: ten thousand objects would take most of the time."""
    target = find_target(session, project, scenario, request)
    of = metric_for(session, project, metric, request)
    ((found,),) = lines_of(session, project, [target], request, [of])
    functions.require_known(request.functions, found.line.stages)
    return {
        "metric": of,
        "scenario": found.scenario.name,
        "host_class": found.host_class,
        "host_classes": found.host_classes,
        **_plain(found.line),
        "imported": _imported(repository.imported(session, found.scenario.id, metric)),
    }


@dataclass(frozen=True)
class Target:
    """A scenario on one host class."""

    scenario: ScenarioRow
    classes: dict[str, int]
    """Number of runs by host class, the class of the newest run first."""
    host_class: str | None
    """The selected class; None: the scenario has no valid run."""

    @property
    def runs(self) -> int:
        return self.classes[self.host_class] if self.host_class is not None else 0

    def series(self, request: HistoryRequest) -> int:
        """Number of requested series."""
        return len(request.stages) + len(request.functions) or 1 + len(self.scenario.stages)


def metric_for(session: Session, project: ProjectRow, name: str, request: HistoryRequest) -> Metric:
    """The metric. Raises NotFoundError, and InvalidError if the requested functions do not have it."""
    metric = metric_named(session, project.id, name)
    if request.functions:
        functions.require_metric(name)
    return metric


def find_target(session: Session, project: ProjectRow, scenario: str, request: HistoryRequest) -> Target:
    """Raises NotFoundError for unknown names."""
    return Target(*_find_scenario(session, project, scenario, request.host_class))


class Shown(NamedTuple):
    """The runs and commits of lines."""

    histories: dict[int, HistoryRuns]
    """By scenario."""
    commits: dict[int, HistoryCommit]
    """By id, along the first parent."""


def read(session: Session, project: ProjectRow, targets: Sequence[Target], request: HistoryRequest) -> Shown:
    measured = [(one.scenario.id, one.host_class) for one in targets if one.host_class is not None]
    found = history_repository.read(
        session, project.id, measured, request.limit, every_branch=request.every_branch
    )
    return Shown(*found)


def lines_of(
    session: Session,
    project: ProjectRow,
    targets: Sequence[Target],
    request: HistoryRequest,
    metrics: Sequence[Metric],
    *,
    shown: Shown | None = None,
) -> list[list[FoundLine]]:
    """By metric, the targets' lines. What metrics share is read once. shown: what `read` found, if it was
    called already. Raises NotFoundError for unknown stages."""
    histories, commits = shown or read(session, project, targets, request)
    found: list[list[FoundLine]] = [[] for _ in metrics]
    for target in targets:
        row, host_class = target.scenario, target.host_class
        plain = Line([CHAIN, *row.stages], histories.get(row.id, NO_RUNS), commits)
        names = [metric.name for metric in metrics]
        data = (
            ScenarioData(session, project, (row, host_class), plain.runs, request=request, metrics=names)
            if host_class
            else None
        )
        for lines, metric in zip(found, metrics, strict=True):
            line = plain if data is None else (_ncpp if metric.name == NCPP else _line)(data, plain, metric)
            lines.append(FoundLine(row, host_class, list(target.classes), line))
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


def _line(data: ScenarioData, plain: Line, metric: Metric) -> Line:
    stages = data.request.stages
    stored = _stored(data, metric.name, stages)
    return _drawn(data, plain, metric, stored, name=metric.name, stages=stages)


def _stored(data: ScenarioData, metric: str, stages: Sequence[str]) -> Stored:
    """Series of the requested stages; none if only functions are requested."""
    stored = data.stored[metric]
    if data.request.functions and not stages:
        return Stored()
    if not stages:
        return stored
    _require_stages(data.scenario.name, stages, {CHAIN, *data.scenario.stages, *stored.stages})
    return stored.of_stages(stages)


def _drawn(
    data: ScenarioData, plain: Line, metric: Metric, stored: Stored, *, name: str, stages: Sequence[str]
) -> Line:
    """name: of the stored metric; metric: the requested one."""
    request, runs = data.request, plain.runs
    figures = stored.figures() if runs else {}
    shown = _stages(data, stages, figures)
    if runs:
        functions.add_values(figures, data.function_names, data.function_values, name)
    known = {one for one, _ in data.function_names.values()}
    shown += [one for one in dict.fromkeys(request.functions) if one in known]
    shas = {plain.commits[commit_id].sha for commit_id in runs.commit_id}
    line = replace(plain, measured=figures)
    if request.linked and runs:
        line = linked_lines.with_links(data, line, name, stages)
    return replace(
        line,
        stages=shown,
        figures={**figures, **line.figures},
        change_points=[one for one in stored.change_points if one.sha in shas],
        segments=[one for one in data.segments if one["sha"] in shas],
        missing=_missing(request, metric, stages, figures),
    )


def _missing(request: HistoryRequest, metric: Metric, stages: Sequence[str], figures: Figures) -> str | None:
    """Why nothing is shown, if the request explains it."""
    if request.functions:
        sampled = metric.name in ("cpp", "eipc") and not stages
        return functions.NOT_SAMPLED if sampled and not figures else None
    return ASK_FUNCTIONS if metric.scopes == ("function",) else None


def _stages(data: ScenarioData, stages: Sequence[str], figures: Figures) -> list[str]:
    if stages or data.request.functions:
        return list(dict.fromkeys(stages))
    ours = [CHAIN, *data.scenario.stages]
    others = figures.keys() - set(ours)
    return [*ours, *sorted(others)]


def _ncpp(data: ScenarioData, plain: Line, metric: Metric) -> Line:
    """The chain's CPP relative to the reference's cost model: computed on read, so that a new model applies
    to old runs. A linked history is that of CPP in another unit, that of the model."""
    row, host_class = data.scenario, data.host_class
    _require_stages(row.name, data.request.stages, {CHAIN})
    stored = data.stored[OF_NCPP].of_stages([CHAIN])
    line = _drawn(data, plain, metric, stored, name=OF_NCPP, stages=[CHAIN])
    scale = scale_of(data.session, data.project, row.name, host_class)
    features = run_features(data.session, row.id, host_class) if scale.model else {}
    run_ids = dict(zip(line.runs.run_number, line.runs.run_id, strict=True))
    levels = _levels(data, line, scale) if line.linked else {}
    figures = {CHAIN: {**line.measured.get(CHAIN, {}), **levels}}
    ncpp, measured = (normalised(scale, one, run_ids, features) for one in (figures, line.measured))
    return replace(
        line,
        figures=ncpp,
        measured=measured,
        same_features={},
        linked={CHAIN} if levels else set(),
        environments=line.environments if levels else [],
        missing=scale.missing,
    )


def _levels(data: ScenarioData, line: Line, scale: Scale) -> dict[int, Figure]:
    """By run number, for commits that comparisons connect with the reference."""
    chain = linked_chain(data.session, data.scenario.id, data.host_class, scale, data.graph)
    if chain is None:
        return {}
    runs = zip(line.runs.run_number, line.runs.commit_id, strict=True)
    found = {number: chain.cost(line.commits[commit_id].sha) for number, commit_id in runs}
    return {number: one for number, one in found.items() if one is not None}


def _require_stages(scenario: str, stages: Sequence[str], known: set[str]) -> None:
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
