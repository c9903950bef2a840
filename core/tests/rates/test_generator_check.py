# SPDX-License-Identifier: Apache-2.0
"""Generators of known behaviour: what they offered, and whose fault it is if it was less."""

from __future__ import annotations

from dataclasses import replace

import pytest
from nalm_core.rates.generator_check import OfferedRate, OfferOutcome, check_offered, offered_rate
from nalm_core.rates.rate_report import Trial
from nalm_core.rates.trials import invalid_reason, losses
from rate_synthetic import INFO, Truth, trial

EXACT = Truth(intended_pps=1_000_000, sent=1_000_000)
SHORT = replace(EXACT, sent=900_000)
BUSY = replace(SHORT, cur=0.99, shared_core=False)


def outside(truth: Truth, *, on_the_way: int = 0, queue_full: int | None = None) -> Trial:
    """The same with a generator outside of which so many packets got lost before the NF."""
    made = trial(truth)
    traffic = made.traffic.model_copy(
        update={"sent": made.traffic.sent + on_the_way, "queue_full": queue_full}
    )
    return made.model_copy(update={"traffic": traffic, "outside": True})


def rate(made: Trial) -> OfferedRate:
    return offered_rate(made, INFO)


@pytest.mark.parametrize(
    ("made", "outcome"),
    [
        (trial(EXACT), OfferOutcome.OFFERED),
        (trial(replace(EXACT, sent=990_100)), OfferOutcome.OFFERED),
        (trial(replace(EXACT, sent=1_010_300)), OfferOutcome.TOO_MANY),
        (trial(replace(EXACT, claimed=980_000)), OfferOutcome.CONTRADICTED),
        (trial(SHORT), OfferOutcome.TOO_SLOW),
        (trial(BUSY), OfferOutcome.NF_FULL),
        (trial(replace(SHORT, stolen=0.2)), OfferOutcome.DISTURBED),
        (trial(replace(SHORT, stalled=0.2)), OfferOutcome.NF_FULL),
        (outside(SHORT, queue_full=99_000), OfferOutcome.QUEUE_FULL),
        (outside(BUSY, queue_full=99_000), OfferOutcome.NF_FULL),
        (outside(SHORT, queue_full=0), OfferOutcome.TOO_SLOW),
        (outside(SHORT, on_the_way=100_000), OfferOutcome.OFFERED),
        (outside(replace(EXACT, claimed=980_000)), OfferOutcome.CONTRADICTED),
    ],
)
def test_each_cause_has_its_outcome(made: Trial, outcome: OfferOutcome) -> None:
    assert rate(made).outcome is outcome


def test_packets_before_the_nf_are_its_drops_and_no_fault_of_the_generator() -> None:
    made = outside(SHORT, on_the_way=100_000, queue_full=0)
    assert invalid_reason(made, INFO) is None
    assert {one.cause: one.packets for one in losses(made, INFO)} == {"not_taken_in": 100_000}
    assert rate(made).nf_dropped == 100_000


def test_a_full_transmit_queue_is_distinguished() -> None:
    found = {one.cause: one.packets for one in losses(outside(BUSY, queue_full=70_000), INFO)}
    assert found == {"generator.queue_full": 70_000, "generator.unsent": 30_000}
    waiting = outside(SHORT, queue_full=70_000)
    assert "70000 of them before the generator's full transmit queue" in (invalid_reason(waiting, INFO) or "")


def of(pps: int, sent: int, **more: object) -> OfferedRate:
    return rate(trial(Truth(intended_pps=pps, sent=sent, **more)))  # type: ignore[arg-type]


def test_it_is_trusted_up_to_the_first_rate_that_it_lacks() -> None:
    found = check_offered([of(200_000, 200_000), of(400_000, 400_000), of(800_000, 600_000)])
    assert found.trusted_pps == 400_000
    assert "at 800,000 packets/s: 25.0 % were not sent" in (found.reason or "")


def test_a_full_nf_says_nothing_about_the_generator() -> None:
    full = of(800_000, 600_000, cur=0.99, shared_core=False)
    assert check_offered([of(200_000, 200_000), full]).trusted_pps == 200_000
    none = check_offered([full])
    assert (none.trusted_pps, none.reason) == (None, "the NF was busy at every rate")


def test_a_generator_that_contradicts_the_nf_is_never_trusted() -> None:
    found = check_offered([of(200_000, 200_000), of(400_000, 400_000, claimed=300_000)])
    assert found.trusted_pps is None
    assert found.reason == "at 400,000 packets/s: it reports 300,000 packets sent, the NF took in 400,000"


def test_one_that_sends_only_its_greatest_rate_says_whether_that_fills_the_nf() -> None:
    waiting = rate(trial(Truth(intended_pps=None, sent=500_000)))
    found = check_offered([waiting], paced=False)
    assert found.trusted_pps == 500_000
    assert (found.reason or "").startswith("its greatest rate: the NF waited")
    busy = rate(trial(Truth(intended_pps=None, sent=500_000, cur=0.99, shared_core=False)))
    assert check_offered([busy], paced=False).reason is None


def test_one_that_sends_nothing_is_not_trusted() -> None:
    found = check_offered([of(200_000, 0)])
    assert (found.trusted_pps, found.reason) == (None, "at 200,000 packets/s: it sent nothing")
