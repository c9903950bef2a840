# SPDX-License-Identifier: Apache-2.0
"""The command of a revision under load."""

from __future__ import annotations

import pytest
from nalm_agent.host import tsc
from nalm_agent.rates.loaded_revision import subject
from nalm_agent.source.git import Repository
from nalm_agent.store.home import WorkDir
from tiny import RATES_TOML, NfRepository

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
