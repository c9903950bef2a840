# SPDX-License-Identifier: Apache-2.0
"""A cause is stated where the evidence tells it from others; else what may have part in it is listed."""

from __future__ import annotations

import pytest
from explaining import (
    LATENCIES,
    costlier,
    explained,
    with_functions,
    with_host,
    with_lcores,
    with_model,
    with_samples,
)
from nalm_core.explain import Explanation
from nalm_core.report.profile import ProfiledLine
from nalm_core.report.run_report import Arm, ArmMemory, RunReport
from nalm_core.report.source_text import FileText, SourceText, Stretch
from nalm_core.verdict.verdict import judge
from nalm_synthetic import Noise, changed, make_report

SLOWER = costlier(nat=180.0)
MORE = costlier(nat=162.0, ipp=372)
"""A few instructions more, and somewhat more cycles: by the larger share, instructions are the cause."""


def sampled(
    report: RunReport, base: dict[str, int], head: dict[str, int], *, lines: tuple[int, int] = (0, 0)
) -> RunReport:
    """20,000 samples of nat, of which so many are at slow instructions, and at one line."""
    plain = with_samples(report, {"work": 20_000}, {"work": 20_000})
    profiles = []
    for one, slow, line in zip(plain.profiles, (base, head), lines, strict=True):
        at = [ProfiledLine(file="src/nat.c", line=55, samples=line)] if line else []
        function = one.functions[0].model_copy(update={"slow_instructions": slow, "lines": at})
        profiles.append(one.model_copy(update={"functions": [function], "instructions_read": True}))
    text = SourceText(files=[FileText(file="src/nat.c", stretches=[Stretch(base=55, head=55, lines=["x"])])])
    return plain.model_copy(update={"profiles": profiles, "source_text": text})


def test_misses_that_may_be_next_to_nothing_are_possible_and_not_the_cause() -> None:
    report = with_host(with_model(SLOWER, {"l1i_misses": 0.5}, {"l1i_misses": 0.9}), latencies_ns=LATENCIES)
    found = explained(report)
    assert (found.detail, found.share) == ("unknown", None)
    (may,) = found.possible
    assert may.detail == "instruction_cache" and may.share is not None
    assert "Possible causes, not distinguished: more code misses the instruction cache (9 to 4" in found.text


def test_two_causes_that_overlap_are_both_possible() -> None:
    plain = {"l1d_misses": 1.0, "branch_misses": 0.5}
    report = with_model(SLOWER, plain, {"l1d_misses": 2.3, "branch_misses": 1.6})
    found = explained(with_host(report, latencies_ns=LATENCIES))
    assert found.detail == "unknown"
    assert {one.detail for one in found.possible} == {"cache", "branches"}
    assert "more data misses the caches" in found.text and "more branches are mispredicted" in found.text


def test_a_share_of_all_is_said_as_such() -> None:
    report = with_model(SLOWER, {"branch_misses": 0.5}, {"branch_misses": 5.5})
    found = explained(report)
    assert found.detail == "branches" and found.share is not None
    assert found.share.low > found.share.of, "priced at more than the whole change"
    assert "which can account for all of the 30.1 cycles/packet (" in found.text


def test_a_fenced_clock_is_found_by_its_samples_and_not_called_a_cache_miss() -> None:
    report = with_model(SLOWER, {"l1i_misses": 0.5}, {"l1i_misses": 3.5})
    fenced = sampled(report, {"rdtsc": 200}, {"rdtsc": 1500, "lfence": 1800}, lines=(2600, 10_400))
    found = explained(with_host(fenced, latencies_ns=LATENCIES))
    assert (found.cause, found.detail, found.share) == ("pipeline", "serialising", None)
    assert "wait for earlier ones: lfence, rdtsc" in found.text
    assert "src/nat.c:55 took 3" in found.text and "instruction cache" not in found.text
    assert "no-serialising" in [one.rule for one in found.advice]


def test_an_atomic_addition_is_not_called_more_instructions() -> None:
    counted = with_functions(MORE, {"work": (330, 1)}, {"work": (372, 1)})
    assert explained(counted).detail == "more_instructions"
    found = explained(sampled(counted, {}, {"lock add": 2400}))
    assert (found.cause, found.detail) == ("pipeline", "atomics") and "lock add" in found.text
    assert "Instructions:" not in found.text


def test_a_division_is_distinguished_from_instructions_that_wait() -> None:
    found = explained(sampled(SLOWER, {"rdtsc": 300}, {"rdtsc": 310, "div": 2900, "vdivsd": 200}))
    assert (found.cause, found.detail) == ("pipeline", "division")
    assert "divisions or square roots, which take many cycles each: div, vdivsd" in found.text
    assert "no-division" in [one.rule for one in found.advice]
    names = [one.name for one in found.evidence]
    assert "division_cpp" in names and "serialising_cpp" in names
    both = explained(sampled(SLOWER, {}, {"lock add": 3000, "div": 1500}))
    assert both.detail == "atomics", "the one that bears more"


def test_a_load_that_waits_for_a_narrow_store_is_no_miss() -> None:
    report = with_model(SLOWER, {"l1d_misses": 0.5}, {"l1d_misses": 3.5})
    found = explained(sampled(report, {}, {"wide load of a narrow store": 2900}))
    assert (found.cause, found.detail, found.share) == ("pipeline", "store_forwarding", None)
    assert "read beyond a recent narrower store and wait for it: wide load of a narrow store" in found.text
    assert "forward-stores" in [one.rule for one in found.advice]


def test_lines_that_lcores_share_are_possible_and_never_named() -> None:
    alone = explained(SLOWER)
    assert alone.detail == "unknown" and "sharing" not in [one.detail for one in alone.possible]
    shared = explained(with_lcores(SLOWER, 3))
    assert shared.detail == "unknown" and "sharing" in [one.detail for one in shared.possible]
    assert any("perf c2c" in one for one in shared.missing)


def test_samples_and_counts_that_name_different_functions_are_said_to_disagree() -> None:
    counted = with_functions(MORE, {"work": (330, 1), "other": (10, 1)}, {"work": (330, 1), "other": (52, 1)})
    found = explained(with_samples(counted, {"work": 9_000, "other": 900}, {"work": 12_000, "other": 900}))
    (said,) = found.disagreements
    assert "cycles moved most in work, but instructions grew in other" in said
    assert said in found.text
    agreed = with_functions(MORE, {"work": (330, 1)}, {"work": (372, 1)})
    assert explained(with_samples(agreed, {"work": 9_000}, {"work": 12_000})).disagreements == []


def test_misses_that_move_against_unexplained_cycles_are_said_to_disagree() -> None:
    found = explained(with_model(SLOWER, {"l1d_misses": 3.0}, {"l1d_misses": 1.0}))
    (said,) = found.disagreements
    assert said.startswith("Misses and cycles disagree:") and "fell from 3 to 1" in said
    along = explained(with_model(SLOWER, {"branch_misses": 0.5}, {"branch_misses": 5.5}))
    assert along.disagreements == []


@pytest.mark.parametrize(
    "slow",
    [
        ({"rdtsc": 3000}, {"rdtsc": 2900}),  # as many as before
        ({}, {"rdtsc": 400}),  # a small part of it
        ({}, {"pause": 9}),  # a few samples
    ],
)
def test_slow_instructions_that_do_not_bear_the_change_are_not_named(slow) -> None:
    assert explained(sampled(SLOWER, *slow)).detail == "unknown"


def test_a_change_at_one_line_is_not_code_that_misses_all_over() -> None:
    report = with_model(SLOWER, {"l1i_misses": 0.5}, {"l1i_misses": 3.5})
    hosted = with_host(report, latencies_ns=LATENCIES)
    assert explained(hosted).detail == "instruction_cache"
    found = explained(sampled(hosted, {}, {}, lines=(2600, 8_000)))
    assert found.detail == "unknown" and "instruction_cache" in {one.detail for one in found.possible}
    unrolled = spread(sampled(hosted, {}, {}, lines=(2600, 8_000)), code_lines=300)
    found = explained(unrolled)
    assert found.detail == "instruction_cache", "one source line, and code at 300 places"
    assert "src/nat.c:55 took" in found.text
    assert explained(spread(unrolled, code_lines=3)).detail == "unknown"
    moved = sampled(hosted, {}, {}, lines=(2600, 8_000)).model_copy(update={"source_text": None})
    assert "src/nat.c:55 took" not in explained(moved).text, "without its text a line may only have moved"


def kept(base: int, head: int) -> Stretch:
    return Stretch(base=base, head=head, lines=["kept", "kept"])


GONE, CAME = Stretch(base=55, lines=["old"]), Stretch(head=55, lines=["new"])
EDITED = {
    "by one line": ([kept(53, 53), GONE, CAME], True),
    "written the other way round": ([kept(53, 53), CAME, GONE], True),
    "by one of two lines": (
        [kept(52, 52), Stretch(base=54, lines=["a", "old"]), Stretch(head=54, lines=["b", "new"])],
        True,
    ),
    "by two lines": (
        [
            kept(53, 52),
            Stretch(base=55, lines=["h += old(p);"]),
            Stretch(head=54, lines=["if (p)", "h += new(p);"]),
        ],
        True,
    ),
    "a new line": ([kept(53, 53), CAME, Stretch(base=55, head=56, lines=["old"])], False),
    "elsewhere": ([kept(53, 53), GONE, Stretch(head=57, lines=["new"])], False),
}


@pytest.mark.parametrize(("stretches", "is_edited"), EDITED.values(), ids=EDITED.keys())
def test_an_edited_line_is_compared_with_the_one_before(stretches: list[Stretch], *, is_edited: bool) -> None:
    report = sampled(SLOWER, {}, {}, lines=(2600, 8_000))
    text = SourceText(files=[FileText(file="src/nat.c", stretches=stretches)])
    said = explained(report.model_copy(update={"source_text": text})).text
    assert ("src/nat.c:55 took 0.0 " not in said) is is_edited


def test_a_line_that_is_gone_is_not_named_as_the_one_in_its_place() -> None:
    faster = sampled(costlier(nat=120.0), {}, {}, lines=(8_000, 0))
    gone = Stretch(base=54, lines=["int step(int n)", "h += old(p);"])
    came = Stretch(head=54, lines=["int step(int);"])
    text = SourceText(files=[FileText(file="src/nat.c", stretches=[kept(52, 52), gone, came])])
    assert "src/nat.c:5" not in explained(faster.model_copy(update={"source_text": text})).text
    assert "src/nat.c:55 took" in explained(faster).text


def spread(report: RunReport, *, code_lines: int) -> RunReport:
    """The report with head's sampled line in so many cache lines of code."""
    base, head = report.profiles
    lines = [one.model_copy(update={"code_lines": code_lines}) for one in head.functions[0].lines]
    functions = [head.functions[0].model_copy(update={"lines": lines})]
    return report.model_copy(update={"profiles": [base, head.model_copy(update={"functions": functions})]})


def test_added_instructions_that_take_longer_than_the_chains_are_said_to_wait() -> None:
    """nat's instructions treble, and each takes four times as long as one of the chain did."""
    slow = costlier(nat=1150.0, ipp=990)
    found = explained(with_functions(slow, {"work": (330, 1)}, {"work": (990, 1)}))
    assert (found.cause, found.detail) == ("instructions", "more_instructions")
    assert [one.detail for one in found.possible] == ["dependencies"]
    assert "Counts and cycles disagree: an added instruction takes 1.52 cycles" in found.text
    assert "Possible causes, not distinguished: instructions wait for each other's results" in found.text
    fast = costlier(nat=440.0, ipp=990)
    plain = explained(with_functions(fast, {"work": (330, 1)}, {"work": (990, 1)}))
    assert plain.detail == "more_instructions" and not plain.possible and not plain.disagreements


def test_added_instructions_may_wait_for_memory() -> None:
    slow = with_functions(costlier(nat=1150.0, ipp=990), {"work": (330, 1)}, {"work": (990, 1)})
    missing = with_host(with_model(slow, {"ll_misses": 1.0}, {"ll_misses": 6.0}), latencies_ns=LATENCIES)
    assert [one.detail for one in explained(missing).possible] == ["cache", "dependencies"]


def test_removed_instructions_that_took_long_are_said_to_have_waited() -> None:
    slow = changed(code="a", nat=1150.0, ipp={"nat": 990})
    found = explained(make_report(changed(), slow, launches=9, turns=6))
    assert (found.cause, found.detail) == ("instructions", "fewer_instructions")
    assert "a removed instruction took 1.52 cycles" in found.text
    assert [one.detail for one in found.possible] == ["dependencies"]


def with_memory(report: RunReport, base: tuple[int, int], head: tuple[int, int]) -> RunReport:
    """Megabytes on small and on huge pages."""
    memory = [
        ArmMemory(arm=arm, small_bytes=small << 20, huge_bytes=huge << 20)
        for arm, (small, huge) in ((Arm.BASE, base), (Arm.HEAD, head))
    ]
    return report.model_copy(update={"memory": memory})


def speaks_of_pages(found: Explanation) -> bool:
    return (
        "tlb" in {one.detail for one in found.possible}
        and "TLB (not counted)" in found.text
        and any("TLB misses were not counted" in one for one in found.missing)
        and "huge pages" in found.advice[0].text
    )


def test_memory_that_moved_to_small_pages_speaks_of_the_tlb() -> None:
    assert speaks_of_pages(explained(with_memory(SLOWER, (20, 256), (276, 0))))
    assert not explained(with_memory(SLOWER, (20, 256), (20, 256))).possible


def test_eal_without_huge_pages_speaks_of_the_tlb() -> None:
    arm = SLOWER.arms[Arm.HEAD]
    run = arm.run.model_copy(update={"command": [*arm.run.command, "--no-huge"]})
    report = SLOWER.model_copy(update={"arms": SLOWER.arms | {Arm.HEAD: arm.model_copy(update={"run": run})}})
    assert speaks_of_pages(explained(report))


def test_fewer_instructions_and_an_interval_that_does_not_tell_name_both() -> None:
    report = make_report(changed(nat=120.0, ipp={"nat": 296}), launches=9, turns=6, noise=Noise(launch=0.03))
    verdict = judge(report)
    assert verdict.outcome == "improved" and verdict.chain is not None
    assert "the interval does not show which of them has the larger share" in verdict.reason
    assert "Instructions and pipeline use, not distinguished" in explained(report).text


def test_instructions_are_possible_where_the_interval_does_not_rule_them_out() -> None:
    """Misses that could account for all of it do not make the cause certain: they are possible, too."""

    def with_misses(noise: float) -> Explanation:
        moved = changed(nat=185.0, ipp={"nat": 362})
        report = make_report(moved, launches=9, turns=6, noise=Noise(launch=noise))
        return explained(
            with_host(with_model(report, {"l1d_misses": 1.0}, {"l1d_misses": 4.0}), latencies_ns=LATENCIES)
        )

    unsure, sure = with_misses(0.04), with_misses(0.0)
    assert sure.detail == "cache" and not sure.possible
    assert unsure.detail == "unknown"
    assert [one.detail for one in unsure.possible] == ["more_instructions", "cache"]
    assert "Possible causes, not distinguished: more instructions each time it runs; more data" in unsure.text
