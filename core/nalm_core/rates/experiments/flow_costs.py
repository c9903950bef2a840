# SPDX-License-Identifier: Apache-2.0
"""Trials at several shares of new flows: what a flow's first packet costs and what later ones do, with the
cost of flows over the weight of compute against delay (Wu et al., Eq. 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from nalm_core.models.cost import packets_to_gain
from nalm_core.models.documents.base import Answer, Document, Interval
from nalm_core.models.documents.cost import CostAnswer, CostInput, cost_answer
from nalm_core.models.flow_packets import FlowLine, FlowTrial, bends, break_even_length, fit_flows
from nalm_core.models.quantity import Estimate, ModelInputError
from nalm_core.rates.defaults import FLOW_LOSS_LIMIT, FLOW_WEIGHTS, HONEST_LIMIT
from nalm_core.rates.rate_report import Trial
from nalm_core.rates.trials import as_round, loss_ratio, total_losses
from nalm_core.report.counters import totals
from nalm_core.report.run_report import ArmInfo
from nalm_core.text.amounts import amount
from nalm_core.text.percents import change_percent, share_percent

ASSUMES = (
    "All packets of a flow but the first cost the same, whatever the share of first ones; every share is "
    "measured at the same packets/s. Cycles are busy ones of the TSC; delays are latencies in its cycles."
)
ROUNDING = 2
"""New flows at the two ends of a trial that are no error of the generator."""


@dataclass(frozen=True, slots=True)
class ShareTrial:
    """A trial with the share of new flows that was requested."""

    share: float
    """New flows per packet."""
    trial: Trial


@dataclass(frozen=True, slots=True)
class MeasuredFlows:
    """The trials of one design."""

    scenario: str
    info: ArmInfo
    tsc_hz: int
    trials: list[ShareTrial]


class FlowPoint(Document):
    """One share of new flows."""

    requested: float
    share: float
    """Of the packets that were sent."""
    cycles: float
    """Mean of a packet, over valid trials."""
    fitted: float
    trials: int
    left_out: int
    """Invalid trials."""


class FlowPackets(Document):
    """A design: what its packets cost. Cycles and delays are per packet, in cycles of the TSC."""

    scenario: str
    first: Interval
    later: Interval
    first_delay: Interval | None
    """Null: packets carry no time stamps."""
    later_delay: Interval | None
    launches: int
    points: list[FlowPoint]


class FlowBreakEven(Document):
    length: Interval
    """Packets of a flow from which the design costs fewer cycles than the first one of the table."""
    packets: int
    """Least whole length that gains."""


class FlowsAnswer(Answer):
    pps: int
    """Offered to all designs."""
    designs: dict[str, FlowPackets]
    """By name; the others are compared with the first."""
    break_even: dict[str, FlowBreakEven]
    """By design; a design that never pays, or whose flows all cost less, is in notes."""
    cost: CostAnswer | None
    """Of flows of some packets over the weight; null: notes say why."""
    left_out: list[str]
    """Trials that were left out, by share, with the last reason."""


def flow_invalid(one: ShareTrial, info: ArmInfo) -> str | None:
    """Why a trial says nothing about its share. Raises ModelInputError if the generator counts no flows."""
    trial = one.trial
    if trial.invalid is not None:
        return trial.invalid
    begun, due_packets = trial.traffic.flows_begun, trial.traffic.sent + trial.traffic.late
    if begun is None:
        raise ModelInputError("new flows", "the generator does not count the flows that begin")
    lost = loss_ratio(trial, info) or 0.0
    if lost > FLOW_LOSS_LIMIT:
        cause = total_losses([trial], info)[0].cause
        return f"{share_percent(lost)} of the packets were lost ({cause}): they cost less than others"
    due = one.share * due_packets
    if abs(begun - due) > HONEST_LIMIT * due + ROUNDING:
        return f"the generator began {begun:,} new flows, and {due:,.0f} were due"
    return None if totals(as_round(trial), info).cpp is not None else "no packet left the NF"


def flows_answer(pps: int, measured: Mapping[str, MeasuredFlows], packets: int) -> FlowsAnswer:
    """packets: of a flow, for its cost over the weight. Raises ModelInputError."""
    notes: list[str] = []
    left_out: list[str] = []
    lines: dict[str, FlowLine] = {}
    designs: dict[str, FlowPackets] = {}
    for name, flows in measured.items():
        lines[name], designs[name] = _design(name, flows, notes, left_out)
    return FlowsAnswer(
        assumes=ASSUMES,
        notes=notes,
        pps=pps,
        designs=designs,
        break_even=_break_even(lines, notes),
        cost=_cost(designs, packets, notes),
        left_out=left_out,
    )


def _design(
    name: str, flows: MeasuredFlows, notes: list[str], left_out: list[str]
) -> tuple[FlowLine, FlowPackets]:
    reasons = [flow_invalid(one, flows.info) for one in flows.trials]
    valid = [one for one, reason in zip(flows.trials, reasons, strict=True) if reason is None]
    for share in sorted({one.share for one in flows.trials}):
        why = [
            reason
            for one, reason in zip(flows.trials, reasons, strict=True)
            if one.share == share and reason is not None
        ]
        if why:
            all_of = sum(one.share == share for one in flows.trials)
            left_out.append(
                f"{name}, {share_percent(share)} new flows: {len(why)} of {amount(all_of, 'trial')}; "
                f"the last: {why[-1]}"
            )
    requested = [one.share for one in valid]
    if len(set(requested)) < 2:
        why_not = f"; left out: {'; '.join(left_out)}" if left_out else ""
        raise ModelInputError(
            "shares",
            f"valid trials of {name} have {amount(len(set(requested)), 'distinct share')} of new flows, and "
            f"first and later packets need at least 2{why_not}",
        )
    costs = [_flow_trial(one, _cycles(one.trial, flows.info)) for one in valid]
    line = fit_flows(costs)
    for share, off in bends(costs, requested, line).items():
        notes.append(
            f"{name}: with {share_percent(share)} new flows a packet costs {change_percent(off)} against the "
            "line: first packets change the cost of later ones, or of each other"
        )
    if line.launches == 1:
        notes.append(f"{name}: one launch gives no interval")
    delay = _delay(valid, flows.tsc_hz)
    points = [
        FlowPoint(
            requested=share,
            share=fmean(one.share for one in own),
            cycles=fmean(one.cost for one in own),
            fitted=line.at(fmean(one.share for one in own)),
            trials=len(own),
            left_out=sum(one.share == share for one in flows.trials) - len(own),
        )
        for share in sorted(set(requested))
        if (own := [cost for cost, one in zip(costs, requested, strict=True) if one == share])
    ]
    return line, FlowPackets(
        scenario=flows.scenario,
        first=_interval(line.first),
        later=_interval(line.later),
        first_delay=None if delay is None else _interval(delay.first),
        later_delay=None if delay is None else _interval(delay.later),
        launches=line.launches,
        points=points,
    )


def _flow_trial(one: ShareTrial, cost: float) -> FlowTrial:
    traffic = one.trial.traffic
    return FlowTrial(one.trial.launch, (traffic.flows_begun or 0) / traffic.sent, cost)


def _cycles(trial: Trial, info: ArmInfo) -> float:
    cpp = totals(as_round(trial), info).cpp
    assert cpp is not None
    return float(cpp)


def _delay(valid: Sequence[ShareTrial], tsc_hz: int) -> FlowLine | None:
    """None unless every trial has latencies."""
    found = []
    for one in valid:
        latency = one.trial.latency
        if latency is None or not latency.count:
            return None
        found.append(_flow_trial(one, latency.sum_ns / latency.count * tsc_hz / 1e9))
    return fit_flows(found)


def _break_even(lines: Mapping[str, FlowLine], notes: list[str]) -> dict[str, FlowBreakEven]:
    (reference, without), *others = lines.items()
    found = {}
    for name, line in others:
        try:
            length = break_even_length(line, without)
        except ModelInputError as error:
            notes.append(f"{name} against {reference}: no break-even: {error}")
            continue
        if length.value <= 1:
            notes.append(f"{name} costs less than {reference} from a flow's first packet on")
        found[name] = FlowBreakEven(length=_interval(length), packets=packets_to_gain(length.value))
    return found


def _cost(designs: Mapping[str, FlowPackets], packets: int, notes: list[str]) -> CostAnswer | None:
    given = {}
    for name, one in designs.items():
        if one.first_delay is None or one.later_delay is None:
            notes.append(f"no cost over the weight: packets of {name} carry no time stamps")
            return None
        values = (one.first.value, one.later.value, one.first_delay.value, one.later_delay.value)
        if min(values) < 0:
            notes.append(
                f"no cost over the weight: a cost of {name} is below 0, which only noise "
                "explains; measure more launches"
            )
            return None
        given[name] = values
    return cost_answer(CostInput(designs=given, packets=packets, weights=list(FLOW_WEIGHTS)))


def _interval(found: Estimate) -> Interval:
    return Interval(value=found.value, low=found.low, high=found.high)
