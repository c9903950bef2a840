# SPDX-License-Identifier: Apache-2.0
import json

import pytest
from nalm_core.profiles.flame import CallTree, Frame, as_json, cycle_flame, instruction_flame, merge
from nalm_core.report.call_tree import CallNode
from nalm_core.report.instructions import arm_ipp
from nalm_core.report.profile import Profile, ProfiledFunction
from nalm_core.report.run_report import Arm, Source
from nalm_core.report.serialization import ReportError, dump_report, parse_report
from nalm_core_calls import with_calls
from nalm_synthetic import GENERATOR, changed, make_report


def found(frame: Frame, *path: str) -> Frame:
    for name in path:
        frame = next(child for child in frame.children if child.name == name)
    return frame


def test_the_root_costs_what_the_chain_costs_and_every_frame_what_is_below_it() -> None:
    report = with_calls()
    flame = instruction_flame(report)
    assert flame is not None
    for arm, cost in ((Arm.BASE, flame.base), (Arm.HEAD, flame.head)):
        ipp = arm_ipp(report.instructions, arm, report.arms[arm], Source.SIMULATED)
        assert ipp is not None
        assert cost == ipp.chain
    for _, frame in flame.walk():
        assert frame.own_base == pytest.approx(max(frame.own_base, 0), abs=1e-9)
        assert frame.own_head == pytest.approx(max(frame.own_head, 0), abs=1e-9)
    assert f"{GENERATOR}_process" not in [child.name for child in found(flame, "loop").children]


def test_a_path_of_one_arm_alone_costs_the_other_nothing() -> None:
    flame = instruction_flame(with_calls())
    assert flame is not None
    old, new = (found(flame, "loop", "nat_process", name) for name in ("table_lookup", "hash_lookup"))
    assert (old.head, new.base) == (0, 0)
    assert old.base > 0 < new.head
    nat = found(flame, "loop", "nat_process")
    assert (nat.file, nat.line) == ("src/nat.c", 10)


def test_trees_of_other_packets_are_scaled_and_apart_stages_left_out() -> None:
    nodes = [CallNode(name="loop", own=10), CallNode(name="gen", parent=0, stage="gen", own=90)]
    flame = merge(CallTree(nodes, 1 / 10, frozenset({"gen"})), CallTree(nodes, 1 / 5))
    assert (flame.base, flame.head) == (1.0, 20.0)
    assert (found(flame, "loop", "gen").base, found(flame, "loop", "gen").head) == (0.0, 18.0)


def test_samples_are_scaled_to_cycles_and_kept_with_their_stage() -> None:
    def profile(arm: Arm, nat: int) -> Profile:
        function = ProfiledFunction(name="nat_process", object="nf", samples=nat - 10, stage="nat")
        stages = {"nat": nat, GENERATOR: 50}
        return Profile(
            arm=arm,
            event="cpu-clock",
            frequency_hz=1000,
            samples=nat + 70,
            stages=stages,
            functions=[function],
        )

    report = make_report(changed(), launches=2, turns=2)
    assert cycle_flame(report, 100, 150) is None
    both = report.model_copy(update={"profiles": [profile(Arm.BASE, 80), profile(Arm.HEAD, 180)]})
    flame = cycle_flame(both, 100, 150)
    assert flame is not None
    assert (flame.base, flame.head) == (pytest.approx(100), pytest.approx(150))
    assert found(flame, "nat").head == pytest.approx(150 * 180 / 200)
    assert found(flame, "nat", "nat_process").head == pytest.approx(150 * 170 / 200)
    assert found(flame, "outside stages").base == pytest.approx(20)


def test_a_report_without_paths_has_no_flame_and_keeps_its_bytes() -> None:
    report = make_report(changed(), launches=2, turns=2)
    assert instruction_flame(report) is None
    assert "calls" not in json.loads(dump_report(report))["instructions"][0]
    data = dump_report(with_calls())
    assert dump_report(parse_report(data)) == data


@pytest.mark.parametrize("parents", [[0], [None, 1], [None, *range(70)]])
def test_paths_that_are_no_tree_are_refused(parents: list) -> None:
    document = json.loads(dump_report(make_report(changed(), launches=2, turns=2)))
    nodes = [{"name": "f", "own": 1, "parent": parent} for parent in parents]
    document["instructions"][0]["calls"] = nodes
    with pytest.raises(
        ReportError, match=rf"instructions\[0\]\.calls\[{len(nodes) - 1 if len(nodes) < 9 else 65}"
    ):
        parse_report(json.dumps(document))


def test_the_tree_as_json_has_the_same_figures() -> None:
    flame = instruction_flame(with_calls())
    assert flame is not None
    document = json.loads(json.dumps(as_json(flame)))
    assert document["head"] == flame.head
    assert document["children"][0]["name"] == "loop"
