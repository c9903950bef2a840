# SPDX-License-Identifier: Apache-2.0
"""Scenarios with a load, as complete commands: real builds, probe, generator, open loop."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest
from nalm_core.report.run_report import Arm, RunReport, Source, StageCounters
from nalm_core.report.serialization import parse_report
from nalm_core.verdict.verdict import judge
from tiny import RATES_TOML, Nalm, NfRepository

JUDGE = """
[judge]
margin = 0.1
looks = 2
turn_ms = 10
turns_per_launch = 6
max_launches = 8
"""
TWO_LAUNCHES = JUDGE.replace("looks = 2", "looks = 1").replace("max_launches = 8", "max_launches = 2")
"""For tests that read no verdict on cycles."""
COMMAND = 'command = ["{build}/traffic_nf"]'
LOAD = "load = { pps = 200_000 }\n"


def nalm_toml(load: str = LOAD, *arguments: str, judged: str = JUDGE) -> str:
    command = ", ".join(f'"{one}"' for one in ("{build}/traffic_nf", *arguments))
    same_traffic = RATES_TOML.replace('traffic = "nalm.toml"', 'traffic = "nalm_traffic.h"')
    return same_traffic.replace(COMMAND, f"command = [{command}]") + load + judged


def checked(repository: NfRepository, nalm: Nalm, out: Path) -> tuple[int, str, RunReport]:
    """Judges the last commit against the one before: exit code, output, report."""
    done = nalm.run("check", "--base", "HEAD~1", "--head", "HEAD", "--json", str(out), cwd=repository.path)
    assert out.exists(), done.stderr
    return done.returncode, done.stdout + done.stderr, parse_report(out.read_bytes())


def by_turn(report: RunReport, arm: Arm, of: Callable[[StageCounters], float]) -> float:
    """A figure of the stage rx, median turn."""
    return median(of(one.stages["rx"]) for one in report.rounds if one.arm is arm)


def added_per_packet(report: RunReport) -> float:
    """Cycles of rx for each packet that head has more than base."""
    base, head = (
        by_turn(report, arm, lambda rx: rx.cycles / max(1, rx.packets)) for arm in (Arm.BASE, Arm.HEAD)
    )
    return head - base


@pytest.mark.timed
def test_what_costs_by_poll_shows_at_a_partial_load(
    traffic_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    """The same work for each poll: 32 packets of a full batch share it, and at a partial load one pays it.

    That is a factor of 32; other programs on the host leave more than 4 of it.
    """
    reports, said = {}, {}
    for name, load, judged in (("closed", "", TWO_LAUNCHES), ("partial", LOAD, JUDGE)):
        traffic_repository.commit(f"{name}: base", nalm__toml=nalm_toml(load, judged=judged))
        traffic_repository.commit(
            f"{name}: head", nalm__toml=nalm_toml(load, "--poll-work", "100", judged=judged)
        )
        _, said[name], reports[name] = checked(traffic_repository, nalm, tmp_path / f"{name}.json")
        assert reports[name].scenario.load == ("closed" if not load else "0.2Mpps")
    closed, report = reports["closed"], reports["partial"]
    for arm in (Arm.BASE, Arm.HEAD):
        assert by_turn(closed, arm, lambda rx: rx.packets / (rx.batches or 1)) == 32
        assert by_turn(report, arm, lambda rx: rx.packets / (rx.batches or 1)) < 4
    assert added_per_packet(report) > 4 * added_per_packet(closed)
    verdict = judge(report)
    assert verdict.outcome == "regressed" and "rx" in verdict.culprit_stages, said["partial"]
    assert report.offered is not None and report.offered.pps == 200_000
    assert report.sources[Source.SIMULATED] is not None and report.instructions == []
    assert report.valid and {check.name for check in report.checks} >= {"load_offered", "load_carried"}
    for arm in (Arm.BASE, Arm.HEAD):
        traffic = [one.traffic for one in report.rounds if one.arm is arm and one.traffic is not None]
        due, sent = sum(one.due for one in traffic), sum(one.sent for one in traffic)
        assert abs(sent / due - 1) < 0.01
    assert verdict.at_load is not None and verdict.at_load.cur is not None
    assert 0 < verdict.at_load.cur.base < verdict.at_load.cur.head < 1
    assert "At 200,000 packets/s (0.2Mpps): CUR 0." in said["partial"]


def test_a_load_above_bases_capacity_is_invalid(
    traffic_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    much = "load = { pps = 900_000_000 }\n"
    traffic_repository.commit("base", nalm__toml=nalm_toml(much, judged=TWO_LAUNCHES))
    traffic_repository.commit("head", nalm__toml=nalm_toml(much, "--poll-work", "1", judged=TWO_LAUNCHES))
    code, said, report = checked(traffic_repository, nalm, tmp_path / "run.json")
    assert code == 4, said
    assert judge(report).outcome == "invalid"
    assert "load_offered: base: " in said and re.search("of (899,999|900,000),", said)
    assert "next: let the scenario's load offer less" in " ".join(said.split())


def test_a_lying_generator_gives_no_figure(
    traffic_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    traffic_repository.commit("base", nalm__toml=nalm_toml(LOAD, "--lie", judged=TWO_LAUNCHES))
    traffic_repository.commit(
        "head", nalm__toml=nalm_toml(LOAD, "--lie", "--poll-work", "1", judged=TWO_LAUNCHES)
    )
    code, said, report = checked(traffic_repository, nalm, tmp_path / "run.json")
    assert (code, judge(report).outcome, judge(report).chain) == (4, "invalid", None), said
    assert "load_offered: base: " in said


def test_an_nf_without_a_generator_is_refused(traffic_repository: NfRepository, nalm: Nalm) -> None:
    traffic_repository.commit("base", nalm__toml=nalm_toml(LOAD, "--no-file"))
    traffic_repository.commit("head", nalm__toml=nalm_toml(LOAD, "--no-file", "--poll-work", "1"))
    done = nalm.run("check", "--base", "HEAD~1", "--head", "HEAD", cwd=traffic_repository.path)
    assert done.returncode == 2, done.stderr
    assert "the scenario has a load, but its NF cannot be offered one" in done.stderr
    assert 'load = "closed" needs none' in done.stderr


def test_a_load_with_too_few_packets_is_refused(traffic_repository: NfRepository, nalm: Nalm) -> None:
    few = "load = { pps = 5000 }\n"
    traffic_repository.commit("base", nalm__toml=nalm_toml(few))
    traffic_repository.commit("head", nalm__toml=nalm_toml(few, "--poll-work", "1"))
    done = nalm.run("check", "--base", "HEAD~1", "--head", "HEAD", cwd=traffic_repository.path)
    assert done.returncode == 2, done.stderr
    assert "has 50 packets in a turn of 10 ms, and 100 are needed" in done.stderr


SHAPED = "load = { burst = 8, burst_gap_us = 40, new_flows = 20_000 }\n"


def test_bursts_and_new_flows_are_offered_to_both_arms(
    traffic_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    traffic_repository.commit("base", nalm__toml=nalm_toml(SHAPED, judged=TWO_LAUNCHES))
    traffic_repository.commit("head", nalm__toml=nalm_toml(SHAPED, "--poll-work", "100", judged=TWO_LAUNCHES))
    _, said, report = checked(traffic_repository, nalm, tmp_path / "run.json")
    assert report.valid, said
    assert report.scenario.load == "40us/x8/+20000" and report.offered is not None
    assert (report.offered.pps, report.offered.burst, report.offered.new_flows) == (200_000, 8, 20_000)
    for arm in (Arm.BASE, Arm.HEAD):
        traffic = [one.traffic for one in report.rounds if one.arm is arm and one.traffic is not None]
        sent, begun = (sum(getattr(one, name) or 0 for one in traffic) for name in ("sent", "flows_begun"))
        # one new flow in ten packets; a turn may begin between two
        assert abs(begun - sent / 10) <= len(traffic)
        # a poll takes whole bursts
        assert by_turn(report, arm, lambda rx: rx.packets / (rx.batches or 1)) >= 8


@pytest.mark.nightly
def test_a_ramp_is_offered_to_both_arms(traffic_repository: NfRepository, nalm: Nalm, tmp_path: Path) -> None:
    ramp = "load = { pps = 200_000, ramp = { ms = 5 } }\n"
    traffic_repository.commit("base", nalm__toml=nalm_toml(ramp))
    traffic_repository.commit("head", nalm__toml=nalm_toml(ramp, "--poll-work", "100"))
    _, said, report = checked(traffic_repository, nalm, tmp_path / "run.json")
    assert report.valid, said
    assert report.scenario.load == "0.2Mpps/ramp5" and report.offered is not None
    assert report.offered.ramp is not None and report.offered.ramp.ms == 5


def test_flows_that_do_not_end_and_few_bursts_are_refused(
    traffic_repository: NfRepository, nalm: Nalm
) -> None:
    cases = {
        "cannot begin new flows with its traffic": (SHAPED, "--same-flows"),
        "has 9 bursts in a turn of 10 ms, and 100 are needed": ("load = { pps = 90_000, burst = 100 }\n",),
        "no whole number of the load's ramps of 4 ms": ("load = { pps = 90_000, ramp = { ms = 4 } }\n",),
    }
    for message, (load, *arguments) in cases.items():
        traffic_repository.commit("base", nalm__toml=nalm_toml(load, *arguments))
        traffic_repository.commit("head", nalm__toml=nalm_toml(load, *arguments, "--poll-work", "1"))
        done = nalm.run("check", "--base", "HEAD~1", "--head", "HEAD", cwd=traffic_repository.path)
        assert done.returncode not in (0, 1, 3), done.stdout
        assert message in done.stdout + done.stderr


def test_a_changed_load_is_no_change_of_the_code(
    traffic_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    traffic_repository.commit("base", nalm__toml=nalm_toml(LOAD))
    traffic_repository.commit("head", nalm__toml=nalm_toml("load = { pps = 100_000 }\n"))
    code, said, report = checked(traffic_repository, nalm, tmp_path / "run.json")
    assert (code, report.status) == (0, "unchanged"), said
    assert report.scenario.load == "0.1Mpps"
    assert "the load differs between base and head; both are offered head's" in said


@pytest.mark.timed
@pytest.mark.nightly
def test_a_load_is_found_on_base_once(traffic_repository: NfRepository, nalm: Nalm, tmp_path: Path) -> None:
    load = "load = { mrr = 0.3 }\n"
    traffic_repository.commit("base", nalm__toml=nalm_toml(load))
    traffic_repository.commit("head", nalm__toml=nalm_toml(load, "--poll-work", "40"))
    _, said, first = checked(traffic_repository, nalm, tmp_path / "first.json")
    assert first.valid, said
    offered = first.offered
    assert offered is not None and offered.found is not None and offered.found in said
    assert first.scenario.load == "0.3MRR"
    traffic_repository.commit("other head", nalm__toml=nalm_toml(load, "--poll-work", "41"))
    done = nalm.run(
        *("check", "--base", "HEAD~2", "--head", "HEAD", "--json", str(tmp_path / "second.json")),
        cwd=traffic_repository.path,
    )
    assert parse_report((tmp_path / "second.json").read_bytes()).offered == offered, done.stderr


@pytest.mark.timed
@pytest.mark.nightly
def test_a_share_of_bases_ndr(traffic_repository: NfRepository, nalm: Nalm, tmp_path: Path) -> None:
    """Base drops what is above 100,000 packets a second, so half of its NDR is known."""
    load = "load = { ndr = 0.5 }\n"
    capacity = ("--capacity", "100000")
    traffic_repository.commit("base", nalm__toml=nalm_toml(load, *capacity))
    traffic_repository.commit("head", nalm__toml=nalm_toml(load, *capacity, "--poll-work", "100"))
    _, said, report = checked(traffic_repository, nalm, tmp_path / "run.json")
    assert report.offered is not None, said
    assert report.scenario.load == "0.5NDR"
    assert report.offered.pps == pytest.approx(50_000, rel=0.05)
    assert report.offered.found is not None and report.offered.found in said
    assert report.offered.found.startswith("0.5 of base's NDR of ")
