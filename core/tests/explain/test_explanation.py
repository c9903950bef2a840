# SPDX-License-Identifier: Apache-2.0
"""Known causes are explained rightly, and what was not counted is never guessed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from explaining import (
    LATENCIES,
    costlier,
    explained,
    renamed,
    with_functions,
    with_host,
    with_lcores,
    with_model,
    with_samples,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from nalm_core.explain import Explanation, explain
from nalm_core.report.event_counts import EventCount
from nalm_core.report.run_report import Arm, StageCounters
from nalm_core.report.serialization import parse_report
from nalm_core.verdict.verdict import judge
from nalm_synthetic import PACKETS, changed, make_report
from rate_runs import rate_run
from rendering import of_outcome

FIXTURES = Path(__file__).parents[1] / "fixtures/explained"
MORE = costlier(nat=190.0, ipp=430)
SLOWER = costlier(nat=180.0)


@pytest.mark.parametrize(
    ("base", "head", "function", "detail"),
    [
        ({"look": (300, 1)}, {"look": (400, 1)}, "look", "more_instructions"),
        ({"look": (100, 0.5), "go": (200, 1)}, {"look": (200, 1.0), "go": (200, 1)}, "look", "more_calls"),
        ({"go": (200, 1), "rare": (20, 1)}, {"go": (200, 1), "log": (100, 1)}, "log", "new_function"),
        ({"go": (300, 1), "rare": (20, 1)}, {"go": (200, 1), "sum": (180, 1)}, "sum", "inlining_lost"),
    ],
)
def test_below_more_instructions(base, head, function, detail) -> None:
    found = explained(with_functions(MORE, base, head))
    assert (found.stage, found.cause, found.function, found.detail) == (
        "nat",
        "instructions",
        function,
        detail,
    )
    assert (found.file, found.line, found.named_by) == ("src/nat.c", 10, "instructions")


def test_a_function_that_the_report_may_have_left_out_is_not_called_new() -> None:
    found = explained(with_functions(MORE, {"go": (300, 1)}, {"go": (300, 1), "log": (100, 1)}))
    assert (found.function, found.detail) == ("log", "more_instructions")


def test_samples_name_the_function_before_instructions_do() -> None:
    counted = with_functions(MORE, {"look": (300, 1)}, {"look": (400, 1)})
    sampled = with_samples(counted, {"hash": 5000, "rest": 9000}, {"hash": 9000, "rest": 9000})
    found = explained(sampled)
    assert (found.function, found.file, found.line, found.named_by) == ("hash", "src/nat.c", 42, "samples")


def test_the_line_is_one_of_the_repository_where_there_is_one() -> None:
    header = "/usr/include/dpdk/rte_common.h"
    report = with_samples(MORE, {"hash": 5000, "rest": 9000}, {"hash": 9000, "rest": 9000}, header)
    assert (explained(report).file, explained(report).line) == ("src/nat.c", 77)


@pytest.mark.parametrize(
    ("event", "grown", "detail"),
    [
        ("l1d_misses", 2.0, "cache"),
        ("ll_misses", 0.5, "cache"),
        ("l1i_misses", 2.0, "instruction_cache"),
        ("branch_misses", 1.5, "branches"),
    ],
)
def test_below_pipeline_use(event, grown, detail) -> None:
    plain = {"l1d_misses": 1.0, "ll_misses": 0.1, "l1i_misses": 0.5, "branch_misses": 0.5}
    report = with_host(
        with_model(SLOWER, plain, plain | {event: plain[event] + grown}), latencies_ns=LATENCIES
    )
    found = explained(report)
    assert (found.cause, found.detail) == ("pipeline", detail)
    assert found.share is not None and 0 < found.share.low <= found.share.high
    assert found.share.of == pytest.approx(30, abs=3)


def test_misses_are_priced_with_the_hosts_latencies() -> None:
    report = with_model(SLOWER, {"l1d_misses": 1.0, "ll_misses": 0.0}, {"l1d_misses": 2.0, "ll_misses": 0.5})
    share = explained(with_host(report, latencies_ns=LATENCIES)).share
    assert share is not None and share.priced_with.startswith("this host")
    each = report.host.tsc_hz / 1e9
    assert share.low == pytest.approx((6.0 - 2.5 + 0.5 * 50) * each)
    assert share.high == pytest.approx((20.0 - 2.5 + 0.5 * 50) * each)
    stated = explained(report)
    assert stated.share is not None and not stated.share.priced_with.startswith("this host")
    assert any("nalm doctor" in text for text in stated.missing)


def test_too_few_misses_do_not_explain_a_large_change() -> None:
    found = explained(with_model(costlier(nat=300.0), {"l1d_misses": 1.0}, {"l1d_misses": 1.1}))
    assert (found.detail, found.share) == ("unknown", None)
    assert "do not show why" in found.text and found.missing


def test_what_was_not_counted_is_unknown_and_says_what_would_tell() -> None:
    found = explained(SLOWER)
    assert (found.stage, found.cause, found.detail, found.function) == ("nat", "pipeline", "unknown", None)
    assert any("PMU" in text for text in found.missing) and any("perf" in text for text in found.missing)
    assert not {"l1d_misses_per_packet", "branch_misses_per_packet"} & {one.name for one in found.evidence}


def test_locks_in_functions_or_inlined_are_waiting() -> None:
    base, head = {"work": 9000, "flow_lock": 100}, {"work": 9000, "flow_lock": 3000}
    assert explained(with_samples(SLOWER, base, head)).detail == "waiting"
    inlined = with_samples(SLOWER, {"work": 9000}, {"work": 9000}, "/usr/include/dpdk/rte_spinlock.h")
    assert explained(inlined).detail == "waiting"


@pytest.mark.parametrize("name", ["read_clock", "block_sum", "monitoring", "classify"])
def test_a_clock_is_no_lock(name: str) -> None:
    report = with_samples(SLOWER, {"work": 9000, name: 100}, {"work": 9000, name: 3000})
    assert explained(report).detail == "unknown"
    assert explained(with_lcores(renamed("monitoring", 190.0, 330), 2)).detail == "unknown"


def test_where_no_stage_bears_the_change_the_chain_is_explained() -> None:
    report = with_functions(MORE, {"look": (300, 1)}, {"look": (400, 1)})
    verdict = judge(report).model_copy(update={"culprit_stages": []})
    found = explain(with_model(report, {"l1d_misses": 1.0}, {"l1d_misses": 3.0}), verdict)
    assert (found.stage, found.function) == (None, "look") and "the chain as a whole" in found.text
    assert "l1d_misses_per_packet" in {one.name for one in found.evidence}


@pytest.mark.parametrize("nonsense", [{"tsc_hz": 10**400}, {"latencies_ns": dict.fromkeys(LATENCIES, 1e308)}])
def test_a_host_that_cannot_be_is_not_priced_with(nonsense) -> None:
    report = with_model(SLOWER, {"l1d_misses": 1.0}, {"l1d_misses": 3.0})
    odd = with_host(report, **({"latencies_ns": LATENCIES} | nonsense))
    share = explain(odd, judge(report)).share
    assert share is not None and not share.priced_with.startswith("this host")


def test_a_hand_over_that_nothing_else_explains_waits() -> None:
    assert explained(with_lcores(renamed("handover_in", 190.0, 330), 2)).detail == "waiting"
    assert explained(renamed("handover_in", 190.0, 330)).detail == "unknown", "one lcore waits for no other"
    assert explained(with_lcores(renamed("nat44", 190.0, 330), 2)).detail == "unknown"


def test_smaller_batches_of_the_stage() -> None:
    report = costlier(nat=190.0, ipp=430)
    rounds = [
        one.model_copy(
            update={
                "stages": one.stages | {"nat": one.stages["nat"].model_copy(update={"batches": PACKETS // 8})}
            }
        )
        if one.arm == "head"
        else one
        for one in report.rounds
    ]
    found = explained(report.model_copy(update={"rounds": rounds}))
    assert found.detail == "smaller_batches"
    (batch,) = [one for one in found.evidence if one.name == "mean_batch"]
    assert batch.after == pytest.approx(8)


def test_smaller_bulks_of_a_function() -> None:
    slower = costlier(nat=250.0, ipp=350)
    report = with_functions(slower, {"classify": (100, 1 / 32)}, {"classify": (120, 1 / 4)})
    assert explained(report).detail == "smaller_batches"
    fewer = with_functions(slower, {"classify": (100, 1 / 32)}, {"classify": (20, 1 / 6)})
    assert explained(fewer).detail == "unknown", "it works on fewer packets, which cannot cost more"


def test_an_improvement_is_reported_backwards_and_without_advice() -> None:
    better = costlier(nat=120.0, ipp=230)
    found = explained(with_functions(better, {"look": (300, 1)}, {"look": (200, 1)}))
    assert (found.detail, found.function, found.advice) == ("fewer_instructions", "look", [])
    assert "was saved in nat" in found.text
    faster = with_model(costlier(nat=120.0), {"l1d_misses": 3.0}, {"l1d_misses": 1.0})
    assert explained(faster).detail == "cache" and "less data misses" in explained(faster).text


def test_without_a_change_there_is_nothing_to_explain() -> None:
    report = make_report(changed(), launches=6, turns=4)
    found = explain(report, judge(report))
    assert (found.detail, found.evidence, found.advice) == (None, [], [])


def test_nobodys_edit_is_blamed() -> None:
    """Time often goes into a function that the commit left alone."""
    report = with_functions(MORE, {"look": (300, 1)}, {"look": (400, 1)})
    reported = explained(report.model_copy(update={"changed_functions": ["other"]}))
    said = " ".join([reported.text, *reported.missing, *(one.text for one in reported.advice)]).lower()
    assert not any(word in said for word in ("culprit", "blame", "fault", "edited", "commit", "your change"))
    assert reported == explained(report.model_copy(update={"changed_functions": ["look"]}))


@pytest.mark.parametrize(
    ("name", "stage", "place", "detail", "rule"),
    [
        (
            "cache",
            "nat",
            "src/table/signature_table.c",
            "cache",
            "bucket-in-one-line",
        ),
        ("waiting", "dispatch", "src/model/dispatch.c", "waiting", "no-waiting-on-locks"),
    ],
)
def test_measured_mutants(name, stage, place, detail, rule) -> None:
    """planted/20-indexes-by-pointer and 43-dispatch-lock-load as measured, cut to what pays."""
    report = parse_report((FIXTURES / f"{name}.json").read_bytes())
    found = explained(report)
    assert (found.stage, found.file, found.named_by) == (stage, place, "samples")
    assert (found.cause, found.detail, found.advice[0].rule) == ("pipeline", detail, rule)


def test_launches_that_differ_far_more_than_before_are_the_layout_of_memory() -> None:
    report = costlier(nat=200.0)
    factors = {launch: 1 + 0.2 * (launch % 2) for launch in range(9)}
    rounds = [
        one.model_copy(
            update={"stages": one.stages | {"nat": _times(one.stages["nat"], factors[one.launch])}}
        )
        if one.arm == "head"
        else one
        for one in report.rounds
    ]
    found = explain(report.model_copy(update={"rounds": rounds, "checks": []}), judge(report))
    assert found.detail == "memory_layout"


def _times(stage: StageCounters, factor: float) -> StageCounters:
    return stage.model_copy(update={"cycles": round(stage.cycles * factor)})


def test_tlb_misses_are_distinguished_from_cache_misses_where_a_pmu_counts_them() -> None:
    def counted(arm: Arm, tlb: int) -> EventCount:
        return EventCount(
            arm=arm,
            launch=0,
            packets=1000,
            stages={"nat": {"cycles": 200_000, "instructions": 300_000, "dtlb_misses": tlb}},
        )

    report = with_host(SLOWER, latencies_ns=LATENCIES).model_copy(
        update={"event_counts": [counted(Arm.BASE, 10), counted(Arm.HEAD, 1510)]}
    )
    found = explained(report)
    assert found.detail == "tlb" and "fewer-pages" in [one.rule for one in found.advice]
    one_arm = report.model_copy(update={"event_counts": report.event_counts[1:]})
    assert explained(one_arm).detail == "unknown"


def test_more_visits_of_a_stage_that_costs_the_same_for_each() -> None:
    report = costlier(nat=300.0, ipp=660)
    rounds = [
        one.model_copy(
            update={
                "stages": one.stages
                | {
                    "nat": one.stages["nat"].model_copy(
                        update={"packets": PACKETS * 2, "batches": PACKETS // 16}
                    )
                }
            }
        )
        if one.arm == "head"
        else one
        for one in report.rounds
    ]
    changed_visits = report.model_copy(update={"rounds": rounds, "checks": []})
    assert explain(changed_visits, judge(report)).detail == "more_visits"


EVENTS = st.dictionaries(
    st.sampled_from(["l1d_misses", "ll_misses", "branch_misses", "l1i_misses", "data_accesses"]),
    st.floats(0, 1e6),
)
FUNCTIONS = st.dictionaries(
    st.sampled_from(["look", "go", "flow_lock", "x"]),
    st.tuples(st.floats(0, 1e6), st.floats(0, 1e6)),
    max_size=4,
)
SAMPLES = st.dictionaries(
    st.sampled_from(["look", "go", "flow_lock", "x"]), st.integers(0, 10**9), max_size=4
)


@pytest.mark.nightly
@settings(max_examples=60, deadline=None)
@given(
    costs=st.tuples(st.floats(1, 2000), st.integers(0, 5000)),
    events=st.tuples(EVENTS, EVENTS),
    counted=st.tuples(FUNCTIONS, FUNCTIONS, SAMPLES, SAMPLES),
    odd=st.integers(0, 2**64 - 1),
    host=st.none() | st.just(LATENCIES) | st.just(dict.fromkeys(LATENCIES, 1e-300)),
)
def test_explaining_never_raises_and_is_plain_json(costs, events, counted, odd, host) -> None:
    report = make_report(changed(nat=costs[0], ipp={"nat": costs[1]}), launches=6, turns=3)
    report = with_host(with_functions(with_model(report, *events), *counted[:2]), latencies_ns=host)
    report = with_samples(report, *counted[2:])
    first = report.rounds[0]
    stages = first.stages | {"nat": first.stages["nat"].model_copy(update={"batches": odd})}
    report = report.model_copy(
        update={"rounds": [first.model_copy(update={"stages": stages}), *report.rounds[1:]]}
    )
    found = explained(report)
    assert json.loads(json.dumps(found.model_dump(mode="json"), allow_nan=False))
    assert found == Explanation.model_validate(found.model_dump(mode="json"))
    known = {one.name for one in found.evidence}
    for event, name in (
        ("l1d_misses", "l1d_misses_per_packet"),
        ("branch_misses", "branch_misses_per_packet"),
    ):
        assert name not in known or all(event in side for side in events)


@pytest.mark.parametrize("outcome", ["same", "improved", "regressed", "inconclusive", "broken", "invalid"])
def test_every_outcome_has_its_sentence(outcome: str) -> None:
    judged = of_outcome(outcome)
    assert explain(judged.report, judged.verdict).text


def test_a_run_of_rates_says_what_it_cannot_explain() -> None:
    report = rate_run(more_in_rx=0.5)
    explanation = explain(report, judge(report))
    assert explanation.text.startswith("A run of rates counts no instructions")
    assert explanation.evidence == []


def test_code_without_a_name_is_explained_by_the_function_that_grew_most() -> None:
    """Samples name an address within a library; instructions were counted for its function."""
    report = with_functions(MORE, {"classify": (100, 1 / 32)}, {"classify": (142, 1 / 8)})
    found = explained(with_samples(report, {"lib.so+0x4e68": 20_000}, {"lib.so+0x4e68": 26_000}))
    assert (found.function, found.detail) == ("lib.so+0x4e68", "more_calls")
