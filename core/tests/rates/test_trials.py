# SPDX-License-Identifier: Apache-2.0
"""What a trial lost and why; which trials say nothing about the NF."""

from dataclasses import replace

import pytest
from nalm_core.rates.trials import (
    LATE,
    NOT_RETURNED,
    UNSENT,
    invalid_reason,
    is_generator_bound,
    loss_ratio,
    losses,
    packets_at_a_time,
    queue_trial,
    shares_core,
    total_losses,
)
from rate_synthetic import INFO, STAGES, Truth, trial


def causes(truth: Truth) -> dict[str, int]:
    return {one.cause: one.packets for one in losses(trial(truth), INFO)}


def test_nothing_lost() -> None:
    assert causes(Truth()) == {}
    assert loss_ratio(trial(Truth()), INFO) == 0
    assert invalid_reason(trial(Truth()), INFO) is None


def test_every_cause_has_its_name() -> None:
    assert causes(Truth(no_port=40, malformed=30)) == {"nat.no_port": 40, "tx.malformed": 30}
    assert causes(Truth(denied=500)) == {}
    assert causes(Truth(vanished=7)) == {NOT_RETURNED: 7}
    assert causes(Truth(sent=900_000, late=100_000, cur=0.999)) == {LATE: 100_000}
    assert causes(Truth(sent=990_000, cur=0.999)) == {UNSENT: 10_000}


def test_stamps_tell_what_did_not_come_back() -> None:
    assert causes(Truth(received=999_990)) == {NOT_RETURNED: 10}
    assert causes(Truth(no_port=10, denied=5, received=999_985)) == {"nat.no_port": 10}


def test_a_batch_that_waits_at_the_end_is_no_loss() -> None:
    assert causes(Truth(sent=999_800)) == {}


def test_losses_name_their_lcore() -> None:
    one = trial(Truth(no_port=40, lcores=2))
    (loss,) = losses(one, INFO)
    assert loss.by_lcore == {0: 20, 1: 20}
    (both,) = total_losses([one, one], INFO)
    assert (both.packets, both.by_lcore) == (80, {0: 40, 1: 40})


def test_the_loss_ratio_counts_what_was_requested() -> None:
    assert loss_ratio(trial(Truth(sent=800_000, late=100_000, cur=0.999)), INFO) == pytest.approx(0.2)
    assert loss_ratio(trial(Truth(intended_pps=None, sent=0, cycles_per_packet=1)), INFO) is None


def test_an_overloaded_nf_is_no_invalid_trial() -> None:
    assert invalid_reason(trial(Truth(sent=700_000, late=300_000, cur=0.999)), INFO) is None


@pytest.mark.parametrize(
    ("truth", "reason"),
    [
        (Truth(claimed=1_050_000), "reports 1050000 packets sent, but the NF took in 1000000"),
        (Truth(sent=1_100_000), "1100000 packets, but 1000000 were due"),
        (Truth(sent=980_000, late=20_000, stolen=0.03, cur=0.999), "lost 30.0 ms to other programs"),
        (Truth(sent=500_000, late=500_000, cur=0.3), "while the NF waited for packets 70.0 % of its time"),
        (Truth(intended_pps=None, stolen=0.2, cur=0.999), "lost 20.0 % of the trial"),
        (Truth(intended_pps=None, cur=0.8), "the generator is the bottleneck"),
        (Truth(sent=0, intended_pps=None, cycles_per_packet=0), "no packet was sent"),
    ],
)
def test_trials_that_say_nothing(truth: Truth, reason: str) -> None:
    found = invalid_reason(trial(truth), INFO)
    assert found is not None
    assert reason in found


def test_stolen_time_that_cost_no_packet_is_no_reason() -> None:
    assert invalid_reason(trial(Truth(stolen=0.04)), INFO) is None


def test_more_loss_than_the_stolen_time_explains_is_the_nfs() -> None:
    assert invalid_reason(trial(Truth(sent=700_000, late=300_000, stolen=0.03, cur=0.999)), INFO) is None


def test_packets_lost_in_a_long_call_are_the_nfs_however_idle_it_is_otherwise() -> None:
    lost = Truth(sent=996_000, late=4_000, stalled=0.005, cur=0.3)
    assert invalid_reason(trial(lost), INFO) is None
    assert causes(lost) == {LATE: 4_000}
    for other, why in (
        (replace(lost, stalled=None), "while the NF waited"),
        (replace(lost, stalled=0.0001), "while the NF waited"),
        (replace(lost, stalled=0.003), "while the NF waited"),
        (replace(lost, stolen=0.005), "lost 5.0 ms to other programs"),
    ):
        assert why in (invalid_reason(trial(other), INFO) or ""), other


def test_a_shared_core_is_seen() -> None:
    assert shares_core(trial(Truth()))
    assert not shares_core(trial(Truth(shared_core=False)))


def test_batches_are_compared_in_undisturbed_trials_only() -> None:
    """A loss that costs no packet still makes packets wait; what was invalid keeps its reason."""
    fine = Truth(together=1.5)
    assert queue_trial(trial(replace(fine, stolen=0.01)), INFO).invalid is None
    lost = replace(fine, stolen=0.02)
    assert queue_trial(trial(lost), INFO).invalid == "an lcore lost 20.00 ms to other programs"
    assert queue_trial(trial(lost, "no packet was sent"), INFO).invalid == "no packet was sent"


def test_batches_are_not_those_of_the_generator() -> None:
    slow = Truth(together=8.0)
    assert packets_at_a_time(trial(slow), INFO) == 8
    assert queue_trial(trial(slow), INFO).invalid == (
        "the generator is too slow: it sent 8.0 packets at a time"
    )
    full = replace(slow, intended_pps=None)
    assert queue_trial(trial(full), INFO).invalid is None, "a closed loop sends as much as there is room"
    assert packets_at_a_time(trial(slow), INFO.model_copy(update={"stages": STAGES[1:]})) is None


def test_a_closed_loop_that_the_generator_bounds() -> None:
    assert is_generator_bound(trial(Truth(intended_pps=None, cur=0.9)))
    assert not is_generator_bound(trial(Truth(intended_pps=None, cur=0.96)))
    assert not is_generator_bound(trial(Truth(cur=0.5)))
