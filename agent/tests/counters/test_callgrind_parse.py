# SPDX-License-Identifier: Apache-2.0
"""The parser on callgrind's recorded output (valgrind 3.19, tiny NF, 20,000 packets) and on corner cases."""

from __future__ import annotations

from pathlib import Path

import pytest
from nalm_agent.counters.callgrind_parse import Profile, by_stage, events_by_stage, parse
from nalm_agent.runtime.errors import SourceError

RECORDED = Path(__file__).parents[1] / "recorded" / "tiny.callgrind"
STAGES = {"gen": ["gen_process"], "alpha": ["alpha_process"], "beta": ["beta_*"], "tx": ["tx_process"]}


@pytest.fixture
def recorded() -> Profile:
    with RECORDED.open() as file:
        return parse(file)


def test_own_counts_add_up_to_callgrinds_total(recorded: Profile) -> None:
    total = next(line for line in RECORDED.read_text().splitlines() if line.startswith("totals:"))
    assert recorded.total == int(total.split()[1])


def test_a_shared_function_is_split_between_its_callers(recorded: Profile) -> None:
    counts = by_stage(recorded, STAGES)
    churn = {
        stage: next(function for function in counts.functions[stage] if function.name == "churn")
        for stage in ("alpha", "beta")
    }
    assert (churn["alpha"].calls, churn["beta"].calls) == (20_000, 18_750)
    assert churn["alpha"].instructions + churn["beta"].instructions < sum(
        counts.stages[stage] for stage in ("alpha", "beta")
    )


def test_stages_and_the_rest_are_the_whole(recorded: Profile) -> None:
    counts = by_stage(recorded, STAGES)
    assert sum(counts.stages.values()) + counts.unattributed == recorded.total


def test_a_stage_that_was_inlined_is_missing_not_zero(recorded: Profile) -> None:
    assert "tx" not in by_stage(recorded, STAGES).stages


def test_names_objects_and_events() -> None:
    text = """events: Dr Ir
ob=(1) /lib/libnf.so.1
fn=(1) nat_process.constprop.0'loop
10 7 100
+2 1 20
cob=(2) /lib/libhs.so.5
cfn=(2) 0x0000000000001040'nat_process.constprop.0'loop
calls=3 0
* 900 9000
11 0 5
ob=(2)
fn=(2)
0 2 9000
fn=(3) 0x0000000000002000'2'loop
5 1 7
totals: 9132
"""
    profile = parse(text.splitlines())
    assert profile.own == {
        ("nat_process", "loop"): 125,
        ("libhs.so.5+0x1040", "nat_process", "loop"): 9000,
        ("libhs.so.5+0x2000", "loop"): 7,
    }
    assert profile.calls == {("libhs.so.5+0x1040", "nat_process", "loop"): 3}
    assert by_stage(profile, {"nat": ["nat_process"]}).stages == {"nat": 9125}


def test_innermost_stage_wins() -> None:
    profile = Profile({("memcpy", "nat_process", "rx_process"): 5}, {})
    assert by_stage(profile, {"rx": ["rx_process"], "nat": ["nat_process"]}).stages == {"nat": 5}


def test_all_functions_of_a_stage_are_named_however_many() -> None:
    many = {(f"f{number}", "nat_process", "loop"): 1 for number in range(100)}
    found = by_stage(Profile({**many, ("loop",): 5, ("poll", "loop"): 1}, {}), {"nat": ["nat_process"]})
    assert len(found.functions["nat"]) == 40 and len(found.executed["nat"]) == 100
    assert found.executed_outside == ["loop", "poll"]


def test_output_without_instructions() -> None:
    with pytest.raises(SourceError, match="no instruction counts"):
        parse(["events: Dr\n", "fn=(1) main\n", "1 2\n"])


def test_output_that_a_full_disk_cut_short() -> None:
    lines = RECORDED.read_text().splitlines()
    with pytest.raises(SourceError, match="no end"):
        parse(lines[:-1])


def test_where_functions_are_written(recorded: Profile) -> None:
    order = ("churn", "gen_process", "alpha_process", "beta_process")
    assert all(recorded.places[name][0].endswith("tiny_nf.c") for name in order)
    lines = [recorded.places[name][1] for name in order]
    assert lines == sorted(set(lines)) and lines[0] > 20
    churn = next(one for one in by_stage(recorded, STAGES).functions["alpha"] if one.name == "churn")
    assert (churn.file or "").endswith("tiny_nf.c") and churn.line == recorded.places["churn"][1]


def test_files_named_at_a_call_are_known_later() -> None:
    text = [
        "events: Ir Dr D1mr",
        "fl=(1) ./../src/main.c",
        "fn=(1) loop",
        "10 5 2",
        "cfi=(2) ./../src/nat.c",
        "cfn=(2) nat_process'loop",
        "calls=3 40",
        "+1 100 50 9",
        "fi=(3) inlined.h",
        "7 1",
        "",
        "fl=(2)",
        "fn=(2)",
        "41 60 30 4",
        "-2 40 20 5",
        "totals: 106 52 9",
    ]
    profile = parse(text)
    assert profile.places == {"loop": ("./../src/main.c", 10), "nat_process": ("./../src/nat.c", 39)}
    stages, unattributed = events_by_stage(profile, {"nat": ["nat_process"], "none": ["x"]})
    assert stages == {"nat": {"Ir": 100, "Dr": 50, "D1mr": 9}}
    assert unattributed == {"Ir": 6, "Dr": 2, "D1mr": 0}
    function = by_stage(profile, {"nat": ["nat_process"]}).functions["nat"][0]
    assert (function.file, function.line, function.calls) == ("src/nat.c", 39, 3)
