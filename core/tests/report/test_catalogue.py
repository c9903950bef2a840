# SPDX-License-Identifier: Apache-2.0
import pytest
from nalm_core.report.catalogue import METRICS, direction


@pytest.mark.parametrize(
    ("metric", "when_it_grows"),
    [
        ("cpp", "worse"),
        ("ncpp", "worse"),
        ("ipp", "worse"),
        ("cycles_per_visit", "worse"),
        ("eipc", "better"),
        ("core_cpp", "neither"),
        ("core_eipc", "neither"),
        ("core_clock", "neither"),
        ("pps", "better"),
        ("cur", "neither"),
        ("cycles_per_poll", "neither"),
        ("batch_size", "neither"),
        ("visit_rate", "neither"),
        ("calls", "neither"),
        ("resident_bytes", "worse"),
        ("buffers_in_use", "worse"),
        ("binary_bytes", "worse"),
        ("code_bytes", "worse"),
        ("hot_code_bytes", "worse"),
        ("build_seconds", "worse"),
        ("latency_p50_ns", "worse"),
        ("latency_p90_ns", "worse"),
        ("latency_p99_ns", "worse"),
        ("latency_p99_9_ns", "worse"),
        ("latency_max_ns", "worse"),
        ("jitter_p99_ns", "worse"),
        ("loss_ratio", "worse"),
        ("load_cpp", "worse"),
        ("cpp_drift", "worse"),
        ("latency_p99_9_drift", "worse"),
        ("memory_growth", "worse"),
        ("buffers_growth", "worse"),
        ("mrr_pps", "better"),
        ("ndr_pps", "better"),
        ("pdr_pps", "better"),
        ("knee_pps", "better"),
        ("pps_drift", "better"),
        ("l1d_hit_ratio", "neither"),
        ("l1d_replacements_per_packet", "neither"),
    ],
)
def test_direction(metric: str, when_it_grows: str) -> None:
    opposite = {"worse": "better", "better": "worse", "neither": "neither"}[when_it_grows]
    assert direction(metric, 1.1) == when_it_grows
    assert direction(metric, 0.9) == opposite
    assert direction(metric, 1.0) == "neither"


def test_every_metric_has_its_direction_tested_and_says_what_it_is() -> None:
    tested = {case[0] for case in test_direction.pytestmark[0].args[1]}
    assert tested == set(METRICS)
    for name, metric in METRICS.items():
        assert metric.name == name
        assert metric.unit and metric.formula and metric.sentence and metric.scopes and metric.sources


def test_unknown_metric() -> None:
    with pytest.raises(KeyError):
        direction("speed", 1.1)
