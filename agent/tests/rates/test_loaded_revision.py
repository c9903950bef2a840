# SPDX-License-Identifier: Apache-2.0
"""The command of a revision under load."""

from __future__ import annotations

import pytest
from nalm_agent.host import tsc
from nalm_agent.rates.loaded_revision import subject
from nalm_agent.runtime.errors import ConfigError
from nalm_agent.source.git import Repository
from nalm_agent.store.home import WorkDir
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
