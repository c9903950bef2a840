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
from nalm_agent.source.given_config import GivenConfig
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


WITH_EDITED_CONFIGURATION = [
    ("{source}/conf/nf.conf", "conf/nf.conf"),
    ("{source}/conf/nf.conf", "conf/rules"),
    ("{source}//conf/./nf.conf", "conf/nf.conf"),
    ("{source}/README.md:{source}/conf/nf.conf", "conf/nf.conf"),
    ("{source}/README.md,{source}/conf/nf.conf,log=1", "conf/nf.conf"),
    ("cd {source}/conf && exec {build}/nf nf.conf", "conf/nf.conf"),
    ("{source}", "conf/nf.conf"),
    ("--root={source}", "conf/nf.conf"),
    ("{source}:{build}", "conf/nf.conf"),
    ("{source}/traffic/../conf/nf.conf", "conf/nf.conf"),
    ("{source}/conf/{features}.conf", "conf/nf.conf"),
    ("{source}/linked", "conf/nf.conf"),
    ("{source}/linked/nf.conf", "conf/nf.conf"),
    ("{source}/other/nf.conf", "conf/nf.conf"),
    ("{source}/absent", "conf/nf.conf"),
    ("{config_dir}/beside:{source}/conf/nf.conf", "conf/nf.conf"),
    ("{config_dir}/beside:{source}/conf/nf.conf", "../beside/beside"),
]


@pytest.mark.parametrize(("argument", "edited"), WITH_EDITED_CONFIGURATION)
def test_an_edited_configuration_is_another_run_definition(
    nf_repository: NfRepository, work: WorkDir, argument: str, edited: str
) -> None:
    def definition() -> list[str]:
        given = GivenConfig.read(nf_repository.path / "../beside/nalm.toml")
        repository = Repository(nf_repository.path, work.fresh("git"), given)
        head = repository.resolve("worktree")
        config = read_config(repository, head)
        return plan(repository, head, config, config.scenario("tiny"), "packets").definition.command

    for name in ("conf/nf.conf", "conf/rules", "../beside/beside"):
        nf_repository.write(name, "first\n")
    nf_repository.write("../beside/nalm.toml", NALM_TOML.replace('"{traffic}"]', f'"{argument}"]'))
    (nf_repository.path / "linked").symlink_to("conf")
    (nf_repository.path / "other").mkdir()
    (nf_repository.path / "other/nf.conf").symlink_to("../conf/nf.conf")
    nf_repository.commit("with a configuration")
    first = definition()
    assert definition() == first
    nf_repository.write(edited, "second\n")
    assert definition() != first


def test_files_elsewhere_are_not_of_the_run_definition(nf_repository: NfRepository, work: WorkDir) -> None:
    nf_repository.write("conf/nf.conf", "first\n")
    command = NALM_TOML.replace('"{traffic}"]', '"a={source}/conf/nf.conf,b={source}/work.h:/etc"]')
    nf_repository.commit("with a configuration", nalm__toml=command)
    repository = Repository(nf_repository.path, work.fresh("git"))
    definitions = []
    for text in ("first\n", "second\n"):
        nf_repository.write("README.md", text)
        head = repository.resolve("worktree")
        config = read_config(repository, head)
        definitions.append(plan(repository, head, config, config.scenario("tiny"), "packets").definition)
    assert definitions[0] == definitions[1]


def test_one_directory_has_one_digest(nf_repository: NfRepository, work: WorkDir) -> None:
    nf_repository.write("conf/nf.conf", "first\n")
    paths = ["{source}/conf/nf.conf", "{source}/conf/nf.conf,log={source}/conf/x"]
    commands = ", ".join(f'"{path}"' for path in paths)
    nf_repository.commit("conf", nalm__toml=NALM_TOML.replace('"{traffic}"]', f"{commands}]"))
    repository = Repository(nf_repository.path, work.fresh("git"))
    head = repository.resolve("HEAD")
    config = read_config(repository, head)
    run = plan(repository, head, config, config.scenario("tiny"), "packets")
    digest = str(repository.digest(head, ["conf"]))[:16]
    assert run.definition.command[-2:] == [f"{path}#{digest}" for path in paths]
