# SPDX-License-Identifier: Apache-2.0
"""Own metrics in real runs: by commands, files, output and telemetry; a missing one has its reason."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from nalm_agent.config.metrics import MetricConfig
from nalm_agent.config.nalm_toml import MEMORY_MB
from nalm_agent.host.cores import choose
from nalm_agent.measure.metric_readings import LaunchMetrics
from nalm_agent.native.library import library
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.run_plan import LENT_PROBE, eal_options
from nalm_agent.nf.start import NfStart
from nalm_agent.store.home import Home, WorkDir
from nalm_core.report.catalogue import SHIPPED
from nalm_core.report.run_report import Arm
from nalm_core.report.serialization import parse_report
from nalm_core.verdict.verdict import judge
from tiny import FEW_LAUNCHES, NALM_TOML, Nalm, NfRepository

OWN = """
[metrics.table_bytes]
unit = "bytes"
better = "lower"
every = "build"
command = ["cat", "{source}/table"]

[metrics.answers]
unit = "answers"
better = "higher"
command = ["sh", "-c", "printf '[[%s]]' {pid}"]
key = "0.0"

[metrics.broken]
unit = "1"
better = "lower"
command = ["sh", "-c", "echo table is locked; exit 3"]
"""


def test_metrics_stand_in_the_report_and_one_beyond_its_margin_fails_the_check(
    nf_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    nf_repository.commit("metrics", nalm__toml=FEW_LAUNCHES + OWN, table="1000\n")
    nf_repository.write("table", "1200\n")
    used = "__attribute__((used)) static int never"
    unused = "".join(f"{used}_{n}(int x) {{ return x * x * {n} + x / 7; }}\n" for n in range(20))
    nf_repository.write("work.h", "#define ALPHA_WORK 40\n#define BETA_WORK 40\n" + unused)
    done = nalm.run("check", "--json", str(tmp_path / "run.json"), cwd=nf_repository.path)
    report = parse_report((tmp_path / "run.json").read_bytes())
    by_name = {one.name: one for one in report.own_metrics}
    assert list(by_name) == ["table_bytes", "answers", "broken", *SHIPPED]
    assert by_name["table_bytes"].values == {Arm.BASE: [1000.0], Arm.HEAD: [1200.0]}
    launches = len({one.launch for one in report.rounds})
    assert {len(values) for values in by_name["answers"].values.values()} == {launches}
    assert len(set(by_name["answers"].values[Arm.HEAD])) == launches  # of another process each time
    assert by_name["broken"].values == {}
    assert "ended with exit code 3; it printed 'table is locked'" in by_name["broken"].missing[Arm.HEAD]
    assert by_name["resident_bytes"].values[Arm.BASE][0] > 100_000
    names = ("hot_code_bytes", "code_bytes", "binary_bytes")
    sizes = [by_name[name].values[Arm.HEAD][0] for name in names]
    assert 0 < sizes[0] < sizes[1] < sizes[2] < 1_000_000
    hot, code = (by_name[name].values for name in names[:2])
    assert abs(hot[Arm.HEAD][0] - hot[Arm.BASE][0]) < 100, "what head has in addition is not executed"
    assert code[Arm.HEAD][0] - code[Arm.BASE][0] > 400
    assert by_name["build_seconds"].values.keys() | by_name["build_seconds"].missing.keys() == set(
        report.arms
    )
    verdict = judge(report)
    assert [one.metric for one in verdict.failing_metrics] == ["table_bytes"]
    assert done.returncode == 1, done.stderr
    assert "table_bytes 1,000 to 1,200 bytes (+20.0 %), regressed" in done.stdout
    assert "broken: missing; " in done.stdout


def test_a_threshold_of_a_stage_that_is_not_there_is_a_mistake(
    nf_repository: NfRepository, nalm: Nalm
) -> None:
    rule = '[[thresholds]]\nscenario = "tiny"\nstage = "alfa"\nmargin = 0.5\n'
    nf_repository.write("nalm.toml", NALM_TOML + rule)
    nf_repository.write("work.h", "#define ALPHA_WORK 41\n")
    done = nalm.run("check", "--quiet", cwd=nf_repository.path)
    assert done.returncode == 2
    assert "scenario 'tiny' has no stage 'alfa'; its stages are" in " ".join(done.stderr.split())


def read(metrics: Mapping[str, object], nf: RunningNf) -> LaunchMetrics:
    defined = {name: MetricConfig.model_validate(one) for name, one in metrics.items()}
    found = LaunchMetrics(defined, {Arm.HEAD: {"{source}": "/", "{build}": "/"}})
    found.read(Arm.HEAD, nf, None)
    return found


LOWER = {"unit": "1", "better": "lower"}


def test_documents_of_the_nf_are_read_and_each_fault_is_named(tiny_nf: list[str], work: WorkDir) -> None:
    documents = {
        "good.json": json.dumps({"a.b": [{"c": 7}], "text": "many"}),
        "bad.json": "{",
        "less.json": json.dumps({"n": -1}),
    }
    expected = {
        "good": {"file": "{run_dir}/good.json", "key": "a.b.0.c"},
        "text": {"file": "{run_dir}/good.json", "key": "text"},
        "key": {"file": "{run_dir}/good.json", "key": "a.b.1.c"},
        "bad": {"file": "{run_dir}/bad.json", "key": "a"},
        "less": {"file": "{run_dir}/less.json", "key": "n"},
        "gone": {"file": "{run_dir}/gone.json", "key": "a"},
        "pipe": {"file": "{run_dir}/pipe.json", "key": "a"},
        "output": {"file": "{output}", "key": "seen"},
        "unsaid": {"file": "{output}", "key": "unseen"},
        "words": {"command": ["echo", "about 12"]},
        "number": {"command": ["sh", "-c", "echo counting; echo 12.5"]},
        "unknown": {"command": ["/no/such/program"]},
        "telemetry": {"telemetry": "/stats", "key": "a"},
    }
    with RunningNf(NfStart(tiny_nf, ready_seconds=60), work, seed=0) as nf:
        nf.wait_ready()
        for name, text in documents.items():
            (nf.directory / name).write_text(text)
        os.mkfifo(nf.directory / "pipe.json")
        with nf.log.open("a") as log:
            log.write('{"seen": 1}\n{"seen": 2}\nnot JSON\n')
        found = read({name: LOWER | one for name, one in expected.items()}, nf)
        nf.finish()
    values = {name: of[Arm.HEAD] for name, of in found.values.items() if Arm.HEAD in of}
    assert values.pop("resident_bytes")[0] > 100_000
    assert values == {"good": [7.0], "output": [2.0], "number": [12.5]}
    said = {name: of[Arm.HEAD] for name, of in found.missing.items()}
    assert said.pop("buffers_in_use") == "its probe does not count packet buffers"
    for name, message in {
        "text": "{run_dir}/good.json: text is '\"many\"', expected a number",
        "key": "has no key a.b.1.c: 1 places, from 0",
        "bad": "is not JSON: '{'",
        "less": "n is -1, expected a finite number of 0 or more",
        "gone": "{run_dir}/gone.json cannot be read: No such file",
        "pipe": "is not JSON: nothing",
        "unsaid": "printed no line with a JSON object that has unseen",
        "words": "echo about 12 printed 'about 12', expected a number in its last line",
        "unknown": "/no/such/program could not be started",
        "telemetry": "the NF has no telemetry socket",
    }.items():
        assert message in said.pop(name)
    assert not said


def test_a_metric_that_failed_once_is_not_read_again(tiny_nf: list[str], work: WorkDir) -> None:
    metric = MetricConfig.model_validate(LOWER | {"command": ["sh", "-c", "echo x >> ../tries; echo no"]})
    found = LaunchMetrics({"no": metric}, {Arm.HEAD: {}})
    with RunningNf(NfStart(tiny_nf, ready_seconds=60), work, seed=0) as nf:
        nf.wait_ready()
        found.read(Arm.HEAD, nf, None)
        found.read(Arm.HEAD, nf, None)
        tries = (nf.directory.parent / "tries").read_text()
        nf.finish()
    assert tries == "x\n" and found.values["resident_bytes"].keys() == {Arm.HEAD}
    assert len(found.values["resident_bytes"][Arm.HEAD]) == 2


@pytest.mark.parametrize("on", [True, False])
def test_telemetry_of_a_real_dpdk_program(bare_dpdk: Path, home: Home, work: WorkDir, on: bool) -> None:
    lent = {"LD_PRELOAD": str(library(home, LENT_PROBE))}
    eal = eal_options(choose(1), huge_pages=False, memory_mb=MEMORY_MB, telemetry=on)
    prefix = f"nalm-test-{os.getpid()}"
    command = [str(bare_dpdk), *eal, f"--file-prefix={prefix}", "--vdev=net_null0", "--", "4"]
    metrics = {
        "received": {
            "unit": "packets",
            "better": "higher",
            "telemetry": "/ethdev/stats,0",
            "key": "ipackets",
        },
        "nothing": {"unit": "1", "better": "higher", "telemetry": "/no/such", "key": "x"},
    }
    try:
        with RunningNf(NfStart(command, ready_seconds=30, environment=lent), work, seed=0) as nf:
            nf.wait_ready()
            nf.turn(packets=3200)
            found = read(metrics, nf)
            nf.finish()
    finally:
        for root in ("/var/run", os.environ.get("XDG_RUNTIME_DIR", "/tmp")):
            shutil.rmtree(Path(root) / "dpdk" / prefix, ignore_errors=True)
    if on:
        assert found.values["received"][Arm.HEAD] == [3200.0]
        assert "does not know this command" in found.missing["nothing"][Arm.HEAD]
    else:
        assert "received" not in found.values
