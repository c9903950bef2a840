# SPDX-License-Identifier: Apache-2.0
"""The measurement of `nalm rate --base`: two builds side by side at the same load, launch by launch."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from nalm_core.rates.comparison_report import (
    CommonLoad,
    ComparisonSettings,
    PairedTrial,
    RateComparison,
)
from nalm_core.rates.rate_report import Phase, Search
from nalm_core.rates.rate_result import rate_checks
from nalm_core.report.run_report import Arm, ArmInfo

from nalm_agent import version
from nalm_agent.rates.loaded_revision import Subject, build_subject, ready_side_by_side
from nalm_agent.rates.no_drop_rate import no_drop_rate, search_settings
from nalm_agent.rates.rate import RateReportBuilder
from nalm_agent.report.progress import Progress
from nalm_agent.runtime.errors import BuildError, NfError, UsageError
from nalm_agent.store.home import Home, WorkDir
from nalm_agent.trials.trial_nf import Ask, NfRun, TrialNf

SEARCH_SHARE = 0.3
"""Share of the progress bar."""
MOST_SEARCH_TRIAL_S = 1.0
ORDER = (Arm.BASE, Arm.HEAD)


@dataclass(frozen=True)
class ComparisonPlan:
    """Two revisions of a scenario, and the loads that they are offered."""

    base: Subject
    head: Subject
    shares: Sequence[float]
    """Of base's NDR, found by a short search."""
    pps: int | None
    """The only load, instead of shares."""
    settings: ComparisonSettings


class _FailedError(Exception):
    """An arm could not be built or run."""

    def __init__(self, arm: Arm, text: str) -> None:
        super().__init__(text)
        self.arm, self.text = arm, text


@dataclass
class _Measured:
    ndr: Search | None = None
    loads: list[CommonLoad] = field(default_factory=list)
    arms: dict[Arm, ArmInfo] = field(default_factory=dict)
    trials: list[PairedTrial] = field(default_factory=list)


def compare_rates(plan: ComparisonPlan, home: Home, work: WorkDir, progress: Progress) -> RateComparison:
    """Measures both revisions. The report says if one of them cannot be built or run.

    Raises UsageError if their traffic differs, HostError if this host cannot measure, and NalmError if
    base has no NDR.
    """
    if plan.base.definition.traffic != plan.head.definition.traffic:
        raise UsageError(
            f"scenario {plan.head.name} has other traffic in {plan.base.revision.short} than in "
            f"{plan.head.revision.short}, so a difference would not be the code's",
            hint="choose a base with the same traffic; `nalm check` replays head's for both",
        )
    trial_s = plan.base.shape.whole_s(min(MOST_SEARCH_TRIAL_S, plan.settings.trial_s))
    builder = RateReportBuilder(plan.base, search_settings(trial_s))
    found = _Measured()
    try:
        built = []
        for arm, subject in zip(ORDER, (plan.base, plan.head), strict=True):
            with _failures_of(arm):
                built.append((subject, build_subject(subject, home, progress)))
        with ready_side_by_side(built, builder.host, work, progress) as runs:
            _measure(plan, dict(zip(ORDER, runs, strict=True)), builder, found, progress)
    except _FailedError as error:
        return _report(plan, builder, found, error)
    progress.step("report", "checks", 1.0)
    return _report(plan, builder, found, None)


def _measure(
    plan: ComparisonPlan,
    runs: Mapping[Arm, NfRun],
    builder: RateReportBuilder,
    found: _Measured,
    progress: Progress,
) -> None:
    with _failures_of(Arm.BASE):
        found.loads, found.ndr = _loads(plan, runs[Arm.BASE], builder, progress)
    for launch in range(plan.settings.launches):
        _launch(launch, runs, plan.settings, found, progress)


def _loads(
    plan: ComparisonPlan, base: NfRun, builder: RateReportBuilder, progress: Progress
) -> tuple[list[CommonLoad], Search | None]:
    if plan.pps is not None:
        return [CommonLoad(pps=plan.pps)], None
    ndr = no_drop_rate(base, builder, progress)
    return [CommonLoad(pps=ndr.pps(share), share=share) for share in plan.shares], ndr.search


def _launch(
    launch: int,
    runs: Mapping[Arm, NfRun],
    settings: ComparisonSettings,
    found: _Measured,
    progress: Progress,
) -> None:
    """Starts both arms and offers each load to them in turns. The order is swapped from pair to pair and from
    launch to launch, so no arm is always the first to start, or the first after a pause."""
    with ExitStack() as stack:
        arms: dict[Arm, TrialNf] = {}
        for arm in _order(launch):
            with _failures_of(arm):
                arms[arm] = stack.enter_context(TrialNf(runs[arm], launch=launch))
        found.arms = {arm: arms[arm].info for arm in ORDER}
        for number, load in enumerate(found.loads):
            for pair in range(settings.trials):
                done = (launch * len(found.loads) + number) * settings.trials + pair
                total = settings.launches * len(found.loads) * settings.trials
                left = (total - done) * len(arms) * settings.trial_s
                detail = f"launch {launch + 1} of {settings.launches}, {load.pps} pps"
                progress.step("compare", detail, SEARCH_SHARE + (1 - SEARCH_SHARE) * done / total, left)
                left_out = 0.0 if pair else settings.leave_out_s
                ask = Ask(Phase.LATENCY, settings.trial_s + left_out, load.pps, load.share, left_out)
                for arm in _order(launch + pair):
                    with _failures_of(arm):
                        trial = arms[arm].trial(ask)
                    found.trials.append(PairedTrial(arm=arm, load=number, pair=pair, trial=trial))
        for arm, nf in arms.items():
            with _failures_of(arm):
                nf.finish()


def _order(number: int) -> Sequence[Arm]:
    return ORDER if number % 2 == 0 else ORDER[::-1]


@contextmanager
def _failures_of(arm: Arm) -> Iterator[None]:
    """Says which arm an error of a build or an NF belongs to."""
    try:
        yield
    except (BuildError, NfError) as error:
        raise _FailedError(arm, error.full_text()) from error


def _report(
    plan: ComparisonPlan, builder: RateReportBuilder, found: _Measured, failure: _FailedError | None
) -> RateComparison:
    host = builder.host
    checks = {
        arm: rate_checks([one.trial for one in found.trials if one.arm is arm], info, host.tsc_hz)
        for arm, info in found.arms.items()
    }
    return RateComparison(
        run_id=secrets.token_hex(16),
        nalm_version=version(),
        project=plan.head.config.project.name,
        scenario=plan.head.described,
        host=host,
        failed=None if failure is None else failure.arm,
        failure=None if failure is None else failure.text,
        started_at=builder.started_at,
        finished_at=datetime.now(UTC),
        settings=plan.settings,
        ndr=found.ndr,
        loads=found.loads,
        arms=found.arms,
        trials=found.trials,
        checks=checks if failure is None else {},
    )
