# SPDX-License-Identifier: Apache-2.0
"""`nalm check` and `nalm bench` of a scenario's rates and soaks, with a real NF."""

from __future__ import annotations

import json
from pathlib import Path

from nalm_core.report.run_report import Arm
from nalm_core.report.serialization import parse_report
from tiny import RATES_TOML, Nalm, NfRepository

SHORT = """
modes = ["mrr"]
launches = 2
trial_s = 0.05
soak_hours = 0.0003
soak_interval_s = 0.05
pps = 50000
"""


def slower(repository: NfRepository) -> str:
    source = (repository.path / "traffic_nf.c").read_text()
    assert "? 2000" in source
    return source.replace("? 2000", "? 2001")


def prepared(repository: NfRepository) -> None:
    repository.commit("short", nalm__toml=RATES_TOML.replace("[rates]\n", f"[rates]{SHORT}"))


def test_the_working_tree_is_judged_by_its_rates_and_each_call_measures(
    traffic_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    prepared(traffic_repository)
    traffic_repository.write("traffic_nf.c", slower(traffic_repository))
    written = tmp_path / "run.json"
    command = ("check", "--scenario", "made:rate", "--json", str(written))
    done = nalm.run(*command, cwd=traffic_repository.path)
    assert "made:rate" in done.stdout, done.stderr
    first = parse_report(written.read_bytes())
    assert first.scenario.name == "made:rate" and first.arms[Arm.HEAD].build.dirty
    assert first.rates is not None and len(first.rates.trials) > 0
    nalm.run(*command, cwd=traffic_repository.path)
    assert parse_report(written.read_bytes()).run_id != first.run_id


def test_commits_of_a_range_are_measured_by_a_soak(
    traffic_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    prepared(traffic_repository)
    traffic_repository.commit("slower", traffic_nf__c=slower(traffic_repository))
    written = tmp_path / "runs.json"
    done = nalm.run(
        *("bench", "HEAD", "--scenario", "made:soak", "--json", str(written)), cwd=traffic_repository.path
    )
    assert "made:soak" in done.stdout, done.stderr
    (document,) = json.loads(written.read_text())
    report = parse_report(json.dumps(document))
    assert report.scenario.name == "made:soak"
    assert report.rates is not None and len(report.rates.intervals) > 0


def test_what_is_of_cycles_is_refused(traffic_repository: NfRepository, nalm: Nalm) -> None:
    prepared(traffic_repository)
    given = ("--margin", "2", "--layouts", "2", "--profile")
    done = nalm.run("check", "--scenario", "made:rate", *given, cwd=traffic_repository.path)
    assert done.returncode == 2
    said = "--margin and --layouts and --profile: for runs of cycles only, and made:rate is none"
    assert said in done.stderr
    assert "[rates] and [[thresholds]] of nalm.toml" in done.stderr
    done = nalm.run("check", "--scenario", "absent:rate", cwd=traffic_repository.path)
    assert done.returncode == 2 and "absent" in done.stderr


def test_a_mistake_names_the_history(traffic_repository: NfRepository, nalm: Nalm) -> None:
    """More new flows than packets."""
    toml = RATES_TOML.replace("[rates]\n", f"[rates]{SHORT}").replace('["mrr"]', '["latency"]')
    toml += "load = { mrr = 0.5, burst = 4, new_flows = 60000, ramp = { ms = 30 } }\n"
    traffic_repository.commit("flows", nalm__toml=toml)
    traffic_repository.write("traffic_nf.c", slower(traffic_repository))
    done = nalm.run("check", "--scenario", "made:rate", cwd=traffic_repository.path)
    assert done.returncode == 2
    assert "scenario made:rate: the scenario's load has 60,000 new flows a second" in done.stderr
