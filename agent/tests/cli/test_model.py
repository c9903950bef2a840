# SPDX-License-Identifier: Apache-2.0
"""`nalm model`: answers as text and JSON, notes beside what is extrapolated, refusals by the input's name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from nalm_agent.runtime.errors import UsageError
from nalm_agent.shell.app import app
from nalm_core.report.batch_sizes import LcoreBatches
from nalm_core.report.host_supply import HostSupply
from nalm_core.report.run_report import RunReport
from nalm_core.report.serialization import dump_report
from nalm_synthetic import changed, make_report
from rate_synthetic import Truth, rate_report, trial
from typer.testing import CliRunner

RATES = "1=2.1M,2=3.691720M,4=5.854546M,8=7.939726M,16=8.781818M"
"""f_t 1.104, f_a 0.04, f_s 0.10, f 0.004, times 2.1 M."""


SUPPLY = HostSupply(
    one={"instructions": 9e9, "L2": 0.6e9, "memory": 60e6},
    together={"instructions": 16e9, "L2": 1.2e9, "memory": 90e6},
    cpus=2,
    core_hz=3e9,
    missing={"watts": "no powercap"},
)
LINE_OF_TIMES = ("--base-ns", "9", "--packet-ns", "9")


def nalm(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["model", *arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


def document(*arguments: str) -> dict[str, Any]:
    found = json.loads(nalm(*arguments, "--json"))
    assert isinstance(found, dict)
    return found


@pytest.fixture(scope="module")
def report() -> RunReport:
    found = make_report(changed(), launches=2, turns=2)
    return found.model_copy(update={"host": found.host.model_copy(update={"caches": {"L1d": 48 << 10}})})


@pytest.fixture(scope="module")
def run(report: RunReport, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("run") / "run.json"
    path.write_bytes(dump_report(report))
    return str(path)


def test_speedup_from_rates() -> None:
    said = nalm("speedup", "--rates", RATES, "--f-s", "0.1", "--at", "8,32")
    assert "f_a 0.04" in said and "peak at 15.5" in said
    assert "32 lcores: speedup 3.70" in said and said.count("(extrapolated)") == 1
    found = document("speedup", "--rates", RATES)
    assert found["factors"] is None and found["ranges"]["f_s"][0] == 0
    assert found["peak"]["value"] == pytest.approx(15.49, abs=0.02)
    assert found["predictions"] == []


def test_roles_from_cycles() -> None:
    options = (
        "--dispatch",
        "100",
        "--workers",
        "300",
        "--databases",
        "50",
        "--lcores",
        "16",
        "--frequency",
        "2G",
    )
    assert "dispatch 4, workers 10, databases 2: 66.667 Mpps predicted; workers bind" in nalm(
        "roles", *options
    )
    found = document("roles", *options, "--measured", "60M")
    assert found["shortest_way"]["denominator"] == pytest.approx(73.9238, abs=1e-4)
    assert found["error"] == pytest.approx(1 / 9)


def test_queue_from_a_line_and_from_batches(tmp_path: Path) -> None:
    options = ("--queue", "64", "--batch", "8")
    found = document("queue", "--pps", "20M", "--base-ns", "200", "--packet-ns", "30", *options)
    (load,) = found["loads"]
    assert load["loss"] == pytest.approx(1 - 8 / 44 * 5, abs=0.01)
    batches = {str(size): [100, 100 * 2 * (200 + 30 * size)] for size in (1, 2, 3)}
    file = tmp_path / "batches.json"
    file.write_text(json.dumps({"tsc_hz": 2e9, "batches": batches}))
    said = nalm("queue", str(file), "--pps", "12M", *options, "--arrivals", "geometric")
    assert "note: extrapolated" in said and "JSD" in said
    said = nalm("queue", str(file), "--pps", "40M", *options, "--loss", "1e-5")
    assert "lcores lose at most 1e-05; " in said and "JSD" not in said
    assert document("queue", str(file), "--pps", "1M", *options)["agreement"]["divergence"] > 0


def test_queue_from_a_rate_report(tmp_path: Path) -> None:
    sizes = {size: (100, 100 * 2 * (200 + 30 * size)) for size in (1, 2, 3)}
    trials = [
        trial(Truth(intended_pps=pps, shared_core=False)).model_copy(
            update={"batches": [LcoreBatches(lcore=0, sizes=sizes)]}
        )
        for pps in (5_000_000, 8_000_000)
    ]
    file = tmp_path / "rates.json"
    file.write_text(rate_report(trials).model_dump_json(by_alias=True))
    options = ("--queue", "64", "--batch", "8")
    assert "against the measured batches: JSD" in nalm("queue", str(file), "--pps", "5M", *options)
    said = nalm("queue", str(file), "--pps", "4M", *options)
    assert "no valid trial at 4.000 Mpps to compare with" in said and "JSD" not in said


def test_budget_from_options_and_a_run(run: str) -> None:
    said = nalm("budget", "--line", "40G", "--lcores", "4", "--frequency", "2G", "--cpp", "268.8")
    assert (
        "every 16.80 ns" in said
        and "carry 50.0 % of the line; 8 carry it all" in said
        and "extrapolated" in said
    )
    assert document("budget", run, "--line", "10G")["lcores"] == 1


def test_capacity_of_the_papers_chip_and_of_a_file(tmp_path: Path) -> None:
    said = nalm("capacity", "--chip", "npu", "--demand", "pbb", "--load", "480M")
    assert "at most 960.000 Mpps: cache bind" in said and "cache 50.0 %" in said
    assert "inferred" in said and "per watt: missing" in said
    file = tmp_path / "chip.toml"
    file.write_text("watts = 80\n[supply]\ncores = 1080e6\n")
    assert document("capacity", "--chip", str(file), "--demand", "cores=1")["mpps_per_watt"] == 13.5


def test_cost_of_designs_and_of_a_cache(tmp_path: Path) -> None:
    file = tmp_path / "designs.json"
    file.write_text(json.dumps({"designs": {"many": [400, 350, 9000, 8900]}}))
    found = document("cost", str(file), "--design", "one=900,800,900,800", "--weight", "0,1")
    assert found["best"] == ["one", "many"] and found["pareto"] == ["one", "many"]
    assert found["crossings"][0]["below"] == "one"
    assert "at least 10 packets (N* = 9.23)" in nalm("cost", "--break-even", "900,180,258")


def test_lines_of_a_cache_and_of_a_runs_host(run: str) -> None:
    found = document("lines", "--cache", "48K")
    fits = [row["metadata_bytes"] for row in found["rows"] if row["aggregated"] and row["fits"]]
    assert fits == [0, 2, 4, 8, 16, 32] and found["most_metadata"] == 32
    assert document("lines", run)["cache_lines"] == 768


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["speedup", "--rates", "1=2M,2=3M"], "core counts: 2 given, expected at least 3"),
        (["speedup", "--rates", "1:2M"], "--rates: expected NAME=NUMBER"),
        (["speedup", "--rates", "one=2M"], "--rates: expected LCORES=RATE"),
        (["speedup", "--rates", "1=fast"], "--rates 1: expected a number"),
        (["speedup", "--rates", "1=2M,2=0,4=5M"], "--rates 2: expected a number above 0, not 0"),
        (["speedup", "none.json"], "none.json cannot be read"),
        (["roles", "--lcores", "8", "--dispatch", "1"], "--workers: is missing"),
        (["queue", "--pps", "1M"], "--packet-ns: is missing"),
        (["queue", "--pps", "1M", "--line", "1G", *LINE_OF_TIMES], "either --line or --pps"),
        (["queue", "--pps", "1T", *LINE_OF_TIMES], "rate: is "),
        (
            ["queue", "--pps", "1M", *LINE_OF_TIMES, "--queue", "64"],
            "queue: 64 packets",
        ),
        (
            ["queue", "--pps", "1M", *LINE_OF_TIMES, "--arrivals", "bursty"],
            "--arrivals: expected one of poisson",
        ),
        (["queue", "--pps", "10M", "--base-ns", "90", "--packet-ns", "9000", "--loss", "0.1"], "rate: 64"),
        (["budget", "--line", "40G", "--cpp", "9", "--lcores", "1"], "--frequency: is missing"),
        (
            ["budget", "--line", "40G", "--frame", "12", "--cpp", "9", "--lcores", "1", "--frequency", "2G"],
            "frame",
        ),
        (
            ["budget", "--cpp", "9", "--lcores", "1", "--frequency", "2G"],
            "either that of a line or packets/s",
        ),
        (["capacity", "--chip", "npu"], "demand: is missing"),
        (
            ["capacity", "--chip", "gpu", "--demand", "pbb"],
            "--chip: gpu is neither npu, cpu or host",
        ),
        (["capacity", "--supply", "cores=1G,cores=2G", "--demand", "pbb"], "--supply: names cores twice"),
        (["queue", "--pps", "1M", *LINE_OF_TIMES, "--loss", "2"], "loss: expected at most 1, not 2.0"),
        (["capacity", "--demand", "pbb"], "chip: is missing"),
        (["capacity", "--demand", "pbb", "--chip", "npu", "--supply", "cores=1G"], "chip: expected either"),
        (
            ["capacity", "--chip", "npu", "--demand", "pbb", "--load", "1G"],
            "is above the capacity, 960.000 Mpps",
        ),
        (["cost"], "designs: expected at least one"),
        (["cost", "--design", "a=1,2"], "design a: expected R1,R,D1,D"),
        (["cost", "--break-even", "900,300,258"], "cycles later"),
        (["lines"], "cache: is missing"),
        (["lines", "--cache", "1e400"], "--cache: expected a number that fits into floating point"),
        (["lines", "--cache", "48K", "--metadata", "0,1e400"], "--metadata: expected a number that fits"),
        (["queue", "--pps", "1e308T", *LINE_OF_TIMES], "--pps: expected a number that fits"),
    ],
)
def test_inputs_that_a_model_cannot_carry_are_refused_by_name(arguments: list[str], said: str) -> None:
    with pytest.raises(UsageError) as refused:
        nalm(*arguments)
    assert said in refused.value.message


def test_a_missing_counter_is_named(tmp_path: Path, report: RunReport) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(dump_report(report.model_copy(update={"model_counts": []})))
    with pytest.raises(UsageError, match="supply: of bench-1 was not measured: run `nalm doctor` there"):
        nalm("capacity", str(path), "--demand", "pbb")
    with pytest.raises(UsageError, match="cache misses: the run report has no modelled caches"):
        nalm("capacity", str(path), "--supply", "cores=1G")
    path.write_bytes(dump_report(make_report(changed(), launches=2, turns=2)))
    with pytest.raises(UsageError, match="L1d: the run report has no size"):
        nalm("lines", str(path))
    with pytest.raises(UsageError, match="stages: expected a pipeline"):
        nalm("roles", str(path), "--lcores", "8")


def test_capacity_of_a_measured_host(tmp_path: Path, report: RunReport) -> None:
    path = tmp_path / "run.json"
    measured = report.host.model_copy(update={"supply": SUPPLY})
    path.write_bytes(dump_report(report.model_copy(update={"host": measured})))
    found = document("capacity", str(path), "--demand", "cores=1000,cache=10,memory=1")
    assert found["bounds_pps"] == {"cores": 9e6, "cache": 60e6, "memory": 60e6}
    said = nalm("capacity", str(path), "--demand", "cores=1000,memory=1", "--lcores", "4")
    assert (
        "extrapolated: 4 lcores are more than the host's 2 CPUs" in said and "memory stays as it is" in said
    )
    both = document("capacity", str(path), "--demand", "cores=1000,memory=1", "--lcores", "4")["bounds_pps"]
    assert both == {"cores": 32e6, "memory": 90e6}


def test_help_has_examples() -> None:
    for name in ("speedup", "roles", "queue", "budget", "capacity", "cost", "lines"):
        assert f"nalm model {name} " in nalm(name, "--help")
