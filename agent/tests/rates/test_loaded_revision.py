# SPDX-License-Identifier: Apache-2.0
"""The command of a revision under load."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from nalm_agent.config.nalm_toml import MEMORY_MB
from nalm_agent.generators.outside import GeneratorBusyError
from nalm_agent.host import fingerprint, tsc
from nalm_agent.rates import loaded_revision
from nalm_agent.rates.loaded_revision import all_ready, ready_side_by_side, subject
from nalm_agent.runtime.errors import ConfigError, HostError
from nalm_agent.source.git import Repository
from nalm_agent.store.home import WorkDir
from nalm_core.report.offered_load import NO_SHAPE, LoadShape, Ramp
from tiny import NALM_TOML, RATES_TOML, NfRepository

OWN = """
[scenarios.own]
traffic = "nalm.toml"
arguments = ["--variant"]
rate_arguments = ["--capacity", "7"]
[scenarios.silent]
traffic = "nalm.toml"
rate_arguments = []
"""


def test_a_scenario_has_its_own_arguments_for_rates_or_those_of_all(
    traffic_repository: NfRepository, work: WorkDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tsc, "available", lambda: None)
    traffic_repository.commit("own", nalm__toml=RATES_TOML + OWN)
    repository = Repository(traffic_repository.path, work.fresh("git"))
    head = repository.resolve("HEAD")
    commands = {
        name: subject(repository, head, name).scenario.arguments for name in ("made", "own", "silent")
    }
    assert commands == {
        "made": ["--capacity", "100000"],
        "own": ["--variant", "--capacity", "7"],
        "silent": [],
    }


def test_the_shape_of_a_scenarios_load_is_offered_where_no_option_gives_another(
    traffic_repository: NfRepository, work: WorkDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tsc, "available", lambda: None)
    load = 'load = { pps = 1e6, arrivals = "poisson", burst = 4, ramp = { ms = 5 } }\n'
    traffic_repository.commit("load", nalm__toml=RATES_TOML + load + OWN)
    repository = Repository(traffic_repository.path, work.fresh("git"))
    head = repository.resolve("HEAD")
    made = subject(repository, head, "made")
    assert made.shape == NO_SHAPE, "experiments and presets have loads of their own"
    scenarios = LoadShape(arrivals="poisson", burst=4, ramp=Ramp(ms=5))
    assert made.shaped().shape == scenarios
    assert made.shaped(LoadShape(burst=16)).shape == scenarios.model_copy(update={"burst": 16})
    assert subject(repository, head, "own").shaped(LoadShape(burst=16)).shape == LoadShape(burst=16)


@pytest.mark.parametrize(
    ("names", "expected"),
    [((None, "lib"), "has no generator 'lib'; there are: inside"), (("tinny", "inside"), "tiny")],
    ids=["generator", "scenario"],
)
def test_a_misspelled_name_comes_before_what_the_nf_or_the_host_lacks(
    names: tuple[str | None, str],
    expected: str,
    nf_repository: NfRepository,
    work: WorkDir,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tsc, "available", lambda: "the TSC is not constant")
    nf_repository.commit("counts", nalm__toml=NALM_TOML.replace("[run]\n", '[run]\ncounts = "dpdk"\n', 1))
    repository = Repository(nf_repository.path, work.fresh("git"))
    scenario, generator = names
    with pytest.raises(ConfigError) as raised:
        subject(repository, repository.resolve("HEAD"), scenario, generator=generator)
    assert expected in f"{raised.value.message} {raised.value.hint}"


class Recorded:
    """A generator and the CPUs, with the order in which they are reserved and free again."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, busy: bool = False) -> None:
        self.events: list[str] = []
        self.busy = busy
        monkeypatch.setattr(loaded_revision, "hold", self.hold)
        monkeypatch.setattr(loaded_revision, "run_of", lambda *_, **__: "run")

    @contextmanager
    def hold(self, *_: object) -> Iterator[None]:
        self.events.append("CPUs")
        yield
        self.events.append("CPUs are free")

    @contextmanager
    def reserved(self, _waiting: object) -> Iterator[None]:
        if self.busy:
            raise GeneratorBusyError("generator lab is taken by 'alice'")
        self.events.append("generator")
        yield
        self.events.append("generator is free")


def subject_of(generator: Recorded | None, lcores: int = 1, memory_mb: int = 64) -> Any:
    return SimpleNamespace(
        name="made", scenario=SimpleNamespace(lcores=lcores, memory_mb=memory_mb), generator=generator
    )


PLACE: Any = (SimpleNamespace(huge_pages=False), None, SimpleNamespace(say=print))


def test_a_generator_is_reserved_before_the_cpus_and_free_after_them(monkeypatch: pytest.MonkeyPatch) -> None:
    lab = Recorded(monkeypatch)
    both: Any = [(subject_of(lab), None), (subject_of(lab), None)]
    with ready_side_by_side(both, *PLACE) as runs:
        assert runs == ["run", "run"]
    assert lab.events == ["generator", "CPUs", "CPUs are free", "generator is free"]


def test_who_waits_for_a_generator_holds_no_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    lab = Recorded(monkeypatch, busy=True)
    one: Any = [(subject_of(lab), None)]
    with pytest.raises(GeneratorBusyError), ready_side_by_side(one, *PLACE):
        pytest.fail("it was reserved")
    assert lab.events == []


def test_too_few_cpus_are_said_before_the_builds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loaded_revision, "build_subject", lambda *_: pytest.fail("it was built"))
    host, work, progress = PLACE
    with (
        pytest.raises(HostError, match="the scenario needs 9999 lcores"),
        all_ready([subject_of(None, 9999)], host, work, work, progress),
    ):
        pytest.fail("it was ready")


@pytest.mark.parametrize(
    ("memory_mb", "enough"),
    [([MEMORY_MB], True), ([MEMORY_MB] * 2, True), ([MEMORY_MB] * 3, True), ([512, 512], False)],
    ids=["one build", "two builds", "three designs", "more memory"],
)
def test_builds_that_take_turns_need_huge_pages_for_each_of_them_once(
    memory_mb: list[int], enough: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    Recorded(monkeypatch)
    monkeypatch.setattr(fingerprint, "huge_page_bytes", lambda _: fingerprint.HUGE_PAGE_BYTES_NEEDED)
    built: Any = [(subject_of(None, memory_mb=one), None) for one in memory_mb]
    _, work, progress = PLACE
    host: Any = SimpleNamespace(huge_pages=True)
    refused = pytest.raises(HostError, match=r"768 MiB in huge pages are free, but .* needs 1024")
    with nullcontext() if enough else refused, ready_side_by_side(built, host, work, progress) as runs:
        assert runs == ["run"] * len(memory_mb)
