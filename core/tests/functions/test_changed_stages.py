# SPDX-License-Identifier: Apache-2.0
"""Which stages execute changed code: by names of executed functions and by exact counts."""

from __future__ import annotations

import pytest
from nalm_core.functions.changed_stages import changed_stages
from nalm_core.report.defaults import EQUAL_INSTRUCTIONS
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.serialization import dump_report, parse_report
from nalm_synthetic import GENERATOR, IPPS, PACKETS, Side, changed, make_report

NAMES = ("rx", "nat", "l3fwd", "tx", GENERATOR)
COPYING = ("rx", "nat")
EXECUTED = {name: [f"{name}_process", *(["rte_memcpy"] if name in COPYING else [])] for name in NAMES}
CHAIN = sum(IPPS.values())


def counted(head: Side, functions: list[str] | None, *, added: int = 0, outside: int = 0) -> RunReport:
    """A run whose counts name all functions. added: instructions of all packets that head's nat has more;
    outside: the same outside every stage."""
    report = make_report(head, launches=3, turns=3)
    counts = []
    for count in report.instructions:
        stages, loop = dict(count.stages), count.unattributed
        if count.arm is Arm.HEAD:
            stages["nat"] += added
            loop += outside
        names = {"stages": stages, "unattributed": loop, "executed": EXECUTED, "executed_outside": ["loop"]}
        counts.append(count.model_copy(update=names))
    return report.model_copy(update={"instructions": counts, "changed_functions": functions})


def test_the_stage_that_executes_the_function() -> None:
    assert changed_stages(counted(Side(code="b"), ["nat_process", "nat_init"])) == ["nat"]
    assert changed_stages(counted(Side(code="b"), ["rte_memcpy"])) == list(COPYING)


def test_a_stage_without_a_count_is_inlined_somewhere() -> None:
    report = counted(Side(code="b"), ["nat_process"])
    counts = [
        one.model_copy(update={"stages": {name: at for name, at in one.stages.items() if name != "rx"}})
        for one in report.instructions
    ]
    assert changed_stages(report.model_copy(update={"instructions": counts})) == ["nat", "rx"]


def test_a_stage_with_another_count_executes_other_code() -> None:
    """A branch that is taken more often because of what an earlier stage did."""
    least = EQUAL_INSTRUCTIONS * CHAIN * PACKETS
    report = counted(Side(code="b"), ["l3fwd_process"], added=int(2 * least))
    assert changed_stages(report) == ["nat", "l3fwd"]
    assert changed_stages(counted(Side(code="b"), ["l3fwd_process"], added=int(least / 2))) == ["l3fwd"]


@pytest.mark.parametrize(
    ("report", "why"),
    [
        (counted(Side(code="b"), None), "functions were not compared"),
        (counted(Side(code="b"), []), "none changed"),
        (counted(Side(code="b"), ["nat_init"]), "what changed was not executed"),
        (counted(Side(code="b"), ["loop", "nat_process"]), "the loop changed"),
        (counted(Side(code="b"), [f"{name}_process" for name in IPPS]), "all stages changed"),
        (counted(Side(code="b"), ["nat_process", f"{GENERATOR}_process"]), "the generator changed"),
        (counted(Side(code="b"), ["nat_process"], outside=PACKETS), "the loop does more"),
        (counted(Side(code="b", features=["nat"]), ["nat_process"]), "the arms run differently"),
        (counted(Side({"nat": 9.0}, {"nat": 9}), ["nat_process"]), "stages were removed"),
        (counted(changed(code="b"), ["nat_process"]).model_copy(update={"instructions": []}), "not counted"),
    ],
    ids=lambda it: it if isinstance(it, str) else "",
)
def test_unknown(report: RunReport, why: str) -> None:
    assert changed_stages(report) is None, why


def test_counts_of_older_reports_name_no_functions() -> None:
    report = counted(Side(code="b"), ["nat_process"])
    older = [one.model_copy(update={"executed": None, "executed_outside": []}) for one in report.instructions]
    assert changed_stages(report.model_copy(update={"instructions": older})) is None
    assert b"executed" not in dump_report(report.model_copy(update={"instructions": older}))
    assert parse_report(dump_report(report)).instructions == report.instructions
