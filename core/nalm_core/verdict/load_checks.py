# SPDX-License-Identifier: Apache-2.0
"""Checks of an open loop: both arms were offered the load that was asked for.

A load that a generator did not send, or that base does not carry, makes the run invalid. A load that base
carries and head does not makes head broken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import median, stdev

from nalm_core.report.counters import idle_share, ratio, taken_in
from nalm_core.report.defaults import GENERATOR_LIMIT, OFFERED_LIMIT, STARVED_LIMIT
from nalm_core.report.run_report import Arm, ArmInfo, Check, Round
from nalm_core.text.percents import share_percent

ERRORS = 3.0
"""Standard errors of the mean that random gaps may add, over the rounds."""

Arms = Mapping[Arm, ArmInfo]
RoundsByArm = Mapping[Arm, Sequence[Round]]


def load_offered(arms: Arms, kept: RoundsByArm) -> Check | None:
    """Every generator sent what was due, and the NF took it in. None in a closed loop."""
    paced = _paced(kept)
    if not paced:
        return None
    found = [
        (abs(_off(rounds)) / OFFERED_LIMIT, _said(arm, rounds))
        for arm, rounds in sorted(paced.items(), key=lambda one: one[0] is not Arm.BASE)
        if not _is_heads_fault(paced, arm)
    ]
    found += [_taken(arms[arm], arm, rounds) for arm, rounds in paced.items()]
    found += [_renewed(arm, rounds) for arm, rounds in paced.items() if _flows_due(rounds) > 0]
    # What base lacks explains what head lacks.
    value, where = next((one for one in found if one[0] > 1), max(found))
    passed = value <= 1
    message = "the generators sent what was due, and the NF took it in" if passed else where
    return Check(name="load_offered", passed=passed, value=value, limit=1.0, message=message)


def load_carried(kept: RoundsByArm) -> Check | None:
    """Head carries the load that base carries. None in a closed loop, or if base does not carry it."""
    paced = _paced(kept)
    if Arm.BASE not in paced or abs(_off(paced[Arm.BASE])) > OFFERED_LIMIT:
        return None
    found = [(max(0.0, -_off(rounds)), arm) for arm, rounds in paced.items() if _is_heads_fault(paced, arm)]
    if not found:
        return Check(
            name="load_carried",
            passed=True,
            value=0.0,
            limit=OFFERED_LIMIT,
            message="every arm carries the load that base carries",
        )
    value, arm = max(found)
    said = f"{_said(arm, paced[arm])}; base carries it"
    return Check(name="load_carried", passed=False, value=value, limit=OFFERED_LIMIT, message=said)


def _paced(kept: RoundsByArm) -> RoundsByArm:
    """Rounds of an open loop."""
    found = {arm: [one for one in rounds if one.traffic is not None] for arm, rounds in kept.items()}
    return {arm: rounds for arm, rounds in found.items() if _due(rounds) > 0}


def _due(rounds: Sequence[Round]) -> int:
    return sum(one.traffic.due for one in rounds if one.traffic is not None)


def _sent(rounds: Sequence[Round]) -> int:
    return sum(one.traffic.sent for one in rounds if one.traffic is not None)


def _off(rounds: Sequence[Round]) -> float:
    """Packets sent beyond those due, as a share of them, without what gaps explain; negative: too few.

    The scatter is that around the share: rounds of different lengths that all lack 90 % do not scatter.
    """
    due, sent, turns = _due(rounds), _sent(rounds), len(rounds)
    share = sent / due - 1
    around = [one.traffic.sent - one.traffic.due * (1 + share) for one in rounds if one.traffic is not None]
    explained = turns + ERRORS * sqrt(turns) * (stdev(around) if turns > 1 else 0.0)
    off = max(0.0, abs(sent - due) - explained) / due
    return off if share > 0 else -off


def _waited(rounds: Sequence[Round]) -> float | None:
    """Idle share of the busiest lcore, median round."""
    shares = [share for one in rounds if (share := idle_share(one)) is not None]
    return median(shares) if shares else None


def _is_heads_fault(paced: RoundsByArm, arm: Arm) -> bool:
    """True if this arm was too slow for a load that base carries."""
    base = paced.get(Arm.BASE)
    if arm is Arm.BASE or base is None or abs(_off(base)) > OFFERED_LIMIT:
        return False
    waited = _waited(paced[arm])
    return _off(paced[arm]) < -OFFERED_LIMIT and waited is not None and waited <= STARVED_LIMIT


def _said(arm: Arm, rounds: Sequence[Round]) -> str:
    seconds = sum(one.traffic.sending_ns for one in rounds if one.traffic is not None) / 1e9
    due, sent = (ratio(packets, seconds) or 0.0 for packets in (_due(rounds), _sent(rounds)))
    text = f"{arm}: {sent:,.0f} of {due:,.0f} packets/s were sent"
    if sent > due:
        return f"{text}: the generator does not keep to its schedule"
    waited = _waited(rounds)
    if waited is not None and waited <= STARVED_LIMIT:
        return f"{text}: the NF was busy all the time, so the load is above what it carries"
    idle = "" if waited is None else f", while the NF waited for packets {share_percent(waited)} of its time"
    return f"{text}{idle}: the generator cannot send this load"


def _flows_due(rounds: Sequence[Round]) -> int:
    return sum(one.traffic.flows_due or 0 for one in rounds if one.traffic is not None)


def _renewed(arm: Arm, rounds: Sequence[Round]) -> tuple[float, str]:
    """How far the number of new flows is from that due, in limits. One in a turn is rounding."""
    begun = sum(one.traffic.flows_begun or 0 for one in rounds if one.traffic is not None)
    late = sum(one.traffic.late for one in rounds if one.traffic is not None)
    # Packets that were not sent have a finding of their own; those given up begin their flows later.
    due = _flows_due(rounds) * min(1.0, (_sent(rounds) + late) / _due(rounds))
    off = max(0.0, abs(begun - due) - len(rounds)) / max(due, 1)
    return off / OFFERED_LIMIT, f"{arm}: the generator began {begun:,} new flows, and {due:,.0f} were due"


def _taken(info: ArmInfo, arm: Arm, rounds: Sequence[Round]) -> tuple[float, str]:
    """How far the generator's count is from the NF's, in limits."""
    sent, taken = _sent(rounds), sum(taken_in(one, info) for one in rounds)
    off = abs(sent - taken) / max(sent, taken, 1)
    text = f"{arm}: the generator reports {sent:,} packets sent, the NF took in {taken:,}"
    return off / GENERATOR_LIMIT, text
