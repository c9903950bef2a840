# SPDX-License-Identifier: Apache-2.0
"""What an arm runs, as its revision defines it."""

from __future__ import annotations

from pathlib import Path

import pytest
from nalm_agent.host.cores import Cores
from nalm_agent.measure.request import read_config
from nalm_agent.nf.run_plan import expand_setup, plan, traffic_identity
from nalm_agent.runtime.errors import ConfigError, GitError
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


@pytest.mark.parametrize("named", ["capture", "linked/capture.bin", "./linked/capture.bin", "twice"])
def test_traffic_behind_a_link_is_identified_by_its_content(
    nf_repository: NfRepository, work: WorkDir, named: str
) -> None:
    (nf_repository.path / "capture").symlink_to("traffic/capture.bin")
    (nf_repository.path / "linked").symlink_to("traffic")
    (nf_repository.path / "twice").symlink_to("linked/capture.bin")
    nf_repository.commit("links")
    repository = Repository(nf_repository.path, work.fresh("git"))
    first = repository.resolve("HEAD")
    nf_repository.write("README.md", "another commit\n")
    again = repository.resolve("worktree")
    assert traffic_identity(repository, first, named) == traffic_identity(repository, again, named)
    nf_repository.write("traffic/capture.bin", "other packets")
    other = repository.resolve("worktree")
    assert traffic_identity(repository, first, named) != traffic_identity(repository, other, named)


@pytest.mark.parametrize("target", ["/etc/hostname", "../capture.bin"])
def test_traffic_outside_of_the_repository_is_refused(
    nf_repository: NfRepository, work: WorkDir, target: str
) -> None:
    (nf_repository.path / "capture").symlink_to(target)
    repository = Repository(nf_repository.path, work.fresh("git"))
    with pytest.raises(
        GitError, match=f"capture of .* is a symbolic link out of the repository: to {target}"
    ):
        traffic_identity(repository, repository.resolve("worktree"), "capture")


@pytest.mark.parametrize("target", ["absent", "capture", "README.md/capture"])
def test_traffic_behind_a_link_to_nothing_does_not_exist(
    nf_repository: NfRepository, work: WorkDir, target: str
) -> None:
    (nf_repository.path / "capture").symlink_to(target)
    repository = Repository(nf_repository.path, work.fresh("git"))
    with pytest.raises(ConfigError, match="the traffic file capture is not in"):
        traffic_identity(repository, repository.resolve("worktree"), "capture")
