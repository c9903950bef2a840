# SPDX-License-Identifier: Apache-2.0
"""Whether a generator offers what it is asked for: a table of rates, from trials of a running NF.

A packet that was not sent is the generator's fault only if the NF waited for packets meanwhile, and no long
call of the NF explains it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from nalm_core.rates.defaults import HONEST_LIMIT, UNSENT_SLACK_PACKETS, WAITING_LIMIT
from nalm_core.rates.rate_report import Trial
from nalm_core.rates.trials import (
    as_round,
    found_queue_full,
    intended,
    least_idle_share,
    not_taken_in,
    stalls_explain,
    stolen_seconds,
    taken_in,
)
from nalm_core.report.counters import packets_by_kind
from nalm_core.report.run_report import ArmInfo, OutcomeKind
from nalm_core.text.percents import share_percent

TOLERANCE_PACKETS = round(UNSENT_SLACK_PACKETS / HONEST_LIMIT)
"""Packets from which the tolerance is HONEST_LIMIT: with fewer, one batch is more than that."""


class OfferOutcome(StrEnum):
    OFFERED = "offered"
    NF_FULL = "nf_full"
    """The NF was busy, all the time or with a long call, so it decided what was sent."""
    QUEUE_FULL = "queue_full"
    """The generator's transmit queue was full while the NF waited."""
    TOO_SLOW = "too_slow"
    TOO_MANY = "too_many"
    CONTRADICTED = "contradicted"
    """The NF took in another number of packets than were sent."""
    DISTURBED = "disturbed"
    """Other programs took the time in which the packets would have been sent."""


WRONG = (OfferOutcome.TOO_MANY, OfferOutcome.CONTRADICTED)
LACKING = (OfferOutcome.QUEUE_FULL, OfferOutcome.TOO_SLOW)


@dataclass(frozen=True, slots=True)
class OfferedRate:
    """What a generator did at one rate."""

    pps: int | None
    """None: as fast as packets are taken."""
    seconds: float
    due: int
    sent: int
    queue_full: int | None
    taken_in: int
    nf_dropped: int
    """Packets that the NF lost: at its receive queue, or in a stage for want of a resource."""
    nf_idle: float | None
    """Idle share of the NF's busiest lcore."""
    outcome: OfferOutcome
    said: str

    @property
    def sent_pps(self) -> float:
        return self.sent / self.seconds if self.seconds else 0.0


@dataclass(frozen=True, slots=True)
class CheckedGenerator:
    """All rates, and up to which the generator is trusted."""

    rates: list[OfferedRate]
    trusted_pps: float | None
    """The greatest rate that was offered, below every rate that was not. None: it is not trusted."""
    reason: str | None
    """Why it is not trusted, or not beyond that rate."""


def offered_rate(trial: Trial, info: ArmInfo) -> OfferedRate:
    """What the generator did in this trial. The trial may be invalid: this says why."""
    traffic, due, idle = trial.traffic, intended(trial), least_idle_share(trial)
    outcome, said = _outcome(trial, info, due, idle)
    return OfferedRate(
        pps=trial.intended_pps,
        seconds=traffic.sending_ns / 1e9,
        due=due,
        sent=traffic.sent,
        queue_full=traffic.queue_full,
        taken_in=taken_in(trial, info),
        nf_dropped=not_taken_in(trial, info) + packets_by_kind(as_round(trial), info)[OutcomeKind.LOST],
        nf_idle=idle,
        outcome=outcome,
        said=said,
    )


def _outcome(trial: Trial, info: ArmInfo, due: int, idle: float | None) -> tuple[OfferOutcome, str]:
    sent, taken = trial.traffic.sent, taken_in(trial, info)
    differs = taken - sent if trial.outside else abs(taken - sent)
    if differs > HONEST_LIMIT * max(sent, taken):
        return OfferOutcome.CONTRADICTED, f"it reports {sent:,} packets sent, the NF took in {taken:,}"
    if sent == 0:
        return OfferOutcome.TOO_SLOW, "it sent nothing"
    if trial.intended_pps is None:
        return _at_full_load(trial, idle)
    tolerance = max(HONEST_LIMIT * due, UNSENT_SLACK_PACKETS)
    by_clock = trial.intended_pps * trial.traffic.sending_ns / 1e9
    if sent > by_clock + tolerance:
        more = share_percent(sent / by_clock - 1)
        return OfferOutcome.TOO_MANY, f"it sent {more} more than it was asked for"
    if due - sent <= tolerance:
        return OfferOutcome.OFFERED, "as asked"
    return _missing(trial, due, idle)


def _missing(trial: Trial, due: int, idle: float | None) -> tuple[OfferOutcome, str]:
    """Why fewer packets were sent than were due."""
    assert trial.intended_pps is not None
    short = due - trial.traffic.sent
    missing = f"{share_percent(short / due)} were not sent"
    if stalls_explain(trial, short):
        return OfferOutcome.NF_FULL, f"{missing}; the NF was busy with single long calls"
    if short <= trial.intended_pps * stolen_seconds(trial):
        return OfferOutcome.DISTURBED, f"{missing}; other programs took its time"
    if idle is None or idle <= WAITING_LIMIT:
        return OfferOutcome.NF_FULL, f"{missing}; the NF was busy all the time"
    waited = f"while the NF waited for packets {share_percent(idle)} of its time"
    if full := found_queue_full(trial):
        return OfferOutcome.QUEUE_FULL, f"{missing}: its transmit queue was full for {full:,}, {waited}"
    return OfferOutcome.TOO_SLOW, f"{missing} {waited}"


def _at_full_load(trial: Trial, idle: float | None) -> tuple[OfferOutcome, str]:
    if idle is None or idle <= WAITING_LIMIT:
        return OfferOutcome.NF_FULL, "the NF was busy all the time"
    queue = "; its transmit queue was full" if trial.traffic.queue_full else ""
    return OfferOutcome.OFFERED, f"its greatest rate: the NF waited {share_percent(idle)} of its time{queue}"


def check_offered(rates: Sequence[OfferedRate], *, paced: bool = True) -> CheckedGenerator:
    """Up to which rate the generator is trusted. Rates at which the NF was full say nothing about it, unless
    it sends at its greatest rate only (not paced): then it may only not contradict the NF."""
    found = list(rates)
    wrong = next((one for one in found if one.outcome in WRONG), None)
    if wrong is not None:
        return CheckedGenerator(found, None, f"{_rate_text(wrong.pps)}: {wrong.said}")
    if not paced and found and found[0].sent:
        full = found[0]
        limited = full.outcome is OfferOutcome.OFFERED
        return CheckedGenerator(found, full.sent_pps, full.said if limited else None)
    lacking = [one for one in found if one.outcome in LACKING]
    least = min((_requested_pps(one) for one in lacking), default=None)
    good = [_requested_pps(one) for one in found if one.outcome is OfferOutcome.OFFERED]
    below = [pps for pps in good if least is None or pps < least]
    first = min(lacking, key=_requested_pps, default=None)
    why = None if first is None else f"{_rate_text(first.pps)}: {first.said}"
    if not below:
        busy = all(one.outcome is OfferOutcome.NF_FULL for one in found)
        none = "the NF was busy at every rate" if busy else "no rate could be judged"
        return CheckedGenerator(found, None, why or none)
    return CheckedGenerator(found, max(below), why)


def _requested_pps(one: OfferedRate) -> float:
    return one.sent_pps if one.pps is None else one.pps


def _rate_text(pps: int | None) -> str:
    return "at full load" if pps is None else f"at {pps:,} packets/s"
