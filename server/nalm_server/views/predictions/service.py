# SPDX-License-Identifier: Apache-2.0
"""Inputs of models from measured runs, and answers within the limits of a request."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from nalm_core.models.capacity import ASSUMED_IPC, CORES, Chip, capacity
from nalm_core.models.documents.base import Answer, Document
from nalm_core.models.documents.capacity import ASSUMES, HostChip
from nalm_core.models.documents.queue import (
    MeasuredBatches,
    QueueAnswer,
    QueueInput,
    queue_answer,
    refuse_large,
)
from nalm_core.models.documents.roles import RoleWork
from nalm_core.models.documents.speedup import MOST_LAUNCHES, MeasuredRates
from nalm_core.models.quantity import ModelInputError
from nalm_core.models.roles import work_of_stages
from nalm_core.models.run_figures import (
    first_level_cache,
    host_supply,
    run_batches,
    run_demand,
    run_figures,
    run_instructions,
)
from nalm_core.report.offered_load import CLOSED
from nalm_core.report.run_report import RunReport
from nalm_core.report.serialization import parse_report
from pydantic import ValidationError
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.access.project_repository import get as project_of
from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.answer_cache import cache_of
from nalm_server.base.errors import ErrorDetail, InvalidError, NotMeasuredError, ReportExpiredError
from nalm_server.features.measured_repository import Measured, at_commit
from nalm_server.git.commits.service import ref
from nalm_server.results import service as runs
from nalm_server.views.predictions.schemas import (
    Bounds,
    ModelInputs,
    Predictable,
    PredictableRun,
    ScenarioBound,
)

FULL_LOAD = (CLOSED, "")
"""Loads of scenarios that models take; imports alone name scenarios without one."""
MOST_BOUNDS = 200
"""Scenarios of an answer, at most."""
MOST_OPERATIONS = 2e9
"""Floating-point operations of an answer, at most: about a second of one processor."""

D = TypeVar("D", bound=Document)
A = TypeVar("A", bound=Answer)
T = TypeVar("T")


def predictable(session: Session, project: ProjectRow, revision: str | None) -> Predictable:
    """Runs of the commit at full load, by default of the newest measured one. Raises NotFoundError."""
    commit, found = at_commit(session, project, revision)
    full = [one for one in found if one.scenario.load in FULL_LOAD]
    return Predictable(commit=ref(commit), runs=[_predictable(one) for one in full])


def model_inputs(session: Session, caller: Principal, run_id: str) -> ModelInputs:
    """Raises ReportExpiredError if the report has aged out, NotMeasuredError if it has no cycles."""
    judged = runs.require(session, caller, run_id)
    report = parse_report(runs.report_of(session, judged).json)
    try:
        figures = run_figures(report)
    except ModelInputError as error:
        raise NotMeasuredError(f"Run {run_id} gives no inputs: {error}.") from error
    project = project_of(session, judged.run.project_id)
    _, measured = at_commit(session, project, judged.run.head_sha)
    missing: dict[str, str] = {}

    def given(name: str, read: Callable[[], T]) -> T | None:
        try:
            return read()
        except ModelInputError as error:
            missing[name] = str(error)
            return None

    return ModelInputs(
        run_id=run_id,
        scenario=figures.scenario,
        host_class=judged.run.host_class,
        model=report.scenario.model,
        lcores=figures.lcores,
        load=report.scenario.load,
        frequency_hz=figures.frequency_hz,
        cpp=figures.cpp,
        pps=figures.pps,
        stages=figures.stages,
        work=given("work", lambda: RoleWork.model_validate(work_of_stages(figures.stages))),
        demand=given("demand", lambda: run_demand(report)),
        supply=given("supply", lambda: HostChip.model_validate(host_supply(report.host))),
        l1d_bytes=given("l1d_bytes", lambda: first_level_cache(report)),
        batches=given(
            "batches",
            lambda: MeasuredBatches.model_validate(
                {"tsc_hz": float(report.host.tsc_hz), "batches": run_batches(report)}
            ),
        ),
        rates=_rates(measured, run_id),
        missing=missing,
    )


def bounds(session: Session, caller: Principal, project: ProjectRow, revision: str | None) -> Bounds:
    """Of the commit's runs at full load, by default of the newest measured one. Raises NotFoundError."""
    commit, found = at_commit(session, project, revision)
    full = [one for one in found if one.scenario.load in FULL_LOAD][:MOST_BOUNDS]
    scenarios = [_bound(session, caller, one) for one in full]
    notes = dict.fromkeys(note for one in scenarios for note in one.notes)
    return Bounds(commit=ref(commit), scenarios=scenarios, assumes=ASSUMES, notes=list(notes))


def _bound(session: Session, caller: Principal, one: Measured) -> ScenarioBound:
    row = ScenarioBound(
        run_id=one.run_id,
        scenario=one.scenario.name,
        host_class=one.host_class,
        lcores=one.scenario.lcores,
        measured_pps=None if (rate := one.figures.get("pps")) is None else rate.value,
        bounds_pps={},
        bottleneck=None,
        share=None,
        notes=[],
        missing=None,
    )
    try:
        report = parse_report(runs.report_of(session, runs.require(session, caller, one.run_id)).json)
        found = capacity(_chip(report, row.notes), _demand(report, row.notes))
    except (ModelInputError, ReportExpiredError) as error:
        return row.model_copy(update={"missing": str(error)})
    share = None if row.measured_pps is None else row.measured_pps / found.pps
    return row.model_copy(
        update={"bounds_pps": dict(found.bounds), "bottleneck": found.bottleneck, "share": share}
    )


def _chip(report: RunReport, notes: list[str]) -> Chip:
    """The lcores of the run's host; if nobody measured what they supply, its cores alone."""
    lcores = report.scenario.lcores
    try:
        return host_supply(report.host).of_lcores(lcores)
    except ModelInputError as error:
        notes.append(f"cores are assumed to do {ASSUMED_IPC:g} instructions per cycle: {error}")
        return Chip({CORES: lcores * report.host.tsc_hz * ASSUMED_IPC})


def _demand(report: RunReport, notes: list[str]) -> Mapping[str, float]:
    """Of a packet; if the run has no modelled caches, its instructions alone."""
    try:
        return run_demand(report)
    except ModelInputError as error:
        demand = {CORES: run_instructions(report)}
        notes.append(f"caches and memory bound nothing here: {error}")
        return demand


def answer(function: Callable[[D], A], given: D) -> A:
    """The answer of a model. Raises InvalidError, which names the input that the model cannot carry."""
    try:
        return function(given)
    except ModelInputError as error:
        raise InvalidError(
            str(error), [ErrorDetail(path=f"body.{error.name}", message=str(error))]
        ) from error
    except (ArithmeticError, ValidationError) as error:
        raise InvalidError("Numbers are too large or too small for this model.") from error


def bounded_queue_answer(session: Session, given: QueueInput) -> QueueAnswer:
    """Raises ModelInputError, also for an input whose answer takes too long.

    Answers are kept: the page sends the same input each time it is opened.
    """
    refuse_large(given, MOST_OPERATIONS)

    def make() -> bytes:
        return queue_answer(given).model_dump_json().encode()

    return QueueAnswer.model_validate_json(cache_of(session).get(("queue", given.model_dump_json()), make))


def _predictable(one: Measured) -> PredictableRun:
    rate = one.figures.get("pps")
    return PredictableRun(
        run_id=one.run_id,
        scenario=one.scenario.name,
        host_class=one.host_class,
        model=one.scenario.model,
        lcores=one.scenario.lcores,
        cpp=one.figures["cpp"].value,
        pps=None if rate is None else rate.value,
    )


def _rates(measured: Sequence[Measured], run_id: str) -> list[MeasuredRates]:
    """By lcores; scenarios that are equal but for their names and numbers of lcores."""
    chosen = next((one for one in measured if one.run_id == run_id), None)
    by_lcores: dict[int, list[float]] = defaultdict(list)
    for one in measured:
        if chosen is not None and _but_lcores(one) == _but_lcores(chosen):
            by_lcores[one.scenario.lcores] += [rate for rate in one.rates if rate > 0]
    return [
        MeasuredRates(lcores=lcores, rates=rates[:MOST_LAUNCHES])
        for lcores, rates in sorted(by_lcores.items())
        if rates
    ]


def _but_lcores(one: Measured) -> tuple[object, ...]:
    scenario = one.scenario
    features = None if one.features is None else tuple(one.features)
    return one.host_class, features, scenario.model, scenario.traffic, scenario.load
