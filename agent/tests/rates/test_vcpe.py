# SPDX-License-Identifier: Apache-2.0
"""`nalm rate --preset` with a real NF of known latency in each direction."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import Result
from nalm_agent.config.nalm_toml import parse
from nalm_agent.generators.generator import Offer, Offered, Turns
from nalm_agent.runtime.errors import ConfigError, GeneratorError, UsageError
from nalm_agent.shell.app import app
from nalm_core.rates.vcpe import LOADS, VcpeReport, judge_vcpe
from relayed_trex import RelayedTrex, relayed_toml
from tiny import RATES_TOML, Nalm, NfRepository
from trex_server import TrexServer
from typer.testing import CliRunner

VCPE = RATES_TOML.replace('["--capacity", "100000"]', '[]\nvcpe = ["--frame", "{frame}"]')


@pytest.fixture(autouse=True)
def own_home(session_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NALM_HOME", str(session_home))
    monkeypatch.setenv("COLUMNS", "200")


SHORT = ("rate", "--preset", "vcpe", "--duration", "0.3", "--leave-out", "0")


def test_four_loads_in_both_directions(traffic_repository: NfRepository, nalm: Nalm, tmp_path: Path) -> None:
    traffic_repository.write("nalm.toml", VCPE)
    out = tmp_path / "vcpe.json"
    done = nalm.run(*SHORT, "--json", str(out), cwd=traffic_repository.path)
    assert done.returncode in (0, 3), done.stderr
    report = VcpeReport.model_validate_json(out.read_text())
    assert [(one.frame, one.pps) for one in report.loads] == [(one.frame, one.pps) for one in LOADS]
    assert (report.seconds, report.leave_out_s) == (0.3, 0)
    tick_ns = 1e9 / report.host.tsc_hz
    for load in report.loads:
        assert {one.intended_pps for one in load.trials} == {2 * load.pps}
        both = load.trials[0].directions
        assert both["outbound"].latency.max_ns == pytest.approx(1000 * tick_ns, rel=0.01)
    for figure in judge_vcpe(report).loads:
        assert figure.latency is not None, "the packets to clients took longer"
        assert figure.latency.max_ns == pytest.approx(2000 * tick_ns, rel=0.01)
    assert "not the 300 s of vcpe" in " ".join(done.stdout.split())


BOTH_WAYS = "latency_pps = 100\nflows = 50\n"


@pytest.mark.nightly
@pytest.mark.timed
def test_a_generator_outside_sends_each_load_in_both_directions(
    traffic_repository: NfRepository, relayed: Path, tmp_path: Path
) -> None:
    """nalm.toml says nothing of the frames of the generator inside."""
    out = tmp_path / "vcpe.json"
    with TrexServer() as server:
        traffic_repository.write("nalm.toml", relayed_toml(relayed, server.port, BOTH_WAYS))
        done = vcpe(traffic_repository, "--json", str(out))
    assert done.exit_code in (0, 1), done.output
    report = VcpeReport.model_validate_json(out.read_text())
    assert report.generator.text == "lab (trex v3.06)"
    assert [one.name for one in report.checks] == ["generator_checked"] * len(LOADS)
    for load in report.loads:
        assert {(one.outside, one.intended_pps) for one in load.trials} == {(True, 2 * load.pps)}
    result = judge_vcpe(report)
    assert all(one.latency is not None and one.jitter is None for one in result.loads)
    assert {one.no_jitter for one in result.loads} == {"the generator outside measures no jitter"}
    streams = [(one["port_id"], one["stream"]) for one in server.calls("add_stream")]
    assert {one["vm"]["instructions"] == [] for _, one in streams} == {True}, "one flow"
    sizes = [(port, len(one["frame"]) + 4, one["mode"]["rate"]["value"]) for port, one in streams]
    for port in (0, 1):
        assert {size for at, *size in map(list, sizes) for size in [tuple(size)] if at == port} == {
            (64, 1), (64, 100), (256, 1), (256, 100), (64, 7), (594, 4), (1518, 1), (1500, 1), (1500, 100),
        }  # fmt: skip


@pytest.mark.nightly
@pytest.mark.timed
def test_a_generator_without_latency_says_so(
    traffic_repository: NfRepository, relayed: Path, tmp_path: Path
) -> None:
    with TrexServer() as server:
        traffic_repository.write("nalm.toml", relayed_toml(relayed, server.port))
        done = vcpe(traffic_repository)
    assert done.exit_code == 3, done.output
    assert "64 B: no packet had a time by direction: the generator outside measures no latency" in done.output


@pytest.mark.nightly
@pytest.mark.timed
def test_what_was_measured_before_the_generator_failed_is_kept(
    traffic_repository: NfRepository, relayed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(generator: RelayedTrex, offer: Offer, nf: Turns) -> Offered:
        if 256 in generator.config.frames:
            raise GeneratorError("generator lab: no answer")
        return relay(generator, offer, nf)

    relay, out = RelayedTrex.offer, tmp_path / "vcpe.json"
    monkeypatch.setattr(RelayedTrex, "offer", failing)
    with TrexServer() as server:
        traffic_repository.write("nalm.toml", relayed_toml(relayed, server.port, BOTH_WAYS))
        done = vcpe(traffic_repository, "--json", str(out))
    assert done.exit_code in (1, 3), done.output
    report = VcpeReport.model_validate_json(out.read_text())
    failures = {one.frame: one.failure for one in report.loads}
    assert "generator lab: no answer" in (failures.pop("256") or "") and set(failures.values()) == {None}


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('kind = "trex"\nhost = "h"\nports = [0]\n', 'both ways at once: directions = "both" needs pairs'),
        (
            'kind = "pktgen"\nhost = "h"\nports = [0, 1]\n',
            'imix both ways at once: kind = "pktgen" sends frames of one size; found 3',
        ),
        (
            'kind = "testpmd"\ncommand = ["dpdk-testpmd"]\nports = [0]\n',
            "(testpmd) sends at its greatest rate only, and a preset needs other rates",
        ),
        (
            'kind = "trex"\nhost = "h"\nports = [0, 1]\nlatency_pps = 10000\n',
            "a port sends 8,333 packets/s of 1500 B, and latency_pps asks for 10,000 of them",
        ),
    ],
)
def test_what_a_generator_outside_cannot_do_is_said_before_the_build(
    traffic_repository: NfRepository, table: str, said: str
) -> None:
    traffic_repository.commit(
        "lab", nalm__toml=f"{RATES_TOML}[generator.lab]\n{table}", traffic_nf__c="int main(void) { return }\n"
    )
    error = vcpe(traffic_repository).exception
    assert isinstance(error, ConfigError | UsageError) and said in error.message


def vcpe(repository: NfRepository, *arguments: str) -> Result:
    return CliRunner().invoke(app, [*SHORT, "--generator", "lab", "--repo", str(repository.path), *arguments])


def test_an_nf_whose_frames_nobody_named(traffic_repository: NfRepository, nalm: Nalm) -> None:
    done = nalm.run(*SHORT, cwd=traffic_repository.path)
    assert done.returncode == 2 and "[rates] vcpe" in done.stderr


def test_a_preset_leaves_no_room_for_a_modes_options() -> None:
    found = CliRunner().invoke(app, ["rate", "--preset", "vcpe", "--shares", "10"]).exception
    assert isinstance(found, UsageError) and "--shares exclude each other" in found.message


@pytest.mark.parametrize(
    ("arguments", "said"), [('["--set", "x"]', "no argument contains"), ('["{frame}{other}"]', "{other}")]
)
def test_arguments_of_the_procedure_are_checked(arguments: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(VCPE.replace('["--frame", "{frame}"]', arguments))
    assert said in caught.value.full_text()
