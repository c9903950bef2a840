# SPDX-License-Identifier: Apache-2.0
"""Runs of rates and soaks of a real NF, as jobs measure them."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from nalm_agent.config.nalm_toml import Config, parse
from nalm_agent.counters import papi
from nalm_agent.daemon.loop import names_to_measure
from nalm_agent.measure.request import Request, times_as_long
from nalm_agent.nf.probe import stage_counters
from nalm_agent.rates import rate_run
from nalm_agent.rates.load_events import COUNTED_S
from nalm_agent.rates.rate_run import measure_under_load
from nalm_agent.report.progress import Progress, Silent
from nalm_agent.runtime.errors import ConfigError, GeneratorError, HostError, NfError
from nalm_agent.source.git import Repository
from nalm_agent.store.home import Home
from nalm_core.findings.bisection import more_time
from nalm_core.rates.defaults import SOAK_RUN_LAUNCHES
from nalm_core.rates.run_view import rates_of
from nalm_core.rates.soak import soak_seconds
from nalm_core.report.event_counts import EventCount
from nalm_core.report.offered_load import LONGEST_LOAD, NO_SHAPE, LoadName, LoadShape, Ramp
from nalm_core.report.outcome import Outcome
from nalm_core.report.run_report import Arm, RunReport, RunStatus
from nalm_core.report.serialization import dump_report, parse_report
from nalm_core.report.trials.kinds import RunKind
from nalm_core.report.trials.trial import Phase
from nalm_core.verdict.verdict import judge
from nalm_core.wire.jobs import Lease
from pydantic import TypeAdapter
from relayed_trex import relayed_toml
from tiny import RATES_TOML, NfRepository
from trex_server import TrexServer

QUICK = """
launches = 11
trials = 2
trial_s = 0.05
leave_out_s = 0.0
pps = 50000
soak_hours = 0.0007
soak_interval_s = 0.05
"""


def toml(extra: str = QUICK) -> str:
    assert "[rates]\n" in RATES_TOML
    return RATES_TOML.replace("[rates]\n", f"[rates]{extra}\n")


SILENT = Silent()


class Times(Silent):
    """Names of steps, the share that is done, and the seconds left."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, float, float | None]] = []

    def step(self, name: str, detail: str, fraction: float, seconds_left: float | None = None) -> None:
        self.steps.append((name, fraction, seconds_left))


def measured(
    repository: NfRepository,
    home: Home,
    kind: RunKind = RunKind.RATE,
    budget_seconds: float | None = None,
    progress: Progress = SILENT,
) -> RunReport:
    with home.work() as work:
        one = Repository(repository.path, work.fresh("git"))
        base, head = one.resolve("HEAD~1"), one.resolve("HEAD")
        request = Request(one, base, head, "made", budget_seconds=budget_seconds)
        report = measure_under_load(request, kind, home, work, progress)
    return parse_report(dump_report(report))


@pytest.fixture
def quick(traffic_repository: NfRepository) -> Iterator[NfRepository]:
    traffic_repository.commit("quick", nalm__toml=toml())
    yield traffic_repository


def changed(repository: NfRepository, old: str, new: str) -> None:
    text = (repository.path / "traffic_nf.c").read_text()
    assert old in text
    repository.commit("change", traffic_nf__c=text.replace(old, new))


@pytest.mark.nightly
def test_a_slower_hundredth_is_found_at_p99_and_every_trial_is_kept(quick: NfRepository, home: Home) -> None:
    changed(quick, "number % 100 == 99 ? 2000", "number % 50 == 49 ? 2000")
    report = measured(quick, home)
    assert (report.scenario.name, report.scenario.load) == ("made:rate", "open")
    verdict = judge(report)
    figures = {one.metric: one for one in verdict.metrics}
    assert figures["latency_p99_ns"].outcome == "regressed", verdict.reason
    assert verdict.outcome is Outcome.REGRESSED
    assert figures["latency_p50_ns"].outcome == "same"
    assert figures["jitter_p99_ns"].outcome == "missing" and not figures["jitter_p99_ns"].gates
    assert report.rates is not None
    phases = [(one.arm, one.trial.phase) for one in report.rates.trials]
    assert phases.count((Arm.HEAD, Phase.LATENCY)) == phases.count((Arm.BASE, Phase.MRR)) == 22
    assert {(one.arm, one.search.goal) for one in report.rates.searches} == {
        (arm, goal) for arm in (Arm.BASE, Arm.HEAD) for goal in ("ndr", "pdr")
    }
    shown = rates_of(report)
    assert shown is not None and shown.load.pps == 50_000
    assert shown.arms[0].latency is not None


@pytest.mark.nightly
@pytest.mark.timed
def test_what_a_poll_costs_is_found_at_its_stage_without_searches(
    traffic_repository: NfRepository, home: Home
) -> None:
    traffic_repository.commit("quick", nalm__toml=toml(f'\nmodes = ["latency"]{QUICK}'))
    changed(traffic_repository, "static uint32_t poll_work;", "static uint32_t poll_work = 400;")
    report = measured(traffic_repository, home)
    if judge(report).outcome is Outcome.INCONCLUSIVE:  # one launch in which the host took the CPU suffices
        report = measured(traffic_repository, home)
    verdict = judge(report)
    figures = {(one.metric, one.stage): one for one in verdict.metrics}
    assert verdict.outcome is Outcome.REGRESSED and verdict.culprit_stages == ["rx"], verdict.reason
    assert figures["load_cpp", None].outcome == figures["load_cpp", "rx"].outcome == "regressed"
    assert not {"mrr_pps", "ndr_pps", "pdr_pps"} & {metric for metric, _ in figures}
    assert report.rates is not None and report.rates.searches == []
    assert {one.trial.phase for one in report.rates.trials} == {Phase.LATENCY}
    for one in (each.trial for each in report.rates.trials):
        assert one.long_calls is not None and one.long_calls.keys() <= {"rx", "work", "tx"}


LOAD = "load = { mrr = 0.5, burst = 4, new_flows = 1000, ramp = { ms = 30 } }\n"


@pytest.mark.nightly
def test_the_shape_of_the_scenarios_load_is_offered(traffic_repository: NfRepository, home: Home) -> None:
    """Base's own load, another one here, does not count."""
    few = QUICK.replace("launches = 11", "launches = 2")
    traffic_repository.commit("quick", nalm__toml=toml(f'\nmodes = ["mrr", "latency"]{few}'))
    source = (traffic_repository.path / "traffic_nf.c").read_text()
    slower = source.replace("number % 100 == 99 ? 2000", "number % 100 == 99 ? 2001")
    shaped = toml(f'\nmodes = ["mrr", "latency"]{few}') + LOAD
    traffic_repository.commit("change", traffic_nf__c=slower, nalm__toml=shaped)
    report = measured(traffic_repository, home)
    assert report.rates is not None
    shapes = {(one.arm, one.trial.phase): one.trial.shape for one in report.rates.trials}
    shape = LoadShape(burst=4, new_flows=1000, ramp=Ramp(ms=30))
    assert {arm: shapes[arm, Phase.LATENCY] for arm in (Arm.BASE, Arm.HEAD)} == dict.fromkeys(
        (Arm.BASE, Arm.HEAD), shape
    )
    assert shapes[Arm.HEAD, Phase.MRR] is None, "a closed loop has no shape"
    counted = {one.trial.phase for one in report.rates.trials if one.trial.long_calls is not None}
    assert counted == {Phase.LATENCY}
    seconds = {one.trial.intended_s for one in report.rates.trials if one.trial.phase is Phase.LATENCY}
    assert seconds == {0.06}, "two whole ramps instead of 0.05 s"
    assert any(note.endswith(f"the scenario's load: {shape.described}") for note in report.notes)

    many = shaped.replace("new_flows = 1000", "new_flows = 60000")
    traffic_repository.commit("more flows", nalm__toml=many, traffic_nf__c=source)
    with pytest.raises(ConfigError) as error:
        measured(traffic_repository, home)
    assert "60,000 new flows a second" in error.value.message


@pytest.mark.nightly
def test_a_load_of_another_shape_is_found_again(traffic_repository: NfRepository, home: Home) -> None:
    few = QUICK.replace("launches = 11", "launches = 2").replace("pps = 50000\n", "")
    source = (traffic_repository.path / "traffic_nf.c").read_text()
    searched = []
    for number, load in enumerate(("", LOAD, "", LOAD)):
        traffic_repository.commit("base", traffic_nf__c=source, notes=f"{number}\n")
        slower = source.replace("number % 100 == 99 ? 2000", f"number % 100 == 99 ? {2001 + number}")
        text = toml(f'\nmodes = ["latency"]{few}') + load
        traffic_repository.commit("head", traffic_nf__c=slower, nalm__toml=text)
        report = measured(traffic_repository, home)
        assert report.rates is not None
        searched.append(report.rates.base_ndr is not None)
    assert searched == [True, True, False, False]


SHARES = [0.01, 0.02, 0.03, 0.05, 0.08, 0.13, 0.2, 0.35, 0.6, 0.9]
SWEEP = f"""
modes = ["latency"]
sweep = {SHARES}
launches = 6
trials = 2
trial_s = 0.1
leave_out_s = 0.0
"""


FEW_LOADS = """
modes = ["mrr"]
sweep = [0.1, 0.2, 0.3, 0.4, 0.5]
launches = 2
trial_s = 0.05
"""


@pytest.mark.nightly
def test_events_of_a_sweep_are_counted_at_each_load_or_it_is_said_why_not(
    traffic_repository: NfRepository, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    traffic_repository.commit("base", nalm__toml=toml(FEW_LOADS))
    changed(traffic_repository, "number % 100 == 99 ? 2000", "number % 100 == 99 ? 2001")
    monkeypatch.setattr(papi, "available", lambda: "no PMU")
    report = measured(traffic_repository, home)
    assert report.rates is not None and report.rates.load_events == {}
    assert "IPP and eIPC were not counted: no PMU" in report.notes

    def counted(
        arm: Arm, launch: papi.Launch, events: object, *, number: int, turn_ms: float, turns: int
    ) -> EventCount:
        with launch([]) as nf:
            nf.wait_ready()
            before = nf.snapshot()
            nf.turn(milliseconds=turn_ms)
            assert stage_counters(nf.probe.stages, before, nf.snapshot())["tx"].packets > 0
            nf.finish()
        stages = {"work": {"cycles": 500, "instructions": 1000 * (2 if arm is Arm.HEAD else 1)}}
        return EventCount(arm=arm, launch=number, packets=10, stages=stages)

    monkeypatch.setattr(papi, "available", lambda: None)
    monkeypatch.setattr(papi, "count_group", counted)
    changed(traffic_repository, "number % 100 == 99 ? 2001", "number % 100 == 99 ? 2002")
    times = Times()
    report = measured(traffic_repository, home, progress=times)
    assert not any("not counted" in note for note in report.notes)
    events, launches = ([one[1:] for one in times.steps if one[0] == of] for of in ("events", "measuring"))
    for done, left in (launches[1], events[0]):
        assert left is not None and left > len(events) * COUNTED_S and done < 1
    assert len(events) == 10
    shown = rates_of(report)
    assert shown is not None and shown.sweep is not None
    for curve, ipp in zip(shown.sweep.arms, (100, 200), strict=True):
        for one in curve.points:
            assert one.ipp is not None and one.eipc is not None
            assert (one.ipp.value, one.eipc.value) == (ipp, ipp / 50)


@pytest.mark.nightly
def test_an_nf_that_reads_no_events_is_launched_once_for_them_and_said_to_read_none(
    traffic_repository: NfRepository, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    traffic_repository.commit("base", nalm__toml=toml(FEW_LOADS))
    changed(traffic_repository, "number % 100 == 99 ? 2000", "number % 100 == 99 ? 2001")
    monkeypatch.setattr(papi, "available", lambda: None)
    launched: list[Arm] = []
    missing = ["cycles", "instructions"]

    def unread(arm: Arm, launch: papi.Launch, events: object, **_: float) -> EventCount:
        launched.append(arm)
        stages = {"work": {} if len(missing) > 1 else {"instructions": 1000}}
        return EventCount(
            arm=arm, launch=0, packets=10, stages=stages, reasons=dict.fromkeys(missing, papi.NOT_READ)
        )

    monkeypatch.setattr(papi, "count_group", unread)
    report = measured(traffic_repository, home)
    assert launched == [Arm.BASE, Arm.HEAD]
    assert report.rates is not None and report.rates.load_events == {}
    for arm in launched:
        assert f"{arm}: IPP and eIPC were not counted: {papi.NOT_READ}" in report.notes

    missing.remove("instructions")
    changed(traffic_repository, "number % 100 == 99 ? 2001", "number % 100 == 99 ? 2002")
    report = measured(traffic_repository, home)
    assert report.notes.count(f"head: eIPC was not counted: {papi.NOT_READ}") == 1
    shown = rates_of(report)
    assert shown is not None and shown.sweep is not None
    for one in shown.sweep.arms[1].points:
        assert one.ipp is not None and one.ipp.value == 100 and one.eipc is None


@pytest.mark.nightly
def test_an_nf_that_fails_while_events_are_read_keeps_what_was_measured(
    traffic_repository: NfRepository, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    traffic_repository.commit("base", nalm__toml=toml(FEW_LOADS))
    changed(traffic_repository, "number % 100 == 99 ? 2000", "number % 100 == 99 ? 2001")

    def fails(arm: Arm, *_: object, **settings: float) -> EventCount:
        if settings["number"] == 1:
            raise NfError("it ended with signal 9")
        stages = {"work": {"cycles": 500, "instructions": 1000}}
        return EventCount(arm=arm, launch=0, packets=10, stages=stages)

    monkeypatch.setattr(papi, "available", lambda: None)
    monkeypatch.setattr(papi, "count_group", fails)
    report = measured(traffic_repository, home)
    assert report.status is RunStatus.MEASURED and report.rates is not None
    assert {arm: len(counted) for arm, counted in report.rates.load_events.items()} == {
        Arm.BASE: 1,
        Arm.HEAD: 1,
    }
    said = r"head: IPP and eIPC were not counted from \d+ pps on: it ended with signal 9"
    assert any(re.fullmatch(said, note) for note in report.notes), report.notes


ATTEMPTS = 3
"""A host that takes time from many trials leaves no knee, or a wide interval."""


@pytest.mark.timed
@pytest.mark.nightly
def test_a_sweep_finds_a_knee_that_moved(traffic_repository: NfRepository, home: Home) -> None:
    """Polls of four times the cycles find several packets from a quarter of the load on."""
    source = (traffic_repository.path / "traffic_nf.c").read_text()
    polls = "static uint32_t poll_work"
    assert source.count(f"{polls};") == 1
    slow, slower = (source.replace(f"{polls};", f"{polls} = {work};") for work in (100_000, 400_000))
    traffic_repository.commit("base", nalm__toml=toml(SWEEP), traffic_nf__c=slow)
    traffic_repository.commit("head", traffic_nf__c=slower)
    for _ in range(ATTEMPTS):
        report = measured(traffic_repository, home)
        knee = next(one for one in judge(report).metrics if one.metric == "knee_pps")
        if knee.outcome not in ("missing", "inconclusive"):
            break
    assert knee.outcome == "regressed", knee.reason
    assert knee.base is not None and knee.head is not None
    assert 2.5 < knee.base / knee.head < 6, "the work of a packet is the same"
    assert report.rates is not None and report.rates.load is not None
    ndr = report.rates.load.pps / 0.5
    for arm in (Arm.BASE, Arm.HEAD):
        trials = [one.trial for one in report.rates.trials if one.arm is arm]
        swept = Counter((one.share, one.intended_pps) for one in trials if one.phase is Phase.SWEEP)
        assert swept == {(share, round(ndr * share)): 6 for share in SHARES}, "one trial of each launch"
        assert all(one.latency is not None for one in trials if one.phase is Phase.SWEEP)
    shown = rates_of(report)
    assert shown is not None and shown.sweep is not None
    assert all(one.latency_p99_ns is not None for curve in shown.sweep.arms for one in curve.points)


def test_a_load_that_the_generator_cannot_send_gives_no_value(
    traffic_repository: NfRepository, home: Home
) -> None:
    few = QUICK.replace("launches = 11", "launches = 2")
    limited = toml(f'\nmodes = ["latency"]{few}').replace('/traffic_nf"]', '/traffic_nf", "--most", "10000"]')
    traffic_repository.commit("quick", nalm__toml=limited)
    changed(traffic_repository, "number % 100 == 99 ? 2000", "number % 100 == 99 ? 2001")
    report = measured(traffic_repository, home)
    verdict = judge(report)
    assert verdict.outcome is Outcome.INVALID, verdict.reason
    assert "packets were not sent" in verdict.reason
    assert not any(one.values for one in report.own_metrics)


def outside(port: int, more: str = "", rates: str = 'modes = ["mrr"]') -> str:
    lab = f'\n[generator.lab]\nkind = "trex"\nhost = "127.0.0.1"\nport = {port}\nports = [0]\n{more}'
    return toml(f'\ngenerator = "lab"\n{rates}\nlaunches = 2\ntrial_s = 0.05') + lab


def test_a_generator_outside_is_checked_before_a_job_uses_it(
    traffic_repository: NfRepository, home: Home
) -> None:
    """This NF has packets of its own, which the server did not send."""
    with TrexServer() as server:
        traffic_repository.commit("base", nalm__toml=outside(server.port))
        changed(traffic_repository, "number % 100 == 99 ? 2000", "number % 100 == 99 ? 2001")
        with pytest.raises(GeneratorError, match="generator lab is not trusted: at full load") as error:
            measured(traffic_repository, home)
    assert "nalm doctor --generator lab" in (error.value.hint or "")
    assert (server.methods().count("acquire"), server.methods().count("release")) == (1, 1)


@pytest.mark.parametrize(
    ("more", "rates", "message"),
    [
        ("", 'modes = ["mrr", "latency"]', "measures no latency, which 'latency' in rates.modes needs"),
        ('kind = "testpmd"', 'modes = ["mrr", "ndr"]', "only, and 'ndr' in rates.modes needs other rates"),
        ('kind = "testpmd"', f'modes = ["mrr"]\nsweep = {SHARES}', "rates.sweep needs other rates"),
    ],
)
def test_what_a_generator_outside_cannot_do_is_said_before_the_build(
    traffic_repository: NfRepository, home: Home, more: str, rates: str, message: str
) -> None:
    text = outside(1, rates=rates)
    if more:
        table = text.index("[generator.lab]")
        text = f'{text[:table]}[generator.lab]\n{more}\ncommand = ["dpdk-testpmd"]\nports = [0]\n'
    traffic_repository.commit("base", nalm__toml=text, traffic_nf__c="int main(void) { return }\n")
    traffic_repository.commit("head", notes="read me\n")
    with pytest.raises(ConfigError, match=message) as error:
        measured(traffic_repository, home)
    assert "docs/generators.md" in (error.value.hint or "")


def test_a_soak_with_a_generator_that_keeps_no_rate_is_refused_before_the_build(
    traffic_repository: NfRepository, home: Home
) -> None:
    rates = toml('\ngenerator = "lab"\nmodes = ["mrr"]')
    lab = '[generator.lab]\nkind = "testpmd"\ncommand = ["dpdk-testpmd"]\nports = [0]\n'
    traffic_repository.commit("base", nalm__toml=rates + lab, traffic_nf__c="int main(void) { return }\n")
    traffic_repository.commit("head", notes="read me\n")
    said = r"generator lab \(testpmd\) sends at its greatest rate only, and a soak needs other rates"
    with pytest.raises(ConfigError, match=said) as error:
        measured(traffic_repository, home, RunKind.SOAK)
    assert error.value.hint == (
        'set rates.generator = "inside" in nalm.toml, which jobs of rates and soaks share, or name a '
        "generator of kind trex or pktgen (docs/generators.md)"
    )


@pytest.mark.nightly
def test_a_soak_of_both(quick: NfRepository, home: Home) -> None:
    changed(quick, "number % 100 == 99 ? 2000", "number % 100 == 99 ? 2001")
    report = measured(quick, home, RunKind.SOAK)
    assert report.scenario.name == "made:soak"
    assert report.rates is not None
    arms = [one.arm for one in report.rates.intervals]
    assert arms.count(Arm.BASE) == arms.count(Arm.HEAD) >= 10
    assert arms[:4] == [Arm.BASE, Arm.HEAD, Arm.HEAD, Arm.BASE]
    memory = next(one for one in report.own_metrics if one.name == "memory_growth")
    assert set(memory.values) == {Arm.BASE, Arm.HEAD}, memory.missing


@pytest.mark.nightly
@pytest.mark.timed
def test_a_soak_with_a_generator_outside_has_launches_in_turn(
    traffic_repository: NfRepository, home: Home, relayed: Path
) -> None:
    """Base's load is found with it, too. The device is one process's, so the builds never live together."""
    with TrexServer() as server:
        limited = 'arguments = ["--capacity", "100000"]\n'
        text = relayed_toml(relayed, server.port, limited)
        soak = '[rates]\ngenerator = "lab"\nsoak_hours = 0.0007\nsoak_interval_s = 0.05\nshare = 0.2\n'
        traffic_repository.commit("base", nalm__toml=text.replace("[rates]\n", soak))
        changed(traffic_repository, "number % 100 == 99 ? 2000", "number % 100 == 99 ? 2001")
        report = measured(traffic_repository, home, RunKind.SOAK)
    assert report.rates is not None, report.failure
    assert report.rates.generator == "lab (trex v3.06)"
    assert "generator_checked" in {one.name for one in report.checks}
    assert report.rates.load is not None and report.rates.load.share == 0.2
    found = [(one.arm, one.interval.launch) for one in report.rates.intervals]
    base, head = Arm.BASE, Arm.HEAD
    order = [arm for launch in range(SOAK_RUN_LAUNCHES) for arm in ((base, head), (head, base))[launch % 2]]
    assert [arm for arm, _ in dict.fromkeys(found)] == order
    for arm in (base, head):
        mine = [one.interval for one in report.rates.intervals if one.arm is arm]
        assert [one.number for one in mine] == list(range(len(mine)))
        assert soak_seconds(mine) >= 0.0007 * 3600
        assert all(one.trial.outside and one.trial.latency is None for one in mine)
    figures = {one.name: one for one in report.own_metrics}
    assert "measured no latency" in figures["latency_p99_9_drift"].missing[head]
    assert figures["memory_growth"].values, figures["memory_growth"].missing
    assert (server.methods().count("acquire"), server.methods().count("release")) == (2, 2)


@pytest.mark.nightly
def test_more_time_is_more_launches_and_a_longer_soak(traffic_repository: NfRepository, home: Home) -> None:
    """A budget is one of cycles: twice nalm.toml's makes rates and soaks twice as long."""
    few = QUICK.replace("launches = 11", "launches = 2").replace("0.0007", "0.0002")
    by_toml = 600.0
    judge = f"[judge]\nbudget_seconds = {by_toml:g}\n"
    traffic_repository.commit("quick", nalm__toml=toml(f'\nmodes = ["latency"]{few}') + judge)
    changed(traffic_repository, "number % 100 == 99 ? 2000", "number % 100 == 99 ? 2001")
    report = measured(traffic_repository, home, RunKind.RATE, more_time(by_toml))
    assert report.settings.budget_seconds == more_time(by_toml), "the next one is longer than this one"
    rates = report.rates
    assert rates is not None and {one.trial.launch for one in rates.trials} == set(range(4))
    soak = measured(traffic_repository, home, RunKind.SOAK, more_time(by_toml)).rates
    assert soak is not None
    for arm in (Arm.BASE, Arm.HEAD):
        lasted = max(one.interval.launch_s for one in soak.intervals if one.arm is arm)
        assert 2 <= lasted / (0.0002 * 3600) < 3


def test_rates_and_soaks_never_shrink() -> None:
    of = parse(toml() + "[judge]\nbudget_seconds = 600\n")
    found = [times_as_long(of, seconds) for seconds in (None, 60.0, 600.0, 1200.0, 4800.0)]
    assert found == [1, 1, 1, 2, 8]


@pytest.mark.nightly
def test_a_long_soak_has_no_more_intervals_than_a_report_has_room_for(
    traffic_repository: NfRepository, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nalm_agent.rates.rate_run.SOAK_RUN_INTERVALS", 4)
    traffic_repository.commit("quick", nalm__toml=toml())
    changed(traffic_repository, "number % 100 == 99 ? 2000", "number % 100 == 99 ? 2001")
    report = measured(traffic_repository, home, RunKind.SOAK)
    assert report.rates is not None
    assert 4 <= len(report.rates.intervals) / 2 <= 5
    assert report.rates.intervals[0].interval.trial.intended_s == pytest.approx(0.0007 * 3600 / 4)


def test_equal_code_is_not_measured(quick: NfRepository, home: Home) -> None:
    quick.commit("nothing", notes="read me\n")
    report = measured(quick, home)
    assert report.status is RunStatus.UNCHANGED and report.rates is None
    assert judge(report).outcome is Outcome.SAME


def test_equal_code_is_measured_if_data_that_nobody_names_differ(
    traffic_repository: NfRepository, home: Home
) -> None:
    """Whether the NF reads them is not known before it runs."""
    few = QUICK.replace("launches = 11", "launches = 2")
    copied = 'paths = ["rules", ', 'commands = [["cp", "{source}/rules", "{build}/rules"], '
    with_data = toml(f'\nmodes = ["latency"]{few}')
    with_data = with_data.replace("paths = [", copied[0]).replace("commands = [", copied[1])
    traffic_repository.commit("quick", nalm__toml=with_data, rules="one\n")
    traffic_repository.commit("other rules", rules="two\n")
    report = measured(traffic_repository, home)
    assert report.status is RunStatus.MEASURED and report.rates is not None
    assert "different in head: rules; if the NF reads that, [build] data must name it" in report.notes


def test_a_head_that_does_not_build_is_broken(quick: NfRepository, home: Home) -> None:
    quick.commit("broken", traffic_nf__c="int main(void) { return }\n")
    report = measured(quick, home)
    assert judge(report).outcome is Outcome.BROKEN
    assert report.scenario.name == "made:rate"


@pytest.mark.parametrize(
    ("rates", "load", "name"),
    [
        ("", "", None),
        ("\nshare = 0.5", 'load = "closed"', None),
        ("\nshare = 0.7", "", "0.7NDR"),
        ("\npps = 50000", "load = { pps = 1e6, burst = 64 }", "0.05Mpps/x64"),
        ("", 'load = { ndr = 0.9, arrivals = "poisson" }', "0.5NDR/poisson"),
    ],
)
def test_what_is_offered_has_a_name_unless_it_is_the_default(rates: str, load: str, name: str | None) -> None:
    of = parse(toml(rates).replace("[scenarios.made]\n", f"[scenarios.made]\n{load}\n"))
    assert name_of(of) == name


def test_a_long_name_of_a_load_is_shortened_and_its_own() -> None:
    found = set()
    for flows in (1000, 2000):
        load = f"load = {{ pps = 1e6, burst = 64, new_flows = {flows}, ramp = {{ ms = 5 }} }}"
        text = toml("\nshare = 0.123456").replace("[scenarios.made]\n", f"[scenarios.made]\n{load}\n")
        name = name_of(parse(text))
        assert name is not None and len(name) == LONGEST_LOAD
        found.add(TypeAdapter(LoadName).validate_python(name))
    assert len(found) == 2


def name_of(of: Config) -> str | None:
    load = of.scenario("made").load
    return of.rates.load_name(NO_SHAPE if load is None else load.shape)


def lease(**given: object) -> Lease:
    document = {
        **{"job_id": 1, "fence": 1, "project": "demo", "repository": "r", "reason": "push"},
        **{"base_sha": "a" * 40, "head_sha": "b" * 40, "lease_seconds": 60},
    }
    return Lease.model_validate(document | given)


def config(rates: str = "") -> Config:
    return parse(toml(rates) + '\n[scenarios.other]\nlcores = 1\ntraffic = "nalm.toml"\n')


@pytest.mark.parametrize(
    ("rates", "given", "names"),
    [
        ("", {}, ["made", "other"]),
        ("", {"scenarios": ["*:rate"]}, ["made:rate"]),
        ('\nscenarios = ["other"]', {"scenarios": ["*:soak"]}, ["other:soak"]),
        ('\nwith_jobs = ["push"]', {}, ["made", "other", "made:rate"]),
        ('\nwith_jobs = ["schedule"]', {}, ["made", "other"]),
        ('\nwith_jobs = ["push"]', {"scenarios": ["other"]}, ["other"]),
        ("", {"scenarios": ["made:rate", "gone:rate", "*:rate"]}, ["made:rate"]),
        ("", {"scenarios": ["*:rate"], "measured": ["made:rate"]}, []),
    ],
)
def test_what_a_job_measures(rates: str, given: dict[str, object], names: list[str]) -> None:
    assert names_to_measure(lease(**given), config(rates)) == names


@pytest.mark.parametrize(
    ("rates", "message"),
    [
        ('\nscenarios = ["gone"]', "there is no scenario 'gone'"),
        ("\nsweep = [0.1, 0.5]", "sweep has 2 loads; a knee needs 5 or more"),
        ("\nsweep = [0.1, 0.2, 0.3, 0.4, 0.5]\npps = 1000", "leave out one"),
        ('\nwith_jobs = ["person"]', "with_jobs"),
        ('\nmodes = ["ndr", "latency"]', 'a search begins at the rate at full load; add "mrr"'),
        ("\nmodes = []", "modes"),
        (
            "\nlaunches = 200\ntrials = 100",
            "a launch has 102 trials of each build, 100 of them with latencies",
        ),
        ("\nlaunches = 126", "expected 125 launches or less"),
        (
            "\ntrials = 2\nlaunches = 80\nsweep = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]",
            "expected 45 launches",
        ),
        ('\ngenerator = "lab"', "there is no generator 'lab'"),
        ('\nmodes = ["soak"]', "modes"),
    ],
)
def test_mistakes_in_rates(rates: str, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        config(rates)
    assert message in error.value.full_text()


@pytest.mark.parametrize(
    "rates",
    [
        "\nlaunches = 125",
        "\nlaunches = 5\ntrials = 100",
        '\nlaunches = 200\nmodes = ["mrr"]\ntrials = 100',
        "\nlaunches = 45\ntrials = 2\nsweep = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]",
    ],
)
def test_rates_that_a_report_has_room_for(rates: str) -> None:
    of = config(rates).rates
    assert of.launches <= of.most_launches


def test_a_scenario_may_not_have_the_name_of_a_history() -> None:
    text = toml("") + '\n[scenarios."made:rate"]\nlcores = 1\ntraffic = "nalm.toml"\n'
    with pytest.raises(ConfigError) as error:
        parse(text)
    assert "rename the scenario" in error.value.full_text()


def test_too_few_cpus_are_said_before_the_builds(
    traffic_repository: NfRepository, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide = RATES_TOML.replace('traffic = "nalm.toml"', 'lcores = 2\ntraffic = "nalm.toml"')
    traffic_repository.commit("wide", nalm__toml=wide)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    monkeypatch.setattr(rate_run, "build", lambda *_, **__: pytest.fail("it was built"))
    with pytest.raises(HostError, match="the scenario needs 2 lcores"):
        measured(traffic_repository, home)
