# SPDX-License-Identifier: Apache-2.0
"""One trial: lost packets by cause and lcore, and whether the trial is valid.

Packets are lost if the NF dropped them for lack of a resource (`lost`) or as malformed (`bad`), if they did
not come back, or if they were due and the NF did not take them in time: `late` packets were given up,
`unsent` packets still waited at the end. A real NIC would have dropped both at its full queue. Packets that a
rule of the NF drops (`policy`) are not lost.

A generator outside of the NF's process sends to a port: what it sent and the NF did not take in was dropped
at the NF's full receive queue, or lost on the way (`not_taken_in`). Packets that found the generator's own
transmit queue full (`queue_full`) are part of what was not sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean

from nalm_core.rates.defaults import (
    HONEST_LIMIT,
    LOST_LIMIT,
    STOLEN_LIMIT,
    TOGETHER_LIMIT,
    UNSENT_SLACK_PACKETS,
    UNSENT_SLACK_US,
    WAITING_LIMIT,
)
from nalm_core.rates.long_calls import stalled_seconds
from nalm_core.rates.rate_report import Trial
from nalm_core.report.counters import (
    ENDED,
    cpu_time_scale,
    idle_share,
    lcore_idle_share,
    packets_by_kind,
    ratio,
    stolen_share,
    working_lcores,
)
from nalm_core.report.offered_load import NO_SHAPE
from nalm_core.report.run_report import Arm, ArmInfo, OutcomeKind, Round, StageCounters, StageInfo
from nalm_core.text.percents import share_percent

FLOWS_SLACK = 2
"""Flows begun before the trial's first packet, or due after its last."""

LATE, UNSENT, NOT_RETURNED = "generator.late", "generator.unsent", "not_returned"
QUEUE_FULL, NOT_TAKEN_IN = "generator.queue_full", "not_taken_in"
_LOSSES = (OutcomeKind.LOST, OutcomeKind.BAD)


@dataclass(frozen=True, slots=True)
class Loss:
    """Lost packets of one cause."""

    cause: str
    """`stage.outcome`, or one of LATE, UNSENT, QUEUE_FULL, NOT_TAKEN_IN, NOT_RETURNED."""
    packets: int
    by_lcore: dict[int, int] = field(default_factory=dict)
    """Packets by lcore, for outcomes of stages; other causes belong to no lcore."""


def stages_of(trial: Trial) -> dict[str, StageCounters]:
    """The stages, summed over lcores."""
    total: dict[str, StageCounters] = {}
    for lcore in trial.stages:
        for name, one in lcore.stages.items():
            total[name] = _added(total[name], one) if name in total else one
    return total


def _added(a: StageCounters, b: StageCounters) -> StageCounters:
    return StageCounters(
        cycles=a.cycles + b.cycles,
        packets=a.packets + b.packets,
        batches=None if a.batches is None or b.batches is None else a.batches + b.batches,
        outcomes={name: a.outcomes.get(name, 0) + count for name, count in b.outcomes.items()},
    )


def as_round(trial: Trial, number: int = 0) -> Round:
    """The trial as a round of head, for figures and checks of rounds."""
    return Round(
        launch=trial.launch,
        turn=number,
        order=0,
        arm=Arm.HEAD,
        lcores=trial.lcores,
        stages=stages_of(trial),
        steal_ns=trial.steal_ns,
        set_aside=trial.invalid,
    )


def forwarded(trial: Trial, info: ArmInfo) -> int:
    """Packets that the NF sent."""
    return packets_by_kind(as_round(trial), info)[OutcomeKind.SENT]


def intended(trial: Trial) -> int:
    """Packets that were due by the schedule; in a closed loop, the sent packets."""
    traffic = trial.traffic
    if trial.intended_pps is None:
        return traffic.sent
    return max(_scheduled(trial), traffic.sent + traffic.late)


def _scheduled(trial: Trial) -> int:
    """Packets due in an open loop by its clock."""
    assert trial.intended_pps is not None
    return (trial.shape or NO_SHAPE).due(trial.intended_pps, trial.traffic.sending_ns)


def unsent(trial: Trial) -> int:
    """Packets due but not sent at the end, if more than a batch or a moment explains."""
    if trial.intended_pps is None:
        return 0
    waiting = intended(trial) - trial.traffic.sent - trial.traffic.late
    shape = trial.shape or NO_SHAPE
    moment = round(shape.fastest(trial.intended_pps) * UNSENT_SLACK_US / 1e6)
    slack = max(UNSENT_SLACK_PACKETS, moment, shape.burst or 0)
    return waiting if waiting > slack else 0


def found_queue_full(trial: Trial) -> int:
    """Unsent packets that found the generator's transmit queue full."""
    return min(unsent(trial), trial.traffic.queue_full or 0)


def taken_in(trial: Trial, info: ArmInfo) -> int:
    """Packets that the NF's first stage had."""
    first = next((stage.name for stage in info.stages if not stage.apart), None)
    return 0 if first is None else sum(s.stages[first].packets for s in trial.stages if first in s.stages)


def not_taken_in(trial: Trial, info: ArmInfo) -> int:
    """Packets that a generator outside sent and the NF did not take in."""
    if not trial.outside:
        return 0
    return max(0, trial.traffic.sent - taken_in(trial, info))


def not_returned(trial: Trial, info: ArmInfo) -> int:
    """Packets that the NF took in and that neither came back nor have a named drop."""
    kinds = packets_by_kind(as_round(trial), info)
    dropped = sum(kinds[kind] for kind in ENDED if kind is not OutcomeKind.SENT)
    back = trial.traffic.received
    back = kinds[OutcomeKind.SENT] if back is None else back + (trial.traffic.damaged or 0)
    return max(0, trial.traffic.sent - not_taken_in(trial, info) - dropped - back)


def losses(trial: Trial, info: ArmInfo) -> list[Loss]:
    """All causes of lost packets, most packets first."""
    found = [
        Loss(LATE, trial.traffic.late),
        Loss(UNSENT, unsent(trial) - found_queue_full(trial)),
        Loss(QUEUE_FULL, found_queue_full(trial)),
        Loss(NOT_TAKEN_IN, not_taken_in(trial, info)),
        Loss(NOT_RETURNED, not_returned(trial, info)),
    ]
    for stage in info.stages:
        if stage.apart:
            continue
        for outcome, kind in stage.outcomes.items():
            if kind in _LOSSES:
                found.append(_stage_loss(trial, stage, outcome))
    return sorted((one for one in found if one.packets), key=lambda one: -one.packets)


def _stage_loss(trial: Trial, stage: StageInfo, outcome: str) -> Loss:
    by_lcore = {
        lcore.lcore: count
        for lcore in trial.stages
        if stage.name in lcore.stages and (count := lcore.stages[stage.name].outcomes.get(outcome, 0))
    }
    return Loss(f"{stage.name}.{outcome}", sum(by_lcore.values()), by_lcore)


def total_losses(trials: Sequence[Trial], info: ArmInfo) -> list[Loss]:
    """The causes of several trials together, most packets first."""
    packets: dict[str, int] = {}
    lcores: dict[str, dict[int, int]] = {}
    for trial in trials:
        for loss in losses(trial, info):
            packets[loss.cause] = packets.get(loss.cause, 0) + loss.packets
            mine = lcores.setdefault(loss.cause, {})
            for lcore, count in loss.by_lcore.items():
                mine[lcore] = mine.get(lcore, 0) + count
    found = [Loss(cause, count, lcores[cause]) for cause, count in packets.items()]
    return sorted(found, key=lambda one: -one.packets)


def lost_packets(trial: Trial, info: ArmInfo) -> int:
    """All losses together."""
    return sum(one.packets for one in losses(trial, info))


def loss_ratio(trial: Trial, info: ArmInfo) -> float | None:
    """Lost / due packets, in 0..1. None for a trial without due packets."""
    share = ratio(lost_packets(trial, info), intended(trial))
    return None if share is None else min(1.0, share)


def forwarded_pps(trial: Trial, info: ArmInfo) -> float | None:
    """Packets that the NF sent per second of sending, by the wall clock."""
    return ratio(forwarded(trial, info), trial.traffic.sending_ns / 1e9)


def sent_pps(trial: Trial) -> float:
    """Packets per second that the generator sent."""
    return ratio(trial.traffic.sent, trial.traffic.sending_ns / 1e9) or 0.0


def shares_core(trial: Trial) -> bool:
    """True if an lcore that processes packets also runs the generator or sink."""
    return any(lcore.busy_cycles > 0 and lcore.apart_cycles > 0 for lcore in trial.lcores)


def stolen_seconds(trial: Trial) -> float:
    """Longest time for which an lcore's thread did not have its CPU, or the host did not have the CPU."""
    off = max((1 - cpu_time_scale(lcore)) * lcore.turn_wall_ns / 1e9 for lcore in trial.lcores)
    return max(off, (trial.steal_ns or 0) / 1e9 / len(trial.lcores))


def stalls_explain(trial: Trial, short: int) -> bool:
    """Whether so many packets were not sent because the NF was busy with single long calls. Time that others
    took from an lcore may be part of a call's, and does not count."""
    stalled = stalled_seconds(trial) - stolen_seconds(trial)
    return trial.intended_pps is not None and short <= trial.intended_pps * stalled


def least_idle_share(trial: Trial) -> float | None:
    """Idle share of the busiest lcore: 0 if the NF is at its limit."""
    shares = [
        share for lcore in working_lcores(as_round(trial)) if (share := lcore_idle_share(lcore)) is not None
    ]
    return min(shares, default=None)


def invalid_reason(trial: Trial, info: ArmInfo) -> str | None:
    """Why the trial is invalid; None if it is valid. Depends on disturbances, not on the result."""
    dishonest = _dishonest(trial, info)
    if dishonest is not None:
        return dishonest
    if forwarded(trial, info) == 0 and not losses(trial, info):
        return "no packet was sent"
    return _closed_reason(trial) if trial.intended_pps is None else _open_reason(trial)


def _dishonest(trial: Trial, info: ArmInfo) -> str | None:
    """A contradiction between the generator's counters and the NF's, or the generator's own schedule."""
    if said := _contradicted(trial, info):
        return said
    sent = trial.traffic.sent
    if trial.intended_pps is not None:
        due, given = _scheduled(trial), sent + trial.traffic.late
        if given > due * (1 + HONEST_LIMIT) + UNSENT_SLACK_PACKETS:
            return f"the generator sent or gave up {given} packets, but {due} were due"
        if flows := _other_flows(trial):
            return flows
        wall = fmean(lcore.turn_wall_ns for lcore in trial.lcores)
        if trial.traffic.sending_ns > wall * (1 + HONEST_LIMIT):
            return "the generator reports a sending time longer than the trial"
    return None


def _other_flows(trial: Trial) -> str | None:
    """A number of begun flows other than that of the packets, of which each begins one at most."""
    per_second, begun = (trial.shape or NO_SHAPE).new_flows, trial.traffic.flows_begun
    if per_second is None or begun is None or trial.intended_pps is None:
        return None
    due = (trial.traffic.sent + trial.traffic.late) * min(1.0, per_second / trial.intended_pps)
    if abs(begun - due) > max(HONEST_LIMIT * due, FLOWS_SLACK):
        return f"the generator began {begun} flows, but {due:.0f} were due"
    return None


def _contradicted(trial: Trial, info: ArmInfo) -> str | None:
    """The generator's number of sent packets against the NF's. Outside, the NF may have taken in fewer."""
    sent, taken = trial.traffic.sent, taken_in(trial, info)
    off = ratio(taken - sent if trial.outside else abs(sent - taken), max(sent, taken))
    if off is not None and off > HONEST_LIMIT:
        return f"the generator reports {sent} packets sent, but the NF took in {taken}"
    return None


def _closed_reason(trial: Trial) -> str | None:
    one = as_round(trial)
    stolen, waited = stolen_share(one), idle_share(one)
    if stolen > STOLEN_LIMIT:
        return f"an lcore lost {share_percent(stolen)} of the trial to other programs"
    if waited is not None and waited > WAITING_LIMIT:
        return (
            f"the NF waited for packets {share_percent(waited)} of its time: the generator is the bottleneck"
        )
    return None


def _open_reason(trial: Trial) -> str | None:
    """A reason if packets were not sent and the NF was not the cause."""
    assert trial.intended_pps is not None
    short = trial.traffic.late + unsent(trial)
    if short == 0 or stalls_explain(trial, short):
        return None
    stolen = stolen_seconds(trial)
    if short <= trial.intended_pps * stolen:
        lost = f"an lcore lost {stolen * 1000:.1f} ms to other programs"
        return f"{short} packets were not sent in time, and {lost}"
    idle = least_idle_share(trial)
    if idle is not None and idle > WAITING_LIMIT:
        waited = f"the NF waited for packets {share_percent(idle)} of its time"
        full = found_queue_full(trial)
        where = f", {full} of them before the generator's full transmit queue," if full else ""
        return f"{short} packets were not sent in time{where} while {waited}"
    return None


def packets_at_a_time(trial: Trial, info: ArmInfo) -> float | None:
    """Mean number of packets that the generator handed over at once; None if it is not counted."""
    first = next((stage.name for stage in info.stages if stage.apart), None)
    one = stages_of(trial).get(first or "")
    return None if one is None or not one.batches else one.packets / one.batches


def is_generator_bound(trial: Trial) -> bool:
    """True for a closed loop in which the NF waited for packets."""
    waited = idle_share(as_round(trial))
    return trial.intended_pps is None and waited is not None and waited > WAITING_LIMIT


def carried_all(trial: Trial, info: ArmInfo) -> bool:
    """True for a closed loop that is invalid only because the NF waited for packets of a generator outside:
    at full load it forwards at least what it forwarded here."""
    stolen = stolen_share(as_round(trial)) > STOLEN_LIMIT
    return trial.outside and is_generator_bound(trial) and not stolen and _dishonest(trial, info) is None


def queue_trial(trial: Trial, info: ArmInfo) -> Trial:
    """The trial, marked as invalid if something else than the load made packets wait together.

    That is an lcore off its CPU, whatever the loss, or a generator so slow that several packets become due
    between two looks at its clock.
    """
    if trial.invalid is not None:
        return trial
    reason, lost, together = None, stolen_seconds(trial), packets_at_a_time(trial, info)
    if lost > LOST_LIMIT * trial.intended_s:
        reason = f"an lcore lost {lost * 1000:.2f} ms to other programs"
    elif trial.intended_pps is not None and together is not None and together > TOGETHER_LIMIT:
        reason = f"the generator is too slow: it sent {together:.1f} packets at a time"
    return trial.model_copy(update={"invalid": reason})
