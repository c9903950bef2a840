# SPDX-License-Identifier: Apache-2.0
"""Runs to render: one of each outcome, and runs whose every string is somebody else's."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import Literal

from hypothesis import strategies as st
from nalm_core.render.unmeasured import Unmeasured
from nalm_core.report.catalogue import FUNCTION_IPP
from nalm_core.report.defaults import DEFAULT_SETTINGS, MARGIN
from nalm_core.report.outcome import Outcome
from nalm_core.report.run_report import Arm, FunctionCount, RunReport, RunStatus
from nalm_core.verdict.judged import Judged
from nalm_core.verdict.metric_change import MetricChange
from nalm_core.verdict.profile_change import FunctionShift
from nalm_core.verdict.verdict import Verdict, judge
from nalm_core.verdict.wording import rates
from nalm_synthetic import changed, make_report

LINK = "https://nalm.example.org/p/demo/runs/0f"
NASTY = (
    '<b>x</b> &amp; `tick` | pipe ]]> "q" \x00\x07\ud800\n\n# head\r\n::error::x %0A,a=b:c @mona #1 GH-2 !3 '
    "[l](http://e.org) ![i](i.png) https://e.org www.e.org *s* _u_ ~~d~~ $x$ \u2028\x85 </script> m@e.org"
)
WIDE = Unmeasured(
    about="wide",
    head="0123456789" * 4,
    reason="the host has 2 CPUs, and it needs 64 | @all",
    text="the host has 2 CPUs\nuse a host with more",
    at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    host="bench-1",
)
"""A scenario without a run report."""
TEXTS = st.one_of(st.sampled_from([NASTY, "", " ", "-->", "/close", "src/nat.c"]), st.text(max_size=60))


@cache
def regressed() -> Judged:
    """nat costs 14 % more, by instructions; its functions were sampled."""
    return with_functions(measured(nat=175.0, ipp=400), shift("nat_lookup", "src/nat.c", 42))


def measured(*, nat: float, ipp: int = 330, launches: int = 12, margin: float = MARGIN) -> Judged:
    settings = DEFAULT_SETTINGS.model_copy(update={"margin": margin})
    report = make_report(changed(nat=nat, ipp={"nat": ipp}), launches=launches, turns=6, settings=settings)
    return Judged(report, judge(report), LINK)


@cache
def of_outcome(outcome: str) -> Judged:
    """A run that was judged so."""
    made = {
        "regressed": regressed,
        "improved": lambda: measured(nat=120.0, ipp=250),
        "same": lambda: measured(nat=150.0),
        "inconclusive": lambda: measured(nat=150.0, launches=2),
        "broken": lambda: unmeasured(RunStatus.BROKEN, "nat.c:12: error: no ;\nninja: build stopped"),
        "invalid": lambda: unmeasured(RunStatus.FAILED, "the host ran out of memory\noom-killer: nf"),
    }[outcome]()
    assert made.verdict.outcome == outcome
    return made


def unmeasured(status: RunStatus, failure: str) -> Judged:
    report = regressed().report.model_copy(
        update={"status": status, "failure": failure, "rounds": [], "instructions": [], "checks": []}
    )
    return Judged(report, judge(report))


def shift(name: str, file: str | None, line: int | None, head: float = 175.0) -> FunctionShift:
    return FunctionShift(
        name=name, stage="nat", file=file, line=line, base_cpp=150.0, head_cpp=head, error=1.0
    )


def with_functions(judged: Judged, *shifts: FunctionShift) -> Judged:
    return replace(judged, verdict=judged.verdict.model_copy(update={"functions": list(shifts)}))


def with_counted(judged: Judged, stage: str, function: FunctionCount, packets: int) -> RunReport:
    """The report with one function counted in head."""
    counts = [
        count.model_copy(update={"packets": packets, "functions": {stage: [function]}})
        if count.arm == "head"
        else count
        for count in judged.report.instructions
    ]
    return judged.report.model_copy(update={"instructions": counts})


@st.composite
def hostile(draw: st.DrawFn) -> Judged:
    """Any outcome; every text that a commit, a build or a host could choose is drawn."""
    judged = of_outcome(draw(st.sampled_from(["regressed", "broken", "invalid", "inconclusive"])))
    report, verdict = judged.report, judged.verdict
    stages = [stage.model_copy(update={"stage": draw(TEXTS)}) for stage in verdict.stages]
    reported = {
        "reason": draw(TEXTS),
        "summary": draw(TEXTS),
        "scenario": draw(TEXTS),
        "notes": draw(st.lists(TEXTS, max_size=3)),
        "stages": stages,
        "culprit_stages": [stage.stage for stage in stages[:1]],
        "functions": [
            shift(draw(TEXTS), draw(st.none() | TEXTS), draw(st.none() | st.integers(1, 2**40)))
            for _ in range(draw(st.integers(0, 3)))
        ],
    }
    seen = {
        "failure": draw(st.none() | TEXTS),
        "notes": draw(st.lists(TEXTS, max_size=3)),
        "project": draw(TEXTS),
        "scenario": report.scenario.model_copy(update={"name": draw(TEXTS)}),
        "host": report.host.model_copy(update={"name": draw(TEXTS)}),
    }
    return Judged(
        report.model_copy(update=seen), verdict.model_copy(update=reported), draw(st.none() | st.just(LINK))
    )


def with_metrics(judged: Judged, *metrics: MetricChange) -> Judged:
    """The run with metrics beside its cycles, whose outcome stays as it is."""
    return replace(judged, verdict=judged.verdict.model_copy(update={"metrics": list(metrics)}))


def lost_metric() -> MetricChange:
    """A metric that gates and could be read in base only."""
    return MetricChange(
        metric="table_bytes",
        unit="bytes",
        better="lower",
        outcome="missing",
        gates=True,
        base=1.0,
        margin=0.05,
        reason="head: exit code 3",
    )


def worse_function(name: str = "nat_lookup") -> MetricChange:
    """A C function that fails the check by exact counts."""
    return MetricChange(
        metric=FUNCTION_IPP,
        stage="nat",
        function=name,
        chain_share=0.02,
        unit="instructions/packet",
        better="lower",
        outcome="regressed",
        gates=True,
        base=50.0,
        head=60.0,
        ratio=1.2,
        low=1.2,
        high=1.2,
        margin=0.05,
    )


def tail_latency(outcome: Literal["regressed", "improved"], stage: str | None = None) -> MetricChange:
    """A percentile of latency, 30 % larger or smaller; stage: the row of a stage that pays."""
    ratio = 1.3 if outcome == "regressed" else 0.7
    return MetricChange(
        metric="latency_p99_ns",
        stage=stage,
        unit="ns",
        better="lower",
        outcome=outcome,
        gates=True,
        base=10_000.0,
        head=10_000.0 * ratio,
        ratio=ratio,
        low=ratio - 0.1,
        high=ratio + 0.1,
        level=0.99,
        margin=0.1,
    )


def under_load(outcome: Literal["regressed", "improved"]) -> Verdict:
    """The verdict on two builds under load, of which a percentile of latency changed, in nat."""
    figures = [tail_latency(outcome), tail_latency(outcome, "nat")]
    reason, summary = rates(Outcome(outcome), figures)
    return Verdict(
        outcome=Outcome(outcome),
        reason=reason,
        summary=summary,
        scenario="sfc_a:rate",
        judged_arm=Arm.HEAD,
        culprit_stages=["nat"],
        metrics=figures,
    )
