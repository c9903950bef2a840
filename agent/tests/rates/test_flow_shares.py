# SPDX-License-Identifier: Apache-2.0
"""`nalm experiment flows`: what it plans, refuses, offers and prints."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import nullcontext
from typing import ClassVar

import pytest
from nalm_agent.config.nalm_toml import parse
from nalm_agent.desk.models.flows import answer_flows
from nalm_agent.measure.needs import Capabilities, Needs
from nalm_agent.rates import flow_shares
from nalm_agent.rates.flow_shares import FlowSettings, flows_table, measure_flows
from nalm_agent.rates.load_experiment import LoadExperiment
from nalm_agent.rates.loaded_revision import Place
from nalm_agent.report.progress import Silent
from nalm_agent.runtime.errors import ConfigError, NfError
from nalm_agent.source.git import WORKTREE, Repository
from nalm_agent.store.home import Home
from nalm_agent.trials.trial_nf import Ask
from nalm_core.models.quantity import ModelInputError
from nalm_core.rates.experiments.flow_costs import flows_answer
from nalm_core.rates.experiments.load_experiments import FlowsResult
from nalm_core.rates.rate_report import Phase, Trial
from nalm_core.report.cell import Kind
from rate_synthetic import INFO, TSC_HZ, Truth, latency_of, trial
from tiny import RATES_TOML, Nalm, NfRepository

TABLES = """
[experiments.flows.made]
scenarios = { plain = "made", cache = "cached" }
shares = [0.1, 0.01, 0.2]
[scenarios.cached]
traffic = "nalm.toml"
[scenarios.wide]
lcores = 3
traffic = "nalm.toml"
"""
COSTS = {"plain": (258.0, 258.0), "cache": (900.0, 180.0)}
"""Cycles of first and later packets: the paper's flow cache."""
FULL = 2_000_000


class FlowsNf:
    """An NF whose first packets cost more."""

    info, tsc_hz = INFO, TSC_HZ
    begins: ClassVar[float] = 1.0
    """Flows that begin, of those that are due."""
    full: ClassVar[int] = FULL
    requested: ClassVar[list[tuple[int | None, int | None]]] = []

    def __init__(self, run: str, *, launch: int) -> None:
        self.first, self.later = COSTS[run]
        self.launch = launch

    def __enter__(self) -> FlowsNf:
        return self

    def __exit__(self, *_: object) -> None: ...

    def trial(self, ask: Ask) -> Trial:
        self.requested.append((ask.pps, ask.new_flows))
        if ask.pps is None:
            return trial(Truth(intended_pps=None, sent=self.full, phase=Phase.MRR, cur=0.99))
        share = (ask.new_flows or 0) / ask.pps
        cycles = share * self.first + (1 - share) * self.later
        made = trial(
            Truth(
                intended_pps=ask.pps,
                sent=ask.pps,
                phase=ask.phase,
                launch=self.launch,
                cycles_per_packet=cycles,
                latency=latency_of(5 * cycles / TSC_HZ * 1e9, ask.pps),
            )
        )
        begun = round(self.begins * (ask.new_flows or 0))
        return made.model_copy(update={"traffic": made.traffic.model_copy(update={"flows_begun": begun})})

    def finish(self) -> None: ...


@pytest.fixture
def place(traffic_repository: NfRepository, nalm: Nalm) -> Iterator[Place]:
    traffic_repository.write("nalm.toml", RATES_TOML + TABLES)
    home = Home(nalm.home)
    with home.work() as work:
        repository = Repository(traffic_repository.path, work.fresh("git"))
        yield Place(repository, repository.resolve(WORKTREE), home, work, Silent())


@pytest.fixture
def modelled(monkeypatch: pytest.MonkeyPatch) -> type[FlowsNf]:
    monkeypatch.setattr(flow_shares, "all_ready", lambda *_: nullcontext(list(COSTS)))
    monkeypatch.setattr(flow_shares, "TrialNf", FlowsNf)
    for name, value in (("begins", 1.0), ("full", FULL), ("requested", [])):
        monkeypatch.setattr(FlowsNf, name, value)
    return FlowsNf


def test_every_launch_offers_all_shares_of_one_load(place: Place, modelled: type[FlowsNf]) -> None:
    measured = measure_flows(flows_table(place, None), FlowSettings(load=0.25, launches=2), place)
    assert measured.pps == FULL // 4
    open_loop = [one for one in modelled.requested if one[0] is not None and one[1] is not None]
    due = [5_000, 50_000, 100_000]
    assert sorted(open_loop) == sorted((FULL // 4, flows) for flows in due for _ in range(4))
    answer = flows_answer(measured.pps, measured.designs, 10)
    assert answer.designs["cache"].first.value == pytest.approx(900, rel=1e-3)
    assert answer.break_even["cache"].packets == 10
    lines = "\n".join(answer_flows(answer).lines)
    assert "first packet of a flow: 900 [900, 900] cycles" in lines
    assert "cache pays from flows of 10 packets: break-even 9.23" in lines
    assert "cost of a flow of 10 packets by weight" in lines
    assert "note: All packets of a flow but the first cost the same" in lines


def test_shares_that_the_generator_did_not_offer_are_refused(place: Place, modelled: type[FlowsNf]) -> None:
    modelled.begins = 0.5
    measured = measure_flows(flows_table(place, "made"), FlowSettings(launches=1), place)
    with pytest.raises(
        ModelInputError, match="valid trials of plain have 0 distinct shares of new flows"
    ) as found:
        flows_answer(measured.pps, measured.designs, 10)
    assert "the generator began 5,000 new flows, and 10,000 were due" in str(found.value)


def test_an_nf_that_forwards_nothing_is_refused(place: Place, modelled: type[FlowsNf]) -> None:
    modelled.full = 0
    with pytest.raises(NfError, match="design plain: the NF forwarded nothing at full load"):
        measure_flows(flows_table(place, None), FlowSettings(), place)


def test_one_share_is_refused_before_anything_is_built(place: Place) -> None:
    with pytest.raises(ModelInputError, match="shares: 1 distinct share of new flows is given, expected at"):
        measure_flows(flows_table(place, None), FlowSettings(shares=[0.1, 0.1]), place)


def test_a_job_measures_its_tables_with_the_defaults_of_the_desk(
    place: Place, modelled: type[FlowsNf]
) -> None:
    requested = LoadExperiment(Kind.FLOWS, ["made"], 0.1, place)
    assert requested.needs() == {"made": Needs(lcores=1, loads=True, flows=True)}
    result = requested.measure(Capabilities(lcores=2))
    assert isinstance(result, FlowsResult)
    assert result.tables["made"].designs["plain"].launches == 5
    assert FlowsResult.model_validate_json(result.model_dump_json()) == result


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('cache = "cached"', 'cache = "none"', "there is no scenario 'none'"),
        ("0.2]", "1.2]", "expected at most 1.0; found 1.2"),
        ('{ plain = "made", cache = "cached" }', "{}", "at least 1"),
    ],
)
def test_mistakes_in_the_table(old: str, new: str, message: str) -> None:
    with pytest.raises(ConfigError) as found:
        parse(RATES_TOML + TABLES.replace(old, new))
    assert message in found.value.message


def test_designs_with_different_lcores_are_refused(traffic_repository: NfRepository, nalm: Nalm) -> None:
    traffic_repository.write("nalm.toml", RATES_TOML + TABLES.replace('"cached" }', '"wide" }'))
    done = nalm.run("experiment", "flows", cwd=traffic_repository.path)
    assert done.returncode == 2, done.stderr
    assert "the designs have different numbers of lcores: made 1, wide 3" in done.stderr
    done = nalm.run("experiment", "flows", "other", cwd=traffic_repository.path)
    assert "no [experiments.flows.other]; there are: made" in done.stderr


def test_the_command_measures_a_real_process(traffic_repository: NfRepository, nalm: Nalm) -> None:
    traffic_repository.write("nalm.toml", RATES_TOML + TABLES)
    options = ("--launches", "1", "--duration", "0.1", "--shares", "1,20", "--json", "-")
    done = nalm.run("experiment", "flows", *options, cwd=traffic_repository.path)
    assert done.returncode in (0, 3), done.stderr
    found = json.loads(done.stdout)
    assert set(found["designs"]) == {"plain", "cache"}
    points = found["designs"]["plain"]["points"]
    assert [one["requested"] for one in points] == [0.01, 0.2]
    assert [one["share"] for one in points] == pytest.approx([0.01, 0.2], rel=0.02)
    assert "plain: one launch gives no interval" in found["notes"]
