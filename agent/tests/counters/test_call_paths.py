# SPDX-License-Identifier: Apache-2.0
"""Call paths and source lines of callgrind's recorded output: dear ones named, sums exact."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from nalm_agent.counters import call_paths
from nalm_agent.counters.call_paths import call_nodes, function_lines
from nalm_agent.counters.callgrind_parse import Profile, by_stage, parse
from nalm_core.report.call_tree import COVERED, OTHERS

RECORDED = Path(__file__).parents[1] / "recorded" / "tiny.callgrind"
STAGES = {"gen": ["gen_process"], "alpha": ["alpha_process"], "beta": ["beta_*"], "tx": ["tx_process"]}


@pytest.fixture
def recorded() -> Profile:
    with RECORDED.open() as file:
        return parse(file)


def sums(profile: Profile) -> dict[str | None, int]:
    costs: dict[str | None, int] = defaultdict(int)
    for node in call_nodes(profile, STAGES):
        costs[node.stage] += node.own
    return {stage: cost for stage, cost in costs.items() if cost}


@pytest.mark.parametrize("most", [1000, 2, 0])
def test_paths_add_up_to_the_stages_however_few_are_named(
    recorded: Profile, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_paths, "MOST_PATHS", most)
    counts = by_stage(recorded, STAGES)
    assert sums(recorded) == counts.stages | {None: counts.unattributed}


def test_callers_come_first_and_a_shared_function_has_a_path_under_each(recorded: Profile) -> None:
    nodes = call_nodes(recorded, STAGES)
    assert all(node.parent is None or node.parent < at for at, node in enumerate(nodes))
    churn = [node for node in nodes if node.name == "churn"]
    assert {node.stage for node in churn} == {"alpha", "beta"}
    callers = {nodes[node.parent].name for node in churn if node.parent is not None}
    assert callers == {"alpha_process", "beta_process"}
    assert {node.file for node in nodes if node.name == OTHERS} <= {None}


def test_lines_cover_what_has_debug_information(recorded: Profile) -> None:
    lines = function_lines(recorded, STAGES)
    named = sum(cost for one in lines for cost in one.lines.values())
    known = sum(recorded.lines.values())
    assert COVERED * known <= named <= known
    alpha = next(one for one in lines if (one.function, one.stage) == ("churn", "alpha"))
    assert alpha.file.endswith("tiny_nf.c")
    assert all(list(one.lines) == sorted(one.lines) for one in lines)


def test_a_function_without_a_symbol_has_one_name_as_callee_and_as_caller() -> None:
    scan, inner = "libhs.so.5+0x1040", "0x0000000000001040"
    own = {(scan, "beta_scan"): 7, ("memcpy", inner, "beta_scan"): 5, ("memcpy", "0x99", "beta_scan"): 1}
    nodes = call_nodes(Profile(own, {}), STAGES)
    callers = {(one.name, None if one.parent is None else nodes[one.parent].name): one.own for one in nodes}
    assert callers[scan, "beta_scan"] == 7
    assert callers["memcpy", scan] == 5
    assert inner not in [one.name for one in nodes]
    assert sum(one.own for one in nodes) == 13
