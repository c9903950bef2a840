# SPDX-License-Identifier: Apache-2.0
"""The commands init, doctor and top, and their output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from nalm_agent.config.location import root_to_be
from nalm_agent.config.nalm_toml import parse
from nalm_agent.desk.init import write_first_config, write_headers
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.start import NfStart
from nalm_agent.report.print_run import instruction_line, print_run
from nalm_agent.report.result import Result, worst
from nalm_agent.runtime.errors import ExitCode, UsageError
from nalm_agent.store.home import WorkDir
from nalm_core.report.run_report import Arm, InstructionCount, RunStatus, Source
from nalm_core.report.serialization import parse_report
from nalm_core.verdict.verdict import judge
from tiny import ROOT, Nalm, NfRepository

BUILD_FILES = {
    "meson.build": ("project('fwd', 'c')\nexecutable('fwd', 'main.c')\n", "ninja"),
    "CMakeLists.txt": ("add_executable(fwd main.c)\n", "cmake"),
    "Makefile": ("APP = fwd\n", "make"),
}


@pytest.mark.parametrize("name", BUILD_FILES)
def test_init_knows_the_build_system(tmp_path: Path, name: str) -> None:
    text, tool = BUILD_FILES[name]
    (tmp_path / name).write_text(text)
    (tmp_path / "main.c").write_text(
        '#include "nalm_probe.h"\nstatic const struct nalm_stage_spec stages[] = {{"nat", 0, NULL}};\n'
        "int main(int argc, char **argv) { return rte_eal_init(argc, argv); }\n"
    )
    (tmp_path / "mix.pcap").write_bytes(b"")
    path, remarks = write_first_config(tmp_path)
    config = parse(path.read_text())
    assert config.build.artifacts == ["fwd"]
    assert any(tool in command for command in config.build.commands)
    assert "{eal}" in config.run.command
    assert config.stages["nat"].functions == ["nat_process"]
    assert config.scenarios["main"].traffic == "mix.pcap"
    assert not any("nalm_probe.h" in remark for remark in remarks)


def test_init_lends_a_probe_to_a_dpdk_program_that_has_none(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("APP = fwd\nLIBS = $(shell pkg-config --libs libdpdk)\n")
    (tmp_path / "main.c").write_text(
        "static void\nnat_rewrite(struct rte_mbuf *m, unsigned port)\n{\n}\n"
        "int main(int argc, char **argv) { return rte_eal_init(argc, argv); }\n"
    )
    path, remarks = write_first_config(tmp_path)
    config = parse(path.read_text())
    assert config.run.counts == "dpdk" and "{eal}" in config.run.command
    assert any("infinite_rx=1" in argument for argument in config.run.command)
    assert '# functions = ["nat_rewrite"]' in path.read_text()
    assert any("lent a probe" in remark for remark in remarks)


def test_init_brings_the_headers_once(tmp_path: Path) -> None:
    assert [path.name for path in write_headers(tmp_path)] == ["nalm_probe.h", "nalm_loop.h"]
    with pytest.raises(UsageError, match="already exists"):
        write_headers(tmp_path)


def test_init_writes_where_the_other_commands_read(nf_repository: NfRepository, tmp_path: Path) -> None:
    nf_repository.write("src/nat.c", "")
    assert root_to_be(nf_repository.path / "src") == nf_repository.path
    assert root_to_be(tmp_path) == tmp_path


def test_init_says_what_is_missing_and_overwrites_nothing(tmp_path: Path) -> None:
    path, remarks = write_first_config(tmp_path)
    assert (
        sum("correct [build]" in one or "nalm_probe.h" in one or "no capture" in one for one in remarks) == 3
    )
    path.write_text("mine")
    with pytest.raises(UsageError, match="already exists"):
        write_first_config(tmp_path)
    assert path.read_text() == "mine"


def test_top_finds_a_running_nf(tiny_nf: list[str], work: WorkDir, nalm: Nalm, tmp_path: Path) -> None:
    with RunningNf(NfStart(tiny_nf, ready_seconds=60), work, seed=0) as nf:
        nf.wait_ready()
        assert nf.gate is not None
        idle = nalm.run("top", "--pid", str(nf.probe.pid), "--once", "--interval", "0.1", cwd=tmp_path)
        assert idle.returncode == 0, idle.stderr
        assert "no packets" in idle.stdout
        nf.gate.open()
        busy = nalm.run(
            "top", "--pid", str(nf.probe.pid), "--once", "--json", "--interval", "0.2", cwd=tmp_path
        )
    view = json.loads(busy.stdout)
    stages = {stage["stage"]: stage for stage in view["stages"]}
    assert list(stages) == ["gen", "rx", "alpha", "beta", "tx"]
    assert stages["alpha"]["mean_batch"] == 32
    assert stages["alpha"]["drops"]["denied"] > 0
    own = sum(stage["cpp"] for stage in view["stages"] if not stage["apart"])
    assert own == pytest.approx(view["cpp"])


def count(arm: Arm, packets: int, **stages: int) -> InstructionCount:
    return InstructionCount(arm=arm, source=Source.SIMULATED, packets=packets, stages=stages, unattributed=0)


def test_instruction_line() -> None:
    base = count(Arm.BASE, 100, nat=1000, dpi=5000)
    head = count(Arm.HEAD, 200, nat=2280, dpi=10_002, acl=7)
    assert instruction_line({Arm.BASE: base, Arm.HEAD: head}) == "nat +14.0 %"
    same = count(Arm.HEAD, 200, nat=2000, dpi=10_000)
    assert "no stage changed" in (instruction_line({Arm.BASE: base, Arm.HEAD: same}) or "")
    as_base = count(Arm.HEAD_AS_BASE, 100, nat=900, dpi=5000)
    three = {Arm.BASE: base, Arm.HEAD: head, Arm.HEAD_AS_BASE: as_base}
    assert instruction_line(three) == "nat -10.0 %"
    assert instruction_line({}) is None


def test_exit_code_of_no_results() -> None:
    assert worst([]) is ExitCode.OK


@pytest.mark.parametrize("command", ["check", "bench", "init", "doctor", "top", "agent"])
def test_every_command_has_help_and_is_documented(nalm: Nalm, tmp_path: Path, command: str) -> None:
    done = nalm.run(command, "--help", cwd=tmp_path)
    assert done.returncode == 0
    assert "Example" in done.stdout
    assert f"`nalm {command}" in (ROOT / "docs" / "commands.md").read_text()


def test_a_regression_is_printed_with_why_and_at_most_two_advices(capsys: pytest.CaptureFixture[str]) -> None:
    path = ROOT / "core/tests/fixtures/v1-regressed-nat_instructions.json"
    report = parse_report(path.read_bytes())
    print_run(report, judge(report), "sfc_a")
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("why: Time goes into nat. Instructions: more")]
    assert 1 <= sum(line.startswith("advice (") for line in lines) <= 2


def test_on_a_busy_host_the_function_that_grew_comes_first_and_the_next_commands_last(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = parse_report((ROOT / "core/tests/fixtures/v1-inconclusive-busy_host.json").read_bytes())
    print_run(report, verdict := judge(report), "sfc_a")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("sfc_a: inconclusive  nat_process in nat +10.9 % of the chain's instructions")
    assert [line.split("`")[1] for line in lines if line.startswith("next: ")] == [
        "nalm explain",
        "nalm check --force --minutes 9",
    ]
    assert Result("sfc_a", report, verdict).exit_code == ExitCode.REGRESSION
    named = [line for line in lines if line.startswith("  nat: nat_process")]
    assert len(named) == 1, "by its judgement alone"


def test_where_nothing_changed_nothing_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    report = parse_report((ROOT / "core/tests/fixtures/v1-same-feature_dpi.json").read_bytes())
    print_run(report, judge(report), "sfc_a")
    assert not [line for line in capsys.readouterr().out.splitlines() if line.startswith(("why:", "advice"))]


def test_a_long_reason_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    report = parse_report((ROOT / "core/tests/fixtures/v1-same-feature_dpi.json").read_bytes())
    said = "head: build command failed (1): gcc -o nf nf.c: " + "cannot find " * 20 + "nf.c"
    broken = report.model_copy(update={"status": RunStatus.BROKEN, "failure": f"{said}\nthe log"})
    print_run(broken, judge(broken), "sfc_a")
    out = capsys.readouterr().out
    assert out.count("head: build command failed") == 1 and f"broken  {said}\n  | the log\n" in out
