# SPDX-License-Identifier: Apache-2.0
"""`nalm experiment cores` and `queue`: what they plan, refuse, leave out and fit."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, ClassVar

import pytest
from nalm_agent.config.nalm_toml import parse
from nalm_agent.desk.models.queue_grid import answer_grid
from nalm_agent.desk.models.scaling import answer_cores, answer_splits
from nalm_agent.measure.needs import Capabilities, Needs
from nalm_agent.rates import core_counts, queue_grid, role_splits
from nalm_agent.rates.core_counts import CoresPlan, measure_cores, plan_cores
from nalm_agent.rates.load_experiment import LoadExperiment
from nalm_agent.rates.loaded_revision import Place
from nalm_agent.rates.queue_grid import Grid, measure_grid, queue_table
from nalm_agent.report.progress import PartProgress, Silent
from nalm_agent.runtime.errors import ConfigError, HostError, TooFewCpusError
from nalm_agent.source.git import WORKTREE, Repository
from nalm_agent.store.home import Home
from nalm_agent.trials.trial_nf import Ask
from nalm_core.models.queue.gaps import Arrivals, Gaps, mean_gap_of_rate
from nalm_core.models.queue.service import linear_times
from nalm_core.models.queue.solution import solve
from nalm_core.models.speedup import Factors, speedup
from nalm_core.rates.experiments.load_experiments import (
    CoresAnswer,
    CoresResult,
    GridAnswer,
    QueueResult,
    RolesResult,
)
from nalm_core.rates.rate_report import Phase, RateReport, RateSettings, RateStatus, Trial
from nalm_core.report.batch_sizes import LcoreBatches
from nalm_core.report.cell import Kind, LoadKind
from nalm_core.wire.load_parameters import LoadParameters
from rate_synthetic import INFO, STAGES, TSC_HZ, Truth, rate_report, trial
from tiny import RATES_TOML, Nalm, NfRepository

TABLES = """
[experiments.cores.made]
lcores = { 1 = "made_1", 2 = "made_2", 4 = "made_4", 8 = "made_8" }
f_s = { plain = "made", parallel = "made" }
[experiments.queue.made]
scenario = "made_1"
batch = { arguments = ["--batch={value}"], values = [32] }
ring = { arguments = ["--ring", "{value}"], values = [64] }
[experiments.roles.made]
run = "made"
dispatch = ["rx", "tx"]
splits = [
    { scenario = "made_2", dispatch = 1, workers = 1 },
    { scenario = "made_4", dispatch = 2, workers = 2 },
    { scenario = "made_1", dispatch = 1, workers = 1 },
]
[scenarios.made_1]
lcores = 2
traffic = "nalm.toml"
[scenarios.made_2]
lcores = 3
traffic = "nalm.toml"
[scenarios.made_4]
lcores = 5
traffic = "nalm.toml"
[scenarios.made_8]
lcores = 9
traffic = "nalm.toml"
"""
FACTORS = Factors(f_t=1.104, f_a=0.04, f_s=0.10, f=0.004)


@pytest.fixture
def place(traffic_repository: NfRepository, nalm: Nalm) -> Iterator[Place]:
    traffic_repository.write("nalm.toml", RATES_TOML + TABLES)
    home = Home(nalm.home)
    with home.work() as work:
        repository = Repository(traffic_repository.path, work.fresh("git"))
        yield Place(repository, repository.resolve(WORKTREE), home, work, Silent())


def with_cpus(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(count)))


def test_counts_that_the_host_lacks_are_left_out(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    with_cpus(monkeypatch, 6)
    plan = plan_cores(place, None, [1, 2, 4, 5, 8])
    assert plan.counts == [1, 2, 4]
    assert plan.left_out == {
        5: "nalm.toml names no scenario for it",
        8: "made_8 needs 9 lcores, nalm may use 6 CPUs",
    }


def test_fewer_counts_than_unknowns_are_refused(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    with_cpus(monkeypatch, 3)
    with pytest.raises(
        HostError, match="2 numbers of lcores can be measured; the curve has 3 unknowns"
    ) as found:
        plan_cores(place, "made", None)
    assert "4: made_4 needs 5 lcores, nalm may use 3 CPUs" in found.value.message
    with pytest.raises(ConfigError, match=r"no \[experiments.cores.other\]; there are: made"):
        plan_cores(place, "other", None)


def of_scenario(name: str) -> RateReport:
    """Two launches on the curve of FACTORS, 2 M packets/s on one lcore."""
    lcores = int(name.rpartition("_")[2]) if "_" in name else 1
    rate = 2_000_000 * speedup(FACTORS, lcores)
    return rate_report(
        [
            trial(
                Truth(
                    intended_pps=None,
                    sent=round(rate * noise),
                    phase=Phase.MRR,
                    launch=launch,
                    cur=0.99,
                    cycles_per_packet=100,
                    shared_core="_" not in name,
                )
            )
            for launch, noise in enumerate((0.999, 1.001))
        ],
        mode="mrr",
    )


def test_the_fit_has_curve_peak_and_factors(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Place, "subject", lambda self, scenario, arguments=(): scenario)
    monkeypatch.setattr(core_counts, "measure_rates", lambda subject, *_: of_scenario(subject))
    config = place.config()
    plan = CoresPlan("made", config.experiments.cores["made"], config, [1, 2, 4, 8], {16: "too few CPUs"})
    measured = measure_cores(plan, RateSettings(), place)
    assert measured.f_s == 0
    answer = answer_cores(measured, None, "16")
    text = "\n".join(answer.lines)
    assert "speedup over 1 lcore, fitted to 1 to 8 lcores" in text
    assert "f_s 0 (as given)" in text
    assert "16 lcores: speedup 4.1" in text and "extrapolated" in text
    assert "left out: 16 lcores: too few CPUs" in text
    assert isinstance(answer.document, CoresAnswer)
    assert answer.document.left_out == {16: "too few CPUs"}
    assert CoresAnswer.model_validate_json(answer.document.model_dump_json(by_alias=True)) == answer.document


def broken(name: str) -> RateReport:
    """Of an NF that cannot be run."""
    failed = {"status": RateStatus.BROKEN, "failure": "the NF ended with exit code 1\nits last lines"}
    return of_scenario(name).model_copy(update=failed)


def test_a_number_that_fails_is_left_out_while_enough_remain(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = {"made_2"}
    measured: list[str] = []

    def measure(subject: str, *_: object) -> RateReport:
        measured.append(subject)
        if subject == "made_4" and subject in failing:
            raise HostError("only 0 MiB in huge pages are free")
        return broken(subject) if subject in failing else of_scenario(subject)

    monkeypatch.setattr(Place, "subject", lambda self, scenario, arguments=(): scenario)
    monkeypatch.setattr(core_counts, "measure_rates", measure)
    config = place.config()
    plan = CoresPlan("made", config.experiments.cores["made"], config, [1, 2, 4, 8], {})
    found = measure_cores(plan, RateSettings(), place)
    reason = "scenario made_2 could not be measured: the NF ended with exit code 1"
    assert found.left_out == {2: reason} and found.notes == []
    assert [one.lcores for one in found.rates] == [1, 4, 8]
    assert f"left out: 2 lcores: {reason}" in answer_cores(found, None, None).lines

    failing.add("made_4")
    measured.clear()
    with pytest.raises(HostError, match="2 numbers of lcores can be measured; the curve has 3") as refused:
        measure_cores(plan, RateSettings(), place)
    assert f"2: {reason}" in refused.value.message and "4: only 0 MiB" in refused.value.message
    assert measured == ["made_1", "made_2", "made_4"], "the rest is not measured in vain"


def test_the_curve_does_without_f_s_if_its_scenarios_fail(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Place, "subject", lambda self, scenario, arguments=(): scenario)
    monkeypatch.setattr(
        core_counts, "measure_rates", lambda one, *_: broken(one) if one == "made" else of_scenario(one)
    )
    config = place.config()
    plan = CoresPlan("made", config.experiments.cores["made"], config, [1, 2, 4, 8], {})
    found = measure_cores(plan, RateSettings(), place)
    note = "f_s is not known: scenario made could not be measured: the NF ended with exit code 1"
    assert (found.f_s, found.notes) == (None, [note])
    answer = answer_cores(found, None, None)
    assert isinstance(answer.document, CoresAnswer) and answer.document.f_s is None
    assert note in answer.document.notes and f"note: {note}" in answer.lines


def experiment(place: Place, *chosen: str, kind: LoadKind = Kind.CORES, **parameters: Any) -> LoadExperiment:
    return LoadExperiment(kind, chosen, None, place, LoadParameters(**parameters))


def test_splits_are_measured_where_the_host_has_the_lcores(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Place, "subject", lambda self, scenario, arguments=(): scenario)
    monkeypatch.setattr(role_splits, "measure_rates", lambda subject, *_: of_scenario(subject))
    with_cpus(monkeypatch, 4)
    requested = experiment(place, kind=Kind.ROLES, lcores=[4])
    assert requested.needs() == {"made": Needs(lcores=1, loads=True)}, "the run that predicts"
    result = requested.measure(Capabilities(lcores=4))
    assert isinstance(result, RolesResult)
    answer = result.tables["made"]
    two, four, one = answer.splits
    assert two.measured_pps == pytest.approx(2_000_000 * speedup(FACTORS, 2), rel=1e-3)
    assert two.error == pytest.approx(two.predicted_pps / two.measured_pps - 1)
    assert four.left_out == "made_4 needs 5 lcores, nalm may use 4 CPUs"
    assert one.left_out == "made_1 has no lcore for the generator"
    assert list(answer.plans) == [4]
    text = "\n".join(answer_splits(answer).lines)
    assert "4 lcores: dispatch " in text and "not measured: made_4 needs 5 lcores" in text
    assert "within 10 % of the measured rate: " in text


def test_a_split_that_this_host_cannot_measure_leaves_the_others(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measure(subject: str, *_: object) -> RateReport:
        if subject == "made_2":
            raise HostError("only 0 MiB in huge pages are free")
        return of_scenario(subject)

    monkeypatch.setattr(Place, "subject", lambda self, scenario, arguments=(): scenario)
    monkeypatch.setattr(role_splits, "measure_rates", measure)
    with_cpus(monkeypatch, 6)
    result = experiment(place, kind=Kind.ROLES, lcores=[4]).measure(Capabilities(lcores=6))
    assert isinstance(result, RolesResult)
    two, four, _ = result.tables["made"].splits
    assert two.left_out == "only 0 MiB in huge pages are free" and four.measured_pps is not None


def test_parameters_of_a_job_take_the_place_of_the_defaults(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    requested: list[RateSettings] = []

    def measured(subject: str, settings: RateSettings, *_: object) -> RateReport:
        requested.append(settings)
        return of_scenario(subject)

    monkeypatch.setattr(Place, "subject", lambda self, scenario, arguments=(): scenario)
    monkeypatch.setattr(core_counts, "measure_rates", measured)
    with_cpus(monkeypatch, 16)
    result = experiment(place, lcores=[1, 4, 8], launches=7).measure(Capabilities(lcores=16))
    assert isinstance(result, CoresResult)
    assert [one.lcores for one in result.tables["made"].points] == [1, 4, 8]
    assert {one.mrr_launches for one in requested} == {7}
    assert experiment(place, lcores=[1, 4, 8]).needs() == {"made": Needs(lcores=9, loads=True)}


def test_a_job_measures_the_tables_that_its_host_can(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Place, "subject", lambda self, scenario, arguments=(): scenario)
    monkeypatch.setattr(core_counts, "measure_rates", lambda subject, *_: of_scenario(subject))
    with_cpus(monkeypatch, 6)
    requested = experiment(place)
    assert requested.needs() == {"made": Needs(lcores=5, loads=True)}, "three counts determine the curve"
    result = requested.measure(Capabilities(lcores=6))
    assert isinstance(result, CoresResult)
    made = result.tables["made"]
    assert [one.lcores for one in made.points] == [1, 2, 4]
    assert [one.lcores for one in made.predictions] == [1, 2, 3, 4]
    assert made.left_out == {8: "made_8 needs 9 lcores, nalm may use 6 CPUs"}
    with pytest.raises(HostError, match="no table could be measured") as found:
        requested.measure(Capabilities(lcores=2))
    assert found.value.log == "made: it needs 5 lcores (there are 2)"


def test_a_job_without_its_tables_says_which_there_are(place: Place) -> None:
    with pytest.raises(ConfigError, match=r"no other in \[experiments.queue\]; there are: made"):
        experiment(place, "other", kind=Kind.QUEUE).needs()


def test_a_generator_on_the_nfs_lcore_is_refused(traffic_repository: NfRepository, nalm: Nalm) -> None:
    traffic_repository.write(
        "nalm.toml", RATES_TOML + TABLES.replace('scenario = "made_1"', 'scenario = "made"')
    )
    done = nalm.run("experiment", "queue", cwd=traffic_repository.path)
    assert done.returncode == 2, done.stderr
    assert "scenario made has no lcore for the generator" in done.stderr


class ModelledNf:
    """Answers each load with the batches of the queue model, but for `disturbed` trials."""

    stages, tsc_hz, info = STAGES, TSC_HZ, INFO
    disturbed: ClassVar[dict[int | None, int]] = {}
    """Trials at a load, from the first, in which the NF does not have its CPU for a part of the time."""

    cur: ClassVar[float] = 1.0
    """Below 0.95 the NF waits for packets at full load."""

    def __init__(self, run: object, *, launch: int) -> None:
        self.made: Counter[int | None] = Counter()

    def __enter__(self) -> ModelledNf:
        return self

    def __exit__(self, *_: object) -> None: ...

    def trial(self, ask: Ask) -> Trial:
        self.made[ask.pps] += 1
        times = linear_times(32, 60.0, 7.0)
        sizes = {32: (1000, 1000 * round(times.means[32] * TSC_HZ / 1e8))}
        if ask.pps is not None:
            predicted = solve(64, Gaps(mean_gap_of_rate(ask.pps), Arrivals.GEOMETRIC), times)
            sizes = {
                size: (round(1e6 * share), round(1e6 * share) * round(times.means[size] * TSC_HZ / 1e8))
                for size, share in enumerate(predicted.batches)
            }
        truth = Truth(
            intended_pps=ask.pps,
            sent=ask.pps or 8_000_000,
            phase=ask.phase,
            share=ask.share,
            shared_core=False,
            together=1.1,
            cur=self.cur,
            stolen=0.04 if self.made[ask.pps] <= self.disturbed.get(ask.pps, 0) else 0.0,
        )
        return trial(truth).model_copy(update={"batches": [LcoreBatches(lcore=0, sizes=sizes)]})

    def finish(self) -> None: ...


@pytest.fixture
def modelled(monkeypatch: pytest.MonkeyPatch) -> type[ModelledNf]:
    monkeypatch.setattr(queue_grid, "ready", lambda *_: nullcontext())
    monkeypatch.setattr(queue_grid, "TrialNf", ModelledNf)
    monkeypatch.setattr(ModelledNf, "disturbed", {})
    monkeypatch.setattr(ModelledNf, "cur", 1.0)
    return ModelledNf


ALL = 1000
GRID = Grid(shares=[0.25, 0.5, 0.75], arrivals="geometric", seconds=0.1, rings=[64])


def test_each_load_is_beside_its_prediction(place: Place, modelled: type[ModelledNf]) -> None:
    """Two valid trials of 50 ms are needed at each load; one more is made for each disturbed one."""
    modelled.disturbed = {2_000_000: 1, 4_000_000: ALL}
    measured = measure_grid(queue_table(place, None), GRID, place)
    assert [(one.pps, one.trials, one.left_out) for one in measured.compared] == [
        (2_000_000, 2, 1),
        (6_000_000, 2, 0),
    ]
    assert all(one.near and one.close for one in measured.compared)
    assert measured.left_out == [
        "batch 32, ring 64, 4000000 pps: none of 6 trials is valid; the last: an lcore lost 40.00 ms to "
        "other programs"
    ]
    answer = answer_grid(measured, "geometric")
    assert "mean batch within 2 packets: 2 of 2 loads, 100 % (Geissler et al.: 90 %)" in answer.lines
    assert "JSD below 0.1: 2 of 2 loads, 100 % (Geissler et al.: 63 %)" in answer.lines
    assert any("2 of 3" in line for line in answer.lines)
    assert isinstance(answer.document, GridAnswer)
    assert GridAnswer.model_validate_json(answer.document.model_dump_json()) == answer.document


def test_a_cell_that_the_host_disturbs_is_left_out(
    place: Place, modelled: type[ModelledNf], monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = [HostError("no huge page is free")]

    def enter(nf: ModelledNf) -> ModelledNf:
        if failures:
            raise failures.pop()
        return nf

    monkeypatch.setattr(modelled, "__enter__", enter)
    measured = measure_grid(queue_table(place, None), replace(GRID, rings=[64, 128]), place)
    assert measured.left_out == ["batch 32, ring 64: no huge page is free"]
    assert [one.trials for one in measured.compared] == [2, 2, 2]
    failures = [HostError("no huge page is free", hint="reserve some")]
    with pytest.raises(HostError, match="no load could be compared") as found:
        measure_grid(queue_table(place, None), GRID, place).require_any()
    assert found.value.hint == "reserve some"
    failures = [TooFewCpusError("2 CPUs are needed")]
    with pytest.raises(TooFewCpusError):
        measure_grid(queue_table(place, None), GRID, place)


def test_shares_of_a_generator_that_is_slower_than_the_nf(place: Place, modelled: type[ModelledNf]) -> None:
    modelled.cur = 0.8
    measured = measure_grid(queue_table(place, None), GRID, place)
    assert [one.trials for one in measured.compared] == [2, 2, 2]
    (note,) = measured.notes
    assert "shares are of what the generator can send, 8000000 pps" in note
    assert f"note: {note}" in answer_grid(measured, "geometric").lines


def test_a_job_measures_its_queues_at_the_loads_of_the_desk(place: Place, modelled: type[ModelledNf]) -> None:
    requested = LoadExperiment(Kind.QUEUE, ["made"], 0.1, place)
    assert requested.needs() == {"made": Needs(lcores=2, loads=True)}
    result = requested.measure(Capabilities(lcores=2))
    assert isinstance(result, QueueResult)
    shares = [one.share for one in result.tables["made"].loads]
    assert (shares, result.tables["made"].arrivals) == ([0.2, 0.4, 0.6, 0.8, 0.95], "poisson")
    modelled.disturbed = {None: ALL}
    with pytest.raises(HostError, match="no table could be measured") as found:
        requested.measure(Capabilities(lcores=2))
    assert "an lcore lost 40.00 ms to other programs" in (found.value.log or "")


class Steps(Silent):
    def __init__(self) -> None:
        self.reported: list[tuple[str, str, float]] = []

    def step(self, name: str, detail: str, fraction: float, seconds_left: float | None = None) -> None:
        self.reported.append((name, detail, fraction))


def test_a_step_says_which_of_how_many_parts_it_is_in() -> None:
    steps = Steps()
    PartProgress(PartProgress(steps, "table nop", 2, 2), "cell b", 1, 4).step("queue", "full load", 0.5)
    PartProgress(steps, "table nop", 1, 1).step("queue", "full load", 0.5)
    assert steps.reported == [
        ("queue", "table nop (2 of 2), cell b (1 of 4), full load", 0.5625),
        ("queue", "table nop, full load", 0.5),
    ]


def test_a_job_measures_its_queues_at_the_loads_of_its_request(
    place: Place, modelled: type[ModelledNf]
) -> None:
    requested = experiment(place, kind=Kind.QUEUE, loads=[0.3], arrivals="geometric", ring=[128])
    result = requested.measure(Capabilities(lcores=2))
    assert isinstance(result, QueueResult)
    table = result.tables["made"]
    assert ([one.share for one in table.loads], table.arrivals) == ([0.3], "geometric")
    assert {one.queue for one in table.loads} == {128}


def test_a_grid_says_how_far_it_is(place: Place, modelled: type[ModelledNf]) -> None:
    steps = Steps()
    two = replace(GRID, batches=[32, 33])
    measure_grid(queue_table(place, None), two, replace(place, progress=steps))
    reported = [detail for _, detail, _ in steps.reported]
    assert reported[0] == "cell batch 32, ring 64 (1 of 2), full load"
    assert reported[-1] == "cell batch 33, ring 64 (2 of 2), 3 of 6 valid trials"
    fractions = [fraction for _, _, fraction in steps.reported]
    assert fractions == sorted(fractions) and fractions[-1] == 0.75


def test_a_disturbed_full_load_leaves_the_cell_out(place: Place, modelled: type[ModelledNf]) -> None:
    modelled.disturbed = {None: ALL}
    measured = measure_grid(queue_table(place, "made"), GRID, place)
    assert measured.compared == []
    assert measured.left_out == ["batch 32, ring 64: full load: an lcore lost 40.00 ms to other programs"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('4 = "made_4"', '4 = "made_5"', "there is no scenario 'made_5'"),
        ("4 = ", "0 = ", "expected at least 1"),
        ("--batch={value}", "--batch=32", "expected {value} in one of the arguments"),
        ('scenario = "made_1"', 'scenario = "none"', "there is no scenario 'none'"),
    ],
)
def test_mistakes_in_the_tables(old: str, new: str, message: str) -> None:
    with pytest.raises(ConfigError) as found:
        parse(RATES_TOML + TABLES.replace(old, new))
    assert message in found.value.message
