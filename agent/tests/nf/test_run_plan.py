# SPDX-License-Identifier: Apache-2.0
"""What an arm runs, as its revision defines it."""

from __future__ import annotations

from pathlib import Path

from nalm_agent.host.cores import Cores
from nalm_agent.measure.request import read_config
from nalm_agent.nf.run_plan import expand_setup, plan
from nalm_agent.source.git import Repository
from nalm_agent.store.home import WorkDir
from tiny import NALM_TOML, NfRepository

SETUP = 'setup = ["{build}/ctl", "{cpus}", "{run_dir}/socket"]\n'


def test_a_setup_is_part_of_the_run_definition(nf_repository: NfRepository, work: WorkDir) -> None:
    nf_repository.commit("set up", nalm__toml=NALM_TOML.replace("[run]\n", f"[run]\n{SETUP}"))
    repository = Repository(nf_repository.path, work.fresh("git"))
    head = repository.resolve("HEAD")
    config = read_config(repository, head)
    run = plan(repository, head, config, next(iter(config.scenarios.values())), "packets")
    assert run.definition.command[-3:] == ["{build}/ctl", "{cpus}", "{run_dir}/socket"]
    done = expand_setup(run, source=Path("/s"), build=Path("/b"), traffic=None, cores=Cores((2, 3)))
    assert done == ["/b/ctl", "2,3", "{run_dir}/socket"], "the launch has the directory"
