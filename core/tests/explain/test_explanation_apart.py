# SPDX-License-Identifier: Apache-2.0
"""Why a history steps, from two runs that never ran side by side."""

from __future__ import annotations

import pytest
from explaining import explained, with_functions, with_host, with_model
from nalm_core.explain import OneSide, explain_apart
from nalm_core.report.run_report import Arm, ArmMemory, RunReport
from nalm_core.verdict.compare import NOT_PAIRED
from nalm_synthetic import changed, make_report


def level(seed: int, nat: float, ipp: int = 330) -> RunReport:
    """A commit against its parent, which costs the same."""
    side = changed(nat=nat, ipp={"nat": ipp})
    return make_report(side, side, seed=seed, launches=9, turns=6)


OLD, NEW = level(1, 150.0), level(2, 180.0, 402)


def test_it_says_what_a_pair_of_the_two_would_and_that_it_is_none() -> None:
    found = explain_apart(OneSide(OLD), OneSide(NEW))
    pair = explained(make_report(changed(nat=180.0, ipp={"nat": 402}), launches=9, turns=6))
    assert found is not None
    reported = ("stage", "cause", "detail", "function")
    assert [getattr(found, name) for name in reported] == [getattr(pair, name) for name in reported]
    assert [(one.name, one.source) for one in found.evidence] == [
        (one.name, one.source) for one in pair.evidence
    ]
    assert [one.rule for one in found.advice] == [one.rule for one in pair.advice]
    assert (found.interleaved, pair.interleaved) == (False, True)
    assert found.text.endswith(NOT_PAIRED)


def test_functions_and_modelled_events_of_both_runs_are_put_side_by_side() -> None:
    grown = {"nat_translate": (300.0, 1.0)}, {"nat_translate": (372.0, 1.0)}
    before = with_functions(with_model(OLD, {}, {"l1d_misses": 1.0}), grown[0], grown[0])
    after = with_functions(with_model(NEW, {}, {"l1d_misses": 3.0}), grown[1], grown[1])
    found = explain_apart(OneSide(before), OneSide(after))
    assert found is not None
    assert (found.function, found.file) == ("nat_translate", "src/nat.c")
    (misses,) = [one for one in found.evidence if one.name == "l1d_misses_per_packet"]
    assert (misses.before, misses.after) == (1.0, 3.0)


def with_memory(report: RunReport, small_mb: int) -> RunReport:
    """A commit whose process has so much on small pages, as its parent's has."""
    memory = [ArmMemory(arm=arm, small_bytes=small_mb << 20, huge_bytes=0) for arm in (Arm.BASE, Arm.HEAD)]
    return report.model_copy(update={"memory": memory})


def test_memory_of_both_runs_is_put_side_by_side() -> None:
    new = level(2, 180.0)
    found = explain_apart(OneSide(with_memory(OLD, 20)), OneSide(with_memory(new, 276)))
    assert found is not None
    (pages,) = [one for one in found.evidence if one.name == "small_page_mb"]
    assert (pages.before, pages.after) == (20.0, 276.0)
    assert "tlb" in {one.detail for one in found.possible}
    alone = explain_apart(OneSide(OLD), OneSide(with_memory(new, 276)))
    assert alone is not None and "small_page_mb" not in {one.name for one in alone.evidence}


def test_either_arm_may_be_the_commit() -> None:
    step = make_report(changed(nat=180.0, ipp={"nat": 402}), launches=9, turns=6)
    assert explain_apart(OneSide(step, Arm.BASE), OneSide(step, Arm.HEAD)) is not None
    assert explain_apart(OneSide(step, Arm.HEAD), OneSide(step, Arm.BASE)) is None, "it is cheaper there"


@pytest.mark.parametrize("stage", ["l3fwd", "nat"])
def test_the_stage_that_the_history_blames_is_the_one_explained(stage: str) -> None:
    found = explain_apart(OneSide(OLD), OneSide(NEW), stage)
    assert found is not None
    assert found.stage == stage


def test_hosts_that_cannot_be_compared_explain_nothing() -> None:
    assert explain_apart(OneSide(OLD), OneSide(with_host(NEW, cpu_model="another"))) is None
