# SPDX-License-Identifier: Apache-2.0
"""The service with features, models, variants and trials, served from a thread of the tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from nalm_core.experiments.result import (
    AblationResult,
    Compared,
    Contribution,
    FeaturesResult,
    ModelRow,
    ModelsResult,
    Prediction,
)
from nalm_core.report.cell import Kind
from nalm_core.report.run_report import RunReport
from nalm_core.report.serialization import dump_report
from nalm_core.verdict.change import Figure
from nalm_server.campaigns import engine as campaigns
from nalm_server.changepoints.models import ChangePointTrialRow
from nalm_server.git.refs import repository as refs
from nalm_server.results.cost_models import fits
from nalm_server.results.cost_models.fits import Origin
from nalm_server.results.series.models import SeriesRow
from nalm_server.self_test import tasks as quality_work
from nalm_server_access import TRIAL
from nalm_server_experiments import Agent, cells
from nalm_server_features import FEATURES, WITH_DPI, fitted, with_features
from nalm_server_harness import Service
from nalm_server_line import use_line
from nalm_server_rates import rates, shifted
from nalm_server_reports import COSTS, body_of, make_report, sha
from nalm_server_seeded import experiment
from sqlalchemy import select
from thread_service import new_service, served

DPI = ["nat", "dpi", "l3fwd"]
SLOW = {**WITH_DPI, "nat": 180.0}
LAST = 5
"""Number of the newest commit."""
SIZES = (0.003, 0.007, 0.015, 0.03, 0.08)
WHOLE: dict[str, Any] = {"cells": 4, "taken": 4, "partial": False, "unusable": {}}


@contextmanager
def figures_service(home: Path) -> Iterator[tuple[Service, str]]:
    """The service and its address: the project `demo` is full, `empty` has nothing."""
    empty = {"name": "empty", "repository": "/srv/empty.git", "public": True}
    with new_service(home) as service, pytest.MonkeyPatch.context() as patch:
        service.post("/projects", "admin", 201, empty)
        use_line(patch, LAST + 1)
        fill(service)
        with served(service) as address:
            yield service, address


def fill(service: Service) -> None:
    add_history(service)
    add_models(service)
    add_trials(service)
    add_change_points(service)
    agent = Agent(service)
    ask = {"kind": "features", "revision": "main"}
    service.post("/projects/demo/experiments", "admin", 201, ask)
    lease = agent.lease()
    agent.send(lease, cells(lease["head_sha"], lease["experiment"]["seed"], first_run=900)[0])
    campaigns.drain(service.context)


def add_history(service: Service) -> None:
    """Commit 1 is the reference; in 2 nat is slower; 3 adds dpi, with nat as in 1; in 4 nat is slower again;
    5 fixes it."""
    service.upload(body_of(make_report(1)))
    service.upload(body_of(make_report(2, head_costs={"nat": 176.0})))
    faster = {"base": ({**COSTS, "nat": 176.0}, FEATURES), "head": (WITH_DPI, DPI)}
    service.upload(body_of(with_features(3, **faster, head_as_base=COSTS)))
    service.upload(body_of(with_features(4, base=(WITH_DPI, DPI), head=(SLOW, DPI))))
    service.upload(body_of(with_features(5, base=(SLOW, DPI), head=(WITH_DPI, DPI))))
    service.request("PATCH", "/projects/demo", "admin", json={"reference": sha(1)})
    first = fitted()
    nat = first.prices[0].model_copy(update={"cycles": 180.0, "low": 177.0, "high": 183.0})
    with service.context.sessions() as session:
        for name, number in (("v1.0", 1), ("v1.1", 3)):
            refs.place_tag(session, 1, name, sha(number), service.clock())
        refs.place_branch(session, 1, "main", sha(LAST), service.clock())
        fits.keep(session, Origin(1, sha(1), "vm-2"), first, service.clock())
        slower = first.model_copy(update={"prices": [nat]})
        fits.keep(session, Origin(1, sha(4), "vm-2"), slower, service.clock())
        session.commit()


def add_models(service: Service) -> None:
    """Scenarios of the newest commit, and results of its experiments."""
    for number, (scenario, costs, model) in enumerate(
        (
            ("sfc_b", COSTS, "rtc"),
            ("sfc_b_pipeline", {**COSTS, "nat": 250.0}, "pipeline"),
            ("sfc_b_flow_cache", {**COSTS, "nat": 90.0}, "rtc"),
        )
    ):
        report = make_report(20 + number, head=LAST, base=LAST - 1, scenario=scenario, base_costs=costs)
        made = report.scenario.model_copy(update={"model": model})
        service.upload(body_of(RunReport.model_validate(report.model_copy(update={"scenario": made}))))
        of_rates = rates(30 + number, sha(LAST - 1), sha(LAST), name=f"{scenario}:rate")
        service.upload(dump_report(shifted(of_rates, {"ndr_pps": 260 / sum(costs.values())})))
    with service.context.sessions() as session:  # the first experiment was requested above
        for number, (kind, result) in enumerate(RESULTS.items(), start=2):
            now = service.clock()
            times = {"created_at": now, "updated_at": now, "finished_at": now}
            document = result.model_dump(mode="json")
            done = experiment(number, kind, sha(LAST), document, requested_by="admin", **times)
            done.result = {**done.result, "fitted_cells": WHOLE["cells"]}
            session.add(done)
        session.commit()


def model_row(chain: str, model: str, cpp: float, ratio: float | None = None) -> ModelRow:
    low, high = (None, None) if ratio is None else (ratio * 0.99, ratio * 1.01)
    figure = Figure(cpp=cpp, ipp=cpp * 2.1, eipc=2.1)
    return ModelRow(
        chain=chain, model=model, figure=figure, pps=2e9 / cpp, stages={}, ratio_cpp=ratio, low=low, high=high
    )


def compared(chain: str, ratio: float, width: float, p_value: float) -> Compared:
    return Compared(
        chain=chain,
        base_variant=chain,
        head_variant=f"{chain}_flow_cache",
        base=Figure(cpp=400.0),
        head=Figure(cpp=400.0 * ratio),
        ratio_cpp=ratio,
        low=ratio - width,
        high=ratio + width,
        p_value=p_value,
        base_pps=5e6,
        head_pps=5e6 / ratio,
        stages_base={},
        stages_head={},
    )


FIT = fitted(dpi=True).model_copy(
    update={
        "predictions": [
            Prediction(
                features=["dpi", "l3fwd"], measured=512.0, predicted=510.0, error=510 / 512 - 1, held_out=True
            )
        ],
        "left_out_error": 0.006,
    }
)
CHAINS = [
    compared("sfc_a", 0.81, 0.02, 1e-6),
    compared("sfc_b", 1.06, 0.02, 1e-4),
    compared("sfc_c", 0.99, 0.03, 0.5),
]
RESULTS: dict[Kind, FeaturesResult | ModelsResult | AblationResult] = {
    Kind.FEATURES: FeaturesResult(fits=[FIT], **WHOLE),
    Kind.MODELS: ModelsResult(
        rows=[
            model_row("sfc_a", "rtc", 260),
            model_row("sfc_a", "pipeline", 360, 1.38),
            model_row("sfc_b", "rtc", 510),
            model_row("sfc_b", "pipeline", 470, 0.92),
        ],
        **WHOLE,
    ),
    Kind.ABLATION: AblationResult(
        contributions=[
            Contribution(name="flow_cache", tuning="f_t", chains=CHAINS, reach=["sfc_a"], harms=["sfc_b"])
        ],
        **WHOLE,
    ),
}


def add_trials(service: Service) -> None:
    """Planted changes of every size, of which the smallest are not always found; one false alarm among
    many."""
    sent: list[dict[str, Any]] = []
    for number in range(40):
        size, found = SIZES[number % len(SIZES)], number % len(SIZES) > 0 or number % 3 == 0
        outcome = "regressed" if found else "same"
        planted = {"kind": "mutant", "name": f"planted/{number}", "expected": "regressed", "size": size}
        right = {"stage_right": found or None, "cause_right": (number % 4 > 0) if found else None}
        kind = ("cache-miss", "lock", "branch")[number % 3]
        sent.append({**planted, **right, "category": kind, "outcome": outcome, "correct": found})
    sent += [{"name": f"a-a/{number}"} for number in range(60)]
    sent.append({"outcome": "regressed", "correct": False})
    months = ("2026-09", "2026-10", "2026-11")
    trials = [
        {**TRIAL, "key": f"{number:016x}", "measured_at": f"{months[number % 3]}-15T12:00:00Z", **one}
        for number, one in enumerate(sent)
    ]
    service.post("/projects/demo/detection-quality/trials", "upload", 201, {"trials": trials})
    quality_work.drain(service.context)


def add_change_points(service: Service) -> None:
    """Those found as nearly certain hold; those found at 97 % hold in less than two of three."""
    held = {0.7: (5, 7), 0.88: (9, 10), 0.97: (7, 12), 0.996: (40, 40)}
    with service.context.sessions() as session:
        series = session.scalars(select(SeriesRow.id).order_by(SeriesRow.id)).first()
        assert series is not None
        now = service.clock()
        for probability, (holds, trials) in held.items():
            for number in range(trials):
                gone_at = None if number < holds else now
                found = {"series_id": series, "probability": probability, "found_at": now}
                session.add(ChangePointTrialRow(**found, gone_at=gone_at))
        session.commit()
