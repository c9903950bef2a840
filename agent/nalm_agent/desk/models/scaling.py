# SPDX-License-Identifier: Apache-2.0
"""More lcores: speedup and roles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from nalm_core.models.documents.base import read_document
from nalm_core.models.documents.roles import RolePlan, RolesInput, roles_answer
from nalm_core.models.documents.speedup import (
    PredictedSpeedup,
    SpeedupAnswer,
    SpeedupInput,
    speedup_answer,
)
from nalm_core.models.quantity import ModelInputError
from nalm_core.models.roles import work_of_stages
from nalm_core.models.run_figures import run_figures
from nalm_core.rates.experiments.load_experiments import cores_answer
from nalm_core.rates.experiments.role_splits import NEAR_RATE, SplitAnswer, SplitsAnswer
from nalm_core.rates.experiments.speedup_points import throughput
from nalm_core.text.amounts import pps_text
from nalm_core.text.percents import change_percent, share_percent

from nalm_agent.desk.models import inputs
from nalm_agent.desk.models.answer import EXTRAPOLATED, ShownAnswer, columns, interval
from nalm_agent.rates.core_counts import CoresMeasured
from nalm_agent.report.saved import read_one


def answer_speedup(
    reports: Sequence[str], rates: str | None, f_s: float | None, reference: int | None, at: str | None
) -> ShownAnswer:
    """reports: of `nalm rate`, one or more per core count. rates: `1=2.1M,2=4M`."""
    measured: list[object] = [asdict(throughput(inputs.rate_report(name))) for name in reports]
    for key, rate in inputs.pairs(rates, "--rates") if rates else []:
        if not key.isdigit():
            raise ModelInputError("--rates", f"expected LCORES=RATE, not {key!r} lcores")
        measured.append({"lcores": int(key), "rates": [rate]})
    given = {
        "rates": measured,
        "reference": reference,
        "f_s": f_s,
        "at": inputs.whole_numbers(at, "--at") if at else [],
    }
    answer = speedup_answer(read_document(SpeedupInput, given))
    return ShownAnswer(answer, _speedup_lines(answer))


def answer_cores(measured: CoresMeasured, reference: int | None, at: str | None) -> ShownAnswer:
    """The curve, and what was left out."""
    found = cores_answer(
        measured.chain,
        measured.rates,
        measured.f_s,
        measured.left_out,
        notes=measured.notes,
        reference=reference,
        at=inputs.whole_numbers(at, "--at") if at else [],
    )
    left_out = [f"left out: {_lcores(count)}: {why}" for count, why in measured.left_out.items()]
    return ShownAnswer(found, [f"chain {measured.chain}", *_speedup_lines(found), *left_out])


def _speedup_lines(found: SpeedupAnswer) -> list[str]:
    lines = [
        f"speedup over {_lcores(found.reference)}, fitted to {found.least} to {found.greatest} lcores "
        "(Eq. 3: every lcore adds the same overhead)",
        *columns(
            ("lcores", "measured", "fitted", "off by"),
            [
                (str(one.lcores), f"{one.measured:.3f}", f"{one.fitted:.3f}", change_percent(one.residual))
                for one in found.points
            ],
        ),
        f"n/S(n) = A + B n + C n^2: A {interval(found.a)}, B {interval(found.b)}, C {interval(found.c)}",
    ]
    if found.peak is not None and found.ceiling is not None:
        beyond = f" ({EXTRAPOLATED})" if found.peak.value > found.greatest else ""
        lines.append(
            f"peak at {interval(found.peak, 3)} lcores: speedup {interval(found.ceiling)}{beyond}; "
            "more lcores cost throughput"
        )
    if found.cap is not None:
        counts = ", ".join(map(str, found.cap.counts))
        lines.append(
            f"another bound ends the gain at speedup {found.cap.speedup:.3f}, from "
            f"{found.cap.from_lcores:.1f} lcores on (seen at {counts})"
        )
    if found.factors is not None:
        one = found.factors
        lines.append(
            f"f_t {interval(one.f_t)}, f_a {interval(one.f_a)}, f_s {one.f_s:g} (as given), "
            f"f {interval(one.f)}"
        )
    if found.ranges is not None:
        each = dict(found.ranges).items()
        lines.append(
            "possible: " + ", ".join(f"{name} {low:.4g} to {high:.4g}" for name, (low, high) in each)
        )
    lines += [_prediction_line(one) for one in found.predictions]
    return [*lines, *(f"note: {note}" for note in found.notes)]


def _prediction_line(one: PredictedSpeedup) -> str:
    kind = f" ({EXTRAPOLATED})" if one.extrapolated else ""
    return (
        f"{_lcores(one.lcores)}: speedup {interval(one.speedup)}{kind}{' (at the cap)' if one.capped else ''}"
    )


def answer_roles(
    report: str | None,
    cycles: tuple[float | None, float | None, float | None],
    lcores: int,
    frequency: str | None,
    measured: str | None,
) -> ShownAnswer:
    """cycles: of dispatch, workers and databases per packet, without a report."""
    if report is not None:
        figures = run_figures(read_one(report))
        work, clock = asdict(work_of_stages(figures.stages)), float(figures.frequency_hz)
    else:
        names = ("dispatch", "workers", "databases")
        work = {name: inputs.given(each, f"--{name}") for each, name in zip(cycles, names, strict=True)}
        clock = inputs.given(inputs.number(frequency, "--frequency") if frequency else None, "--frequency")
    given = {
        "work": work,
        "lcores": lcores,
        "frequency_hz": clock,
        "measured_pps": None if measured is None else inputs.number(measured, "--measured"),
    }
    answer = roles_answer(read_document(RolesInput, given))
    best = answer.whole
    lines = [
        f"{_lcores(lcores)}: dispatch {best.dispatch:g}, workers {best.workers:g}, databases "
        f"{best.databases:g}: {pps_text(best.pps)} predicted; {best.bottleneck} bind",
        _shares("in shares, greatest rate", answer.greatest_rate),
        _shares("in shares, fewest cycles on a packet's way", answer.shortest_way),
    ]
    if answer.measured_pps is not None and answer.error is not None:
        lines.append(
            f"measured {pps_text(answer.measured_pps)}: the prediction is off by "
            f"{change_percent(answer.error)}"
        )
    lines.append("note: assumes that r lcores of a role do r times the work of one")
    return ShownAnswer(answer, lines)


def answer_splits(answer: SplitsAnswer) -> ShownAnswer:
    """The best split by lcores, and each measured one beside its prediction."""
    work = answer.work
    lines = [
        f"work of {answer.scenario}: dispatch {work.dispatch:.1f}, workers {work.workers:.1f}, databases "
        f"{work.databases:.1f} cycles/packet",
        *(
            f"{_lcores(count)}: dispatch {plan.dispatch:g}, workers {plan.workers:g}, databases "
            f"{plan.databases:g}: {pps_text(plan.pps)} predicted; {plan.bottleneck} bind"
            for count, plan in answer.plans.items()
        ),
        *columns(
            ("split", "dispatch", "workers", "databases", "predicted", "measured", "off by"),
            [_split_row(one) for one in answer.splits],
        ),
    ]
    measured = [one for one in answer.splits if one.error is not None]
    if measured:
        near = f"{answer.near} of {len(measured)} splits"
        lines.append(f"within {share_percent(NEAR_RATE, 0)} of the measured rate: {near}")
    lines += [f"not measured: {one.left_out}" for one in answer.splits if one.left_out is not None]
    lines += [f"note: {note}" for note in answer.notes]
    return ShownAnswer(answer, [*lines, f"assumes: {answer.assumes}"])


def _split_row(one: SplitAnswer) -> tuple[str, ...]:
    return (
        one.scenario,
        str(one.dispatch),
        str(one.workers),
        str(one.databases),
        pps_text(one.predicted_pps),
        "not measured" if one.measured_pps is None else pps_text(one.measured_pps),
        "" if one.error is None else change_percent(one.error),
    )


def _shares(title: str, plan: RolePlan) -> str:
    return (
        f"{title}: {plan.dispatch:.2f}, {plan.workers:.2f}, {plan.databases:.2f}: {pps_text(plan.pps)}, "
        f"{plan.denominator:.1f} cycles"
    )


def _lcores(number: int) -> str:
    return f"{number} lcore{'' if number == 1 else 's'}"
