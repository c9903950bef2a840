# SPDX-License-Identifier: Apache-2.0
"""An NF against itself on this host: the agent's own, and that of a repository."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from nalm_agent.doctor import noise
from nalm_agent.doctor.finding import Level
from nalm_agent.doctor.noise import LEAST_LAUNCHES, AaRun, compare_with_itself
from nalm_agent.doctor.resolution import noise as noise_finding
from nalm_agent.report.progress import Silent
from nalm_agent.runtime.errors import HostError
from nalm_agent.store.home import Home, WorkDir
from nalm_core.report.defaults import DEFAULT_SETTINGS
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.serialization import dump_report, parse_report
from tiny import NALM_TOML, RATES_TOML, Nalm, NfRepository

SCENARIO = NALM_TOML[NALM_TOML.index("[scenarios") : NALM_TOML.index("[judge]")]


@pytest.fixture(autouse=True)
def own_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No waiting for other measurements on this host: the figures are not looked at here."""
    monkeypatch.setenv("NALM_LOCKS", str(tmp_path))


def check_shape(run: AaRun) -> None:
    """A run report like any other, of one build twice."""
    report = run.report
    assert parse_report(dump_report(report)) == report
    assert report.arms[Arm.BASE] == report.arms[Arm.HEAD]
    launches = {one.launch for one in report.rounds}
    assert len(launches) >= LEAST_LAUNCHES and run.seconds > 0
    assert {(one.arm, one.order) for one in report.rounds} == {
        (arm, n) for arm in ("base", "head") for n in (0, 1)
    }


def test_the_agents_own_nf(
    home: Home, work: WorkDir, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = DEFAULT_SETTINGS.model_copy(update={"turn_ms": 10, "turns_per_launch": 6})
    monkeypatch.setattr(noise, "DEFAULT_SETTINGS", short)
    run = compare_with_itself(home, work, Silent(), seconds=1, repository=tmp_path)
    check_shape(run)
    assert [stage.name for stage in run.report.arms[Arm.BASE].stages] == ["gen", "lookup", "rewrite", "tx"]
    assert all(stage.packets > 0 for one in run.report.rounds for stage in one.stages.values())


@pytest.mark.nightly
def test_the_first_scenario_of_a_repository(home: Home, work: WorkDir, nf_repository: NfRepository) -> None:
    run = compare_with_itself(home, work, Silent(), seconds=1, repository=nf_repository.path)
    check_shape(run)
    assert run.report.project == "tiny" and run.report.scenario.name == "tiny"
    assert run.report.arms[Arm.HEAD].build.commit == nf_repository.git("rev-parse", "HEAD")


def test_settings_that_nalm_toml_leaves_out(
    home: Home, work: WorkDir, nf_repository: NfRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(noise, "LEAST_LAUNCHES", 1)
    nf_repository.commit("no effort", nalm__toml=NALM_TOML.partition("[judge]")[0])
    run = compare_with_itself(home, work, Silent(), seconds=0.1, repository=nf_repository.path)
    assert run.report.settings == DEFAULT_SETTINGS and run.report.rounds


@pytest.mark.nightly
def test_a_scenario_is_offered_its_load(home: Home, work: WorkDir, traffic_repository: NfRepository) -> None:
    """At half load batches are small and polls dear: full load has another resolution."""
    toml = f"{RATES_TOML}load = {{ pps = 200_000 }}\n[judge]\nturns_per_launch = 4\n"
    traffic_repository.commit("load", nalm__toml=toml)
    run = compare_with_itself(home, work, Silent(), seconds=0.1, repository=traffic_repository.path)
    check_shape(run)
    report = run.report
    assert report.scenario.load == "0.2Mpps"
    assert report.offered is not None and report.offered.pps == 200_000
    assert all(one.traffic is not None and one.traffic.due for one in report.rounds)

    traffic_repository.commit("much", nalm__toml=toml.replace("200_000", "900_000_000"))
    with pytest.raises(HostError, match="the load 900Mpps was not measured: base: "):
        compare_with_itself(home, work, Silent(), seconds=0.1, repository=traffic_repository.path)


def spread_by(report: RunReport, share: float) -> RunReport:
    """The same rounds, undisturbed, with head's cycles moved up and down by a share from launch to launch."""
    rounds = []
    for one in report.rounds:
        factor = 1.0 if one.arm is Arm.BASE else 1 + share * (1 if one.launch % 2 else -1)
        lcores = [
            lcore.model_copy(
                update={
                    "turn_cpu_ns": lcore.turn_wall_ns,
                    "busy_cycles": round(one.stages["rx"].packets * 1000 * factor),
                }
            )
            for lcore in one.lcores
        ]
        update = {"lcores": lcores, "steal_ns": 0, "set_aside": None}
        rounds.append(one.model_copy(update=update))
    return report.model_copy(update={"rounds": rounds, "settings": DEFAULT_SETTINGS})


def test_what_the_spread_lets_see(home: Home, work: WorkDir, nf_repository: NfRepository) -> None:
    run = compare_with_itself(home, work, Silent(), seconds=1, repository=nf_repository.path)
    quiet = noise_finding(AaRun(spread_by(run.report, 0.001), 3.0))
    assert quiet.level is Level.OK and "in 10 min" in quiet.value
    assert quiet.figures["change_in_600_s"] < quiet.figures["change_in_60_s"] < 0.02
    assert 0.0008 < quiet.figures["ln_sd"] < 0.0015
    loud = noise_finding(AaRun(spread_by(run.report, 0.1), 30.0))
    assert loud.level is Level.NOTE and "nothing in 10 s" in loud.value and loud.cure is not None
    nothing = run.report.model_copy(
        update={"rounds": [one.model_copy(update={"set_aside": "stolen"}) for one in run.report.rounds]}
    )
    with pytest.raises(HostError, match="could be used"):
        noise_finding(AaRun(nothing, 3.0))


def test_every_standing_scenario_is_a_row_and_one_that_fails_says_why(
    nf_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    broken = SCENARIO.replace("[scenarios.tiny]", "[scenarios.broken]").replace(
        "packets = 20000", "packets = 20000\nlcores = 64"
    )
    requested = SCENARIO.replace("[scenarios.tiny]", "[scenarios.asked]\non_request = true")
    rule = '[[thresholds]]\nscenario = "tiny"\nmargin = 0.03\n'
    nf_repository.commit("scenarios", nalm__toml=NALM_TOML + broken + requested + rule)
    table, findings = tmp_path / "noise.md", tmp_path / "doctor.json"
    files = ("--markdown", str(table), "--json", str(findings))
    done = nalm.run("doctor", "--noise", "--all", "--seconds", "1", *files, cwd=nf_repository.path)
    rows = [line.split() for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stderr
    header = rows.index(["scenario", "10", "s", "1", "min", "10", "min", "margin"])
    assert [row[0] for row in rows[header + 1 :]] == ["tiny", "broken"]
    notes = {row[2]: " ".join(row) for row in rows if row[:1] == ["note"] and row[1:2] == ["noise"]}
    busy = "disturbed all of them" in notes.get("tiny", "")
    assert busy or rows[header + 1][-2:] == ["3.00", "%"], notes
    assert rows[header + 2][1:] == ["-"] * 4 and "64" in notes["broken"]
    written = table.read_text().splitlines()
    assert written[2:4] == [
        "| scenario | 10 s | 1 min | 10 min | margin |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    assert written[4].startswith("| tiny | ") and written[5] == "| broken | - | - | - | - |"
    assert written[-1].startswith("- noise broken: ")
    named = {one["name"] for one in json.loads(findings.read_text())}
    assert {"cores", "tsc", "papi", "perf", "valgrind", "huge pages", "noise tiny", "noise broken"} <= named


def test_all_needs_noise_and_a_project(nalm: Nalm, tmp_path: Path) -> None:
    assert nalm.run("doctor", "--all", cwd=tmp_path).returncode == 2
    assert nalm.run("doctor", "--noise", "--all", cwd=tmp_path).returncode == 2
    refused = nalm.run("doctor", "--noise", "--markdown", "table.md", cwd=tmp_path)
    assert refused.returncode == 2 and "--markdown requires --noise --all" in refused.stderr
