# SPDX-License-Identifier: Apache-2.0
"""Soak tests of a real NF are interrupted, killed, resumed and refused."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
from full_disk import full_disk
from nalm_agent.rates.soak_file import SoakFile, read_soak
from nalm_agent.runtime.errors import UsageError
from nalm_agent.shell.app import app
from nalm_core.rates.soak import SoakHeader, SoakOutcome, judge_soak, soak_figures
from nalm_core.report.offered_load import LoadShape, Ramp
from tiny import Nalm, NfRepository
from typer.testing import CliRunner
from waiting import until

SHORT = ("soak", "HEAD", "--pps", "20000", "--interval", "0.05")
SECONDS = 1 / 3600


def intervals(path: Path) -> int:
    return len(path.read_bytes().split(b"\n")) - 2 if path.exists() else -1


def hours(seconds: float) -> str:
    return str(seconds * SECONDS)


THRESHOLD = '[[thresholds]]\nmetric = "memory_growth"\nmargin = 1e9\n'


@pytest.mark.timed
def test_a_soak_is_interrupted_and_goes_on(
    traffic_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    out = tmp_path / "soak.jsonl"
    toml = (traffic_repository.path / "nalm.toml").read_text()
    traffic_repository.commit(
        "load", nalm__toml=toml + "load = { pps = 1e6, burst = 4, ramp = { ms = 10 } }\n" + THRESHOLD
    )
    shape = LoadShape(burst=4, ramp=Ramp(ms=10))
    begun = nalm.start(*SHORT, "--hours", hours(600), "--out", str(out), cwd=traffic_repository.path)
    assert until(lambda: intervals(out) >= 5)
    begun.send_signal(signal.SIGINT)
    _, said = begun.communicate(timeout=60)
    assert begun.returncode == 130
    assert f"to continue: nalm soak --resume {out}" in said
    header, first = read_soak(out)
    assert header.settings.margins == {"memory_growth": 1e9}
    assert [one.number for one in first] == list(range(len(first)))

    # what is left of it is made short, and a kill in the middle of a line is added
    document = header.model_dump(mode="json", by_alias=True)
    document["settings"]["hours"] = (sum(one.trial.intended_s for one in first) + 1) * SECONDS
    lines = out.read_bytes().split(b"\n")
    lines[0] = json.dumps(document).encode()
    out.write_bytes(b"\n".join(lines) + b'{"number": 99, "laun')
    done = nalm.run("soak", "HEAD", "--resume", str(out), cwd=traffic_repository.path)
    assert done.returncode in (0, 1, 3), done.stderr
    header, both = read_soak(out)
    assert [one.number for one in both] == list(range(len(both)))
    assert {one.launch for one in both} == {0, 1}
    assert header.settings.shape == shape and all(one.trial.shape == shape for one in both)
    assert all(one.memory_bytes for one in both)
    verdict = judge_soak(header, both)
    assert verdict.outcome is not SoakOutcome.INVALID
    assert verdict.hours >= header.settings.hours
    assert f"{verdict.outcome}" in done.stdout

    again = nalm.run("soak", "HEAD", "--resume", str(out), cwd=traffic_repository.path)
    assert "has ended already" in again.stderr
    assert len(read_soak(out)[1]) == len(both)

    source = traffic_repository.path / "traffic_nf.c"
    traffic_repository.commit("more work", traffic_nf__c=source.read_text().replace("WORK = 20", "WORK = 90"))
    other = nalm.run("soak", "HEAD", "--resume", str(out), cwd=traffic_repository.path)
    assert other.returncode == 2
    assert "cannot continue: its code was" in other.stderr
    assert len(read_soak(out)[1]) == len(both)


VCPE = 'arguments = ["--capacity", "100000"]\nvcpe = ["--frame", "{frame}"]'


def test_a_load_of_the_vcpe_procedure_is_kept_and_continued(
    traffic_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    out = tmp_path / "soak.jsonl"
    toml = (traffic_repository.path / "nalm.toml").read_text()
    toml = toml.replace('arguments = ["--capacity", "100000"]', VCPE)
    traffic_repository.commit("frames", nalm__toml=toml + "load = { pps = 1e6, burst = 4 }\n")
    short = ("--interval", "0.05", "--hours", hours(1.5), "--leave-out", "0.5", "--out", str(out))
    done = nalm.run("soak", "HEAD", "--preset", "vcpe", *short, cwd=traffic_repository.path)
    assert done.returncode in (0, 1, 3), done.stderr
    header, kept = read_soak(out)
    assert header.preset is not None and header.preset.frame == "256"
    assert header.run.command[-2:] == ["--frame", "256"]
    assert {one.trial.intended_pps for one in kept} == {2 * 12_207}
    assert {one.trial.shape for one in kept} == {None}, "the procedure has gaps of its own"
    assert kept[0].trial.intended_s == pytest.approx(0.55) and kept[1].trial.intended_s == 0.05
    sending_s = kept[0].trial.traffic.sending_ns / 1e9
    within = max(0.0, sending_s - 0.5)  # less is sent where others take the CPU
    assert kept[0].launch_s == pytest.approx(within), "what is left out is no part of the soak"
    assert judge_soak(header, kept).hours >= header.settings.hours
    figures = soak_figures(header, kept)
    assert figures is not None and figures.latency is not None
    tick_ns = 1e9 / header.host.tsc_hz
    assert figures.latency.max_ns == pytest.approx(2000 * tick_ns, rel=0.01), "to clients they take longer"
    text = " ".join(done.stdout.split())
    assert "of 150 ms" in text and "tuned 2 ms, 1.3 %; not tuned 9.95 ms, 6.6 %" in text
    again = nalm.run("soak", "HEAD", "--resume", str(out), cwd=traffic_repository.path)
    assert "has ended already" in again.stderr and "of 150 ms" in " ".join(again.stdout.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--frame", "imix"], "--frame requires --preset"),
        (["--leave-out", "1"], "--leave-out requires --preset"),
        (["--preset", "vcpe", "--pps", "1000"], "--preset and --pps exclude each other"),
        (["--preset", "vcpe", "--resume", "x.jsonl"], "--preset and --resume exclude each other"),
        (["--resume", "x.jsonl", "--frame", "64"], "--frame and --resume exclude each other"),
        (["--resume", "x.jsonl", "--hours", "9"], "--hours and --resume exclude each other"),
        (["--resume", "x.jsonl", "--share", "80"], "--share and --resume exclude each other"),
        (["--resume", "x.jsonl", "--pps", "1000"], "--pps and --resume exclude each other"),
        (["--resume", "x.jsonl", "--interval", "1"], "--interval and --resume exclude each other"),
        (["--resume", "x.jsonl", "--out", "y.jsonl"], "--out and --resume exclude each other"),
        (["--resume", "x.jsonl", "--branch", "main"], "--branch and --resume exclude each other"),
        (["--share", "80", "--pps", "1000"], "--share and --pps exclude each other"),
    ],
)
def test_options_of_a_preset(arguments: list[str], message: str) -> None:
    found = CliRunner().invoke(app, ["soak", *arguments]).exception
    assert isinstance(found, UsageError) and message in found.message


def test_a_share_meant_as_a_fraction_is_refused() -> None:
    """Half of NDR is 50: 0.5 per cent for hours would be a wasted night."""
    done = CliRunner().invoke(app, ["soak", "--share", "0.5"])
    assert done.exit_code == 2 and "expected at least 1" in done.output


def test_a_preset_needs_frames_that_nalm_toml_names(
    traffic_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    command = ("soak", "HEAD", "--preset", "vcpe", "--out", str(tmp_path / "soak.jsonl"))
    done = nalm.run(*command, cwd=traffic_repository.path)
    assert done.returncode == 2 and "[rates] vcpe" in done.stderr


def test_a_soak_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "soak.jsonl"
    path.write_text("kept")
    with pytest.raises(UsageError, match="cannot be created"):
        SoakFile.create(path, SoakHeader.model_construct())
    assert path.read_text() == "kept"


def test_a_soak_without_a_header_is_not_left(tmp_path: Path) -> None:
    """It could be neither continued nor begun again."""
    path = tmp_path / "soak.jsonl"
    with full_disk(), pytest.raises(UsageError, match="cannot be written"):
        SoakFile.create(path, SoakHeader.model_construct(project="p"))
    assert not path.exists()


@pytest.mark.timed
def test_memory_that_is_never_given_back_is_a_leak(
    traffic_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    out = tmp_path / "soak.jsonl"
    toml = (traffic_repository.path / "nalm.toml").read_text()
    grown = toml.replace('"--capacity", "100000"', '"--grow", "131072"')
    traffic_repository.commit("leaks", nalm__toml=grown)
    done = nalm.run(*SHORT, "--hours", hours(1.5), "--out", str(out), cwd=traffic_repository.path)
    assert "leaking" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 1
    assert "memory +" in done.stdout


def test_files_that_are_no_soak(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for content, message in (
        (None, "cannot be read"),
        (b"", "has no header"),
        (b'{"schema": "other"}\n', ":1: not the header of a soak"),
    ):
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(UsageError, match=message):
            read_soak(path)


def test_a_line_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "soak.jsonl"
    path.write_bytes(b'{"whole": 1}\n{"half')
    SoakFile.append(path).close()
    assert path.read_bytes() == b'{"whole": 1}\n'
