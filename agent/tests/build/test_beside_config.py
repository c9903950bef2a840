# SPDX-License-Identifier: Apache-2.0
"""What build commands name beside the file of --config is copied for the build, and part of its address."""

from __future__ import annotations

from pathlib import Path

import pytest
from building import MAKE_NF, toml
from nalm_agent.build.build import Built, build
from nalm_agent.config.nalm_toml import parse
from nalm_agent.runtime.errors import ConfigError
from nalm_agent.source.git import Repository
from nalm_agent.source.given_config import GivenConfig
from nalm_agent.store.home import Home
from tiny import NfRepository

COMMANDS = '["sh", "{source}/build.sh", "{build}"]'


@pytest.fixture
def beside(nf_repository: NfRepository, tmp_path: Path) -> Path:
    """The folder of a nalm.toml whose build copies parts/ into the NF's data."""
    folder = tmp_path / "beside"
    (folder / "parts").mkdir(parents=True)
    named = COMMANDS.replace("]", ', "{config_dir}/parts"]')
    (folder / "nalm.toml").write_text(toml("", data='["data.txt"]').replace(COMMANDS, named))
    script = f"cat $(find -L $2 -type f | sort) > $1/data.txt\n{MAKE_NF}\n"
    nf_repository.commit("build script", build__sh=script)
    return folder


def built(nf: NfRepository, beside: Path) -> Built:
    given = GivenConfig.read(beside / "nalm.toml")
    scratch = nf.path.parent / "scratch"
    repository = Repository(nf.path, scratch, given)
    return build(Home(nf.path.parent / "own-home"), repository, repository.resolve("HEAD"), parse(given.text))


def test_a_linked_directory_is_copied_and_counts(nf_repository: NfRepository, beside: Path) -> None:
    shared = beside.parent / "shared/deep"
    shared.mkdir(parents=True)
    (shared / "rules.txt").write_text("first\n")
    (beside / "parts/linked").symlink_to(shared.parent)
    first = built(nf_repository, beside)
    assert (first.directory / "data.txt").read_text() == "first\n"
    (shared / "rules.txt").write_text("second\n")
    assert (built(nf_repository, beside).directory / "data.txt").read_text() == "second\n"


@pytest.mark.parametrize("target", ["..", ".", "../other"])
def test_links_in_a_circle_are_refused(nf_repository: NfRepository, beside: Path, target: str) -> None:
    (beside / "other").mkdir()
    (beside / "other/back").symlink_to("../parts")
    (beside / "parts/link").symlink_to(target)
    with pytest.raises(ConfigError, match="is a link to a directory that it is in"):
        built(nf_repository, beside)


def test_a_link_to_nothing_is_refused(nf_repository: NfRepository, beside: Path) -> None:
    (beside / "parts/gone").symlink_to("absent")
    with pytest.raises(ConfigError, match="parts cannot be copied for the build") as error:
        built(nf_repository, beside)
    assert "absent" in str(error.value.log) or "gone" in str(error.value.log)
