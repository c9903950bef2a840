# SPDX-License-Identifier: Apache-2.0
"""`nalm config`: metrics with their origin, margins with the line that gives each, and mistakes."""

from __future__ import annotations

import json

from nalm_core.report.catalogue import UNDER_LOAD
from tiny import NALM_TOML, Nalm, NfRepository

METRIC = '[metrics.size]\nunit = "bytes"\nbetter = "lower"\nevery = "build"\ncommand = ["true"]\n'
RULE = '[[thresholds]]\nbranch = "release/*"\nscenario = "tiny"\nmargin = 0.02\n'
LINES = NALM_TOML.count("\n")
AT_RULE = f"nalm.toml:{LINES + METRIC.count(chr(10)) + 1}"


def margins(nalm: Nalm, repository: NfRepository, *options: str) -> dict[str, tuple[float, str]]:
    done = nalm.run("config", "--effective", "--json", *options, cwd=repository.path)
    assert done.returncode == 0, done.stderr
    return {one["metric"]: (one["margin"], one["from"]) for one in json.loads(done.stdout)["margins"]}


def test_it_lists_metrics_and_explains_margins(nf_repository: NfRepository, nalm: Nalm) -> None:
    nf_repository.write("nalm.toml", NALM_TOML + METRIC + RULE)
    listed = nalm.run("config", cwd=nf_repository.path)
    assert listed.returncode == 0, listed.stderr
    assert f"nalm.toml:{LINES + 1}" in listed.stdout and "resident_bytes" in listed.stdout
    by_judge = (0.1, f"nalm.toml:{NALM_TOML[: NALM_TOML.index('margin')].count(chr(10)) + 1} (judge.margin)")
    found = margins(nalm, nf_repository)
    assert found["cpp"] == found["size"] == by_judge
    assert found["code_bytes"] == (0.05, "default of shipped metrics, 5 %")
    by_rule = (0.02, f"{AT_RULE} (scenario tiny, branch release/*)")
    found = margins(nalm, nf_repository, "--branch", "release/1")
    assert found["cpp"] == found["size"] == by_rule
    nf_repository.git("checkout", "-q", "-b", "release/2")
    assert margins(nalm, nf_repository)["cpp"] == by_rule
    shown = nalm.run("config", "--effective", cwd=nf_repository.path)
    assert "branch release/2" in shown.stdout and " 2 % " in shown.stdout and "shown only" in shown.stdout
    assert "in its history" not in shown.stdout
    of_builds = '[[thresholds]]\nmetric = "build_seconds"\nmargin = 0.2\n'
    nf_repository.write("nalm.toml", NALM_TOML + of_builds)
    assert "in its history" in nalm.run("config", "--effective", cwd=nf_repository.path).stdout


def test_margins_of_rates_and_soaks_are_shown(nf_repository: NfRepository, nalm: Nalm) -> None:
    rule = '[[thresholds]]\nmetric = "latency_p99_ns"\nmargin = 0.25\n'
    nf_repository.write("nalm.toml", NALM_TOML + rule)
    found = margins(nalm, nf_repository)
    assert list(found)[-len(UNDER_LOAD) :] == list(UNDER_LOAD)
    assert found["latency_p99_ns"] == (0.25, f"nalm.toml:{LINES + 1} (metric latency_p99_ns)")
    assert found["latency_p50_ns"] == (0.1, "default of latency_p50_ns in rates, 10 %")
    assert found["knee_pps"] == (0.1, "default of knee_pps in rates, 10 %")
    assert found["loss_ratio"] == (0.001, "default of loss_ratio in rates, 0.1 %")
    assert found["buffers_growth"] == (2, "default of buffers_growth in soaks, 2 buffers")
    shown = nalm.run("config", "--effective", "--json", cwd=nf_repository.path)
    judged = {one["metric"]: one["judged"] for one in json.loads(shown.stdout)["margins"]}
    assert judged["latency_p99_ns"] and not judged["latency_max_ns"]

    nf_repository.write("nalm.toml", NALM_TOML.replace("[run]\n", '[run]\ncounts = "dpdk"\n', 1))
    assert not set(UNDER_LOAD) & set(margins(nalm, nf_repository)), "a lent probe paces no traffic"


def test_a_mistake_is_named_with_its_line(nf_repository: NfRepository, nalm: Nalm) -> None:
    nf_repository.write("nalm.toml", NALM_TOML + METRIC + RULE.replace("tiny", "huge"))
    done = nalm.run("config", cwd=nf_repository.path)
    assert done.returncode == 2
    assert f"{AT_RULE}: thresholds[0]: there is no scenario 'huge'" in " ".join(done.stderr.split())
    other = nalm.run("config", "--scenario", "huge", cwd=nf_repository.path)
    assert other.returncode == 2


def test_a_file_that_is_not_utf_8_is_a_mistake(nf_repository: NfRepository, nalm: Nalm) -> None:
    (nf_repository.path / "nalm.toml").write_bytes(NALM_TOML.encode() + b"# caf\xe9\n")
    done = nalm.run("config", cwd=nf_repository.path)
    assert done.returncode == 2 and "it is not text in UTF-8" in done.stderr
