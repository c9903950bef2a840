# SPDX-License-Identifier: Apache-2.0
"""The measurement of `nalm rate --base`: two builds side by side at the same load, launch by launch
(side_by_side.py)."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from nalm_core.rates import defaults
from nalm_core.rates.comparison_report import (
    CommonLoad,
    ComparisonSettings,
    PairedTrial,
    RateComparison,
)
from nalm_core.rates.presets import SHORT_WIDTH
from nalm_core.rates.rate_report import Phase, Search
from nalm_core.rates.rate_result import rate_checks
from nalm_core.report.run_report import Arm, ArmInfo, Check

from nalm_agent import version
from nalm_agent.rates.generator_check import require_trust
from nalm_agent.rates.loaded_revision import Subject, build_subject, ready_side_by_side
from nalm_agent.rates.no_drop_rate import no_drop_rate, search_settings
from nalm_agent.rates.rate import RateReportBuilder
from nalm_agent.rates.side_by_side import ORDER, ArmError, alive, blame, groups, order
from nalm_agent.report.progress import Progress
from nalm_agent.runtime.errors import UsageError
from nalm_agent.store.home import Home, WorkDir
from nalm_agent.trials.trial_nf import Ask, NfRun

SEARCH_SHARE = 0.3
"""Share of the progress bar."""
MOST_SEARCH_TRIAL_S = 1.0


@dataclass(frozen=True)
class ComparisonPlan:
    """Two revisions of a scenario, the loads that they are offered, and the generator, which they share."""

    base: Subject
    head: Subject
    shares: Sequence[float]
    """Of base's NDR, found by a short search."""
    pps: int | None
    """The only load, instead of shares."""
    settings: ComparisonSettings
    width: float = SHORT_WIDTH
    """Relative width of the interval at which the search ends."""
    search_s: float = defaults.SEARCH_S
    """Its time limit."""


@dataclass
class _Measured:
    ndr: Search | None = None
    loads: list[CommonLoad] = field(default_factory=list)
    arms: dict[Arm, ArmInfo] = field(default_factory=dict)
    trials: list[PairedTrial] = field(default_factory=list)
    generator_checks: list[Check] = field(default_factory=list)


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
    builder = RateReportBuilder(plan.base, search_settings(trial_s, plan.width, plan.search_s))
    found = _Measured()
    try:
        built = []
        for arm, subject in zip(ORDER, (plan.base, plan.head), strict=True):
            with blame(arm):
                built.append((subject, build_subject(subject, home, progress)))
        with ready_side_by_side(built, builder.host, work, progress) as runs:
            _measure(plan, dict(zip(ORDER, runs, strict=True)), builder, found, progress)
    except ArmError as error:
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
    with blame(Arm.BASE):
        found.generator_checks = require_trust(runs[Arm.BASE], progress)
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
    """Offers each load to both arms in turns, of a trial or of the whole launch."""
    total = len(ORDER) * settings.launches * len(found.loads) * settings.trials
    for group in groups(launch, runs):
        with alive(launch, group, runs, found.arms) as arms:
            for number, load in enumerate(found.loads):
                for pair in range(settings.trials):
                    done = len(found.trials)
                    left = (total - done) * settings.trial_s
                    detail = f"launch {launch + 1} of {settings.launches}, {load.pps} pps"
                    progress.step("compare", detail, SEARCH_SHARE + (1 - SEARCH_SHARE) * done / total, left)
                    left_out = 0.0 if pair else settings.leave_out_s
                    ask = Ask(Phase.LATENCY, settings.trial_s + left_out, load.pps, load.share, left_out)
                    for arm in order(launch + pair, arms):
                        with blame(arm):
                            trial = arms[arm].trial(ask)
                        found.trials.append(PairedTrial(arm=arm, load=number, pair=pair, trial=trial))


def _report(
    plan: ComparisonPlan, builder: RateReportBuilder, found: _Measured, failure: ArmError | None
) -> RateComparison:
    host = builder.host
    checks = {
        arm: [
            *rate_checks([one.trial for one in found.trials if one.arm is arm], info, host.tsc_hz),
            *(found.generator_checks if arm is Arm.BASE else []),
        ]
        for arm, info in found.arms.items()
    }
    return RateComparison(
        run_id=secrets.token_hex(16),
        nalm_version=version(),
        project=plan.head.config.project.name,
        scenario=plan.head.described,
        host=host,
        failed=None if failure is None else failure.arm,
        failure=None if failure is None else failure.error.full_text(),
        started_at=builder.started_at,
        finished_at=datetime.now(UTC),
        settings=plan.settings,
        generator=plan.base.described_generator,
        ndr=found.ndr,
        loads=found.loads,
        arms=found.arms,
        trials=found.trials,
        checks=checks if failure is None else {},
    )
