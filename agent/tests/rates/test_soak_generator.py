# SPDX-License-Identifier: Apache-2.0
"""`nalm soak --generator`: reserved and checked, named in the file, the same when the soak goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result
from nalm_agent.rates.soak_file import read_soak
from nalm_agent.runtime.errors import NalmError, UsageError
from nalm_agent.shell.app import app
from nalm_core.rates.soak import judge_soak, soak_figures
from relayed_trex import relayed_toml
from tiny import RATES_TOML, NfRepository
from trex_server import TrexServer
from typer.testing import CliRunner

LATENCY = "latency_pps = 100\n"
SECONDS = 1 / 3600


@pytest.fixture(autouse=True)
def own_home(session_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NALM_HOME", str(session_home))
    monkeypatch.setenv("COLUMNS", "200")


def soak(repository: NfRepository, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["soak", "HEAD", "--repo", str(repository.path), *arguments])


def kept(repository: NfRepository, *arguments: str) -> str:
    """Output of a soak that ends with a verdict."""
    done = soak(repository, *arguments)
    assert isinstance(done.exception, SystemExit | None), done.exception
    assert done.exit_code in (0, 1, 3), done.output
    return done.output


def refused(repository: NfRepository, *arguments: str) -> str:
    error = soak(repository, *arguments).exception
    assert isinstance(error, UsageError), error
    return error.full_text()


def begun(path: Path, seconds: float = 1.5) -> list[str]:
    return ["--generator", "lab", "--interval", "0.05", "--hours", str(seconds * SECONDS), "--out", str(path)]


@pytest.mark.timed
def test_a_generator_outside_is_reserved_checked_and_named(
    traffic_repository: NfRepository, relayed: Path, tmp_path: Path
) -> None:
    out = tmp_path / "soak.jsonl"
    with TrexServer() as server:
        traffic_repository.commit("lab", nalm__toml=relayed_toml(relayed, server.port, LATENCY))
        said = kept(traffic_repository, *begun(out), "--pps", "20000")
    header, found = read_soak(out)
    assert header.generator.text == "lab (trex v3.06)"
    assert header.generator_table["ports"] == [0, 1] and "wait_seconds" not in header.generator_table
    assert all(one.trial.outside and one.trial.intended_pps == 20_000 for one in found)
    verdict = judge_soak(header, found)
    assert verdict.missing == {} and "latency_p99_9" in {one.name for one in verdict.trends}
    assert [one.name for one in header.checks] == ["generator_checked"]
    assert header.checks[0] in verdict.checks
    assert (server.methods().count("acquire"), server.methods().count("release")) == (2, 2)
    assert "generator lab (trex v3.06)" in said


@pytest.mark.nightly
@pytest.mark.timed
def test_without_latency_the_tail_is_missing_and_the_load_a_share_of_ndr(
    traffic_repository: NfRepository, relayed: Path, tmp_path: Path
) -> None:
    out = tmp_path / "soak.jsonl"
    limited = 'arguments = ["--capacity", "100000"]\n'
    with TrexServer() as server:
        traffic_repository.commit("lab", nalm__toml=relayed_toml(relayed, server.port, limited))
        said = kept(traffic_repository, *begun(out), "--share", "20")
    header, found = read_soak(out)
    assert header.ndr is not None and header.ndr.lower_pps is not None
    assert header.settings.pps == round(0.2 * header.ndr.lower_pps)
    assert all(one.trial.latency is None for one in found)
    verdict = judge_soak(header, found)
    assert verdict.missing == {"latency_p99_9": "generator lab (trex v3.06) measures no latency"}
    assert {"cpp", "pps", "memory"} <= {one.name for one in verdict.trends}
    assert "latency_p99_9 missing: generator lab (trex v3.06) measures no latency" in said


@pytest.mark.nightly
@pytest.mark.timed
def test_a_soak_goes_on_with_the_same_generator_only(
    traffic_repository: NfRepository, relayed: Path, tmp_path: Path
) -> None:
    out = tmp_path / "soak.jsonl"
    with TrexServer() as server:
        text = relayed_toml(relayed, server.port)
        traffic_repository.commit("lab", nalm__toml=text)
        kept(traffic_repository, *begun(out, 0.5), "--pps", "20000")
        header, first = read_soak(out)
        document = header.model_dump(mode="json", by_alias=True)
        document["settings"]["hours"] *= 2
        lines = out.read_bytes().split(b"\n")
        lines[0] = json.dumps(document).encode()
        out.write_bytes(b"\n".join(lines))

        said = refused(traffic_repository, "--resume", str(out), "--generator", "inside")
        assert "its generator was lab and is now inside" in said
        traffic_repository.commit("larger", nalm__toml=f"{text}frames = {{ 512 = 1 }}\n")
        assert "its generator's table was" in refused(traffic_repository, "--resume", str(out))
        traffic_repository.commit("patient", nalm__toml=f"{text}wait_seconds = 5\n")
        said = kept(traffic_repository, "--resume", str(out))
    _, both = read_soak(out)
    assert {one.launch for one in both} == {0, 1}, said
    assert both[: len(first)] == first
    assert server.methods().count("acquire") == 4, "once for both ports in each part"


@pytest.mark.nightly
@pytest.mark.timed
def test_a_generator_of_another_version_does_not_continue_it(
    traffic_repository: NfRepository, relayed: Path, tmp_path: Path
) -> None:
    out = tmp_path / "soak.jsonl"
    with TrexServer() as server:
        traffic_repository.commit("lab", nalm__toml=relayed_toml(relayed, server.port))
        kept(traffic_repository, *begun(out, 0.5), "--pps", "20000")
        out.write_text(out.read_text().replace("v3.06", "v3.05"))
        said = refused(traffic_repository, "--resume", str(out))
    assert "its generator was lab (trex v3.05) and is now lab (trex v3.06)" in said


def test_one_that_contradicts_the_nf_is_refused(
    traffic_repository: NfRepository, relayed: Path, tmp_path: Path
) -> None:
    out = tmp_path / "soak.jsonl"
    with TrexServer() as server:
        lies = 'arguments = ["--lie"]\n'
        traffic_repository.commit("lies", nalm__toml=relayed_toml(relayed, server.port, lies))
        error = soak(traffic_repository, *begun(out), "--pps", "20000").exception
    assert isinstance(error, NalmError) and "generator lab is not trusted: " in error.message
    assert not out.exists() and server.methods().count("release") == 2


def test_one_that_cannot_keep_a_rate_is_refused_before_the_build(traffic_repository: NfRepository) -> None:
    lab = '[generator.lab]\nkind = "testpmd"\ncommand = ["dpdk-testpmd", "--", "-i"]\nports = [0]\n'
    traffic_repository.commit("lab", nalm__toml=RATES_TOML + lab, traffic_nf__c="int main(void) { return }\n")
    said = refused(traffic_repository, "--generator", "lab", "--pps", "20000")
    assert "generator lab (testpmd) sends at its greatest rate only, and a soak needs other rates" in said
    assert "kind trex or pktgen" in said


@pytest.mark.nightly
@pytest.mark.timed
def test_a_load_of_the_procedure_is_kept_and_continued(
    traffic_repository: NfRepository, relayed: Path, tmp_path: Path
) -> None:
    out = tmp_path / "soak.jsonl"
    with TrexServer() as server:
        traffic_repository.commit("lab", nalm__toml=relayed_toml(relayed, server.port, LATENCY))
        said = kept(
            traffic_repository, "--preset", "vcpe", "--frame", "imix", "--leave-out", "0", *begun(out)
        )
        again = kept(traffic_repository, "--resume", str(out))
        streams = [one["stream"] for one in server.calls("add_stream") if one["port_id"] == 1]
    header, found = read_soak(out)
    assert header.generator_table["frames"] == {"64": 7, "594": 4, "1518": 1}
    assert header.generator_table["directions"] == "both"
    assert {one.trial.intended_pps for one in found} == {2 * 17_273}
    assert {len(one["frame"]) + 4 for one in streams} == {64, 594, 1518}
    figures = soak_figures(header, found)
    assert figures is not None and figures.latency is not None
    assert "jitter missing: the generator outside measures no jitter" in said
    assert "generator lab (trex v3.06)" in again and "has ended already" in again
