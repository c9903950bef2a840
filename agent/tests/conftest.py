# SPDX-License-Identifier: Apache-2.0
"""Fixtures: a repository of the tiny NF, a NALM_HOME shared by all tests, the command."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import gettempdir

import pytest
from nalm_agent.store.home import Home, WorkDir

sys.path.insert(0, str(Path(__file__).parent))  # for tiny.py: test modules are imported by path

from relayed_trex import RelayedTrex
from tiny import (
    NALM_TOML,
    NF_SOURCE,
    PROBE_HEADER,
    RATES_TOML,
    TRAFFIC_NF,
    Nalm,
    NfRepository,
    build_tiny,
)


def made_repository(folder: Path, sources: Sequence[Path]) -> NfRepository:
    """An empty repository, and sources that its first commit will have."""
    repository = NfRepository(folder)
    repository.git("init", "-q", "-b", "main")
    for path in sources:
        shutil.copy(path, folder)
    return repository


def copied(made: NfRepository, folder: Path) -> NfRepository:
    """Faster than to make one. It has a commit of its own, of which no other test's results are kept."""
    repository = NfRepository(Path(shutil.copytree(made.path, folder)))
    repository.git("commit", "-q", "--amend", "-m", f"first, for {folder}")
    return repository


@pytest.fixture(scope="session")
def made_nf_repository(tmp_path_factory: pytest.TempPathFactory) -> NfRepository:
    repository = made_repository(tmp_path_factory.mktemp("made"), [NF_SOURCE, PROBE_HEADER])
    repository.write("traffic/capture.bin", "packets")
    repository.commit("first", nalm__toml=NALM_TOML, work__h="", README__md="tiny\n")
    return repository


@pytest.fixture(scope="session")
def made_traffic_repository(tmp_path_factory: pytest.TempPathFactory) -> NfRepository:
    sources = [TRAFFIC_NF, PROBE_HEADER, PROBE_HEADER.with_name("nalm_traffic.h")]
    repository = made_repository(tmp_path_factory.mktemp("made"), sources)
    repository.commit("first", nalm__toml=RATES_TOML)
    return repository


@pytest.fixture
def enterable(tmp_path: Path) -> None:
    """Lets every user, that of builds as well, get to this test's directory: pytest makes them private."""
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.geteuid() and folder.is_relative_to(gettempdir()):
            folder.chmod(folder.stat().st_mode | 0o011)


@pytest.fixture
def nf_repository(made_nf_repository: NfRepository, tmp_path: Path) -> NfRepository:
    return copied(made_nf_repository, tmp_path / "nf")


@pytest.fixture
def traffic_repository(made_traffic_repository: NfRepository, tmp_path: Path) -> NfRepository:
    return copied(made_traffic_repository, tmp_path / "nf")


@pytest.fixture
def relayed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The traffic file by which a generator outside of nalm.toml has its packets made."""
    path = tmp_path / "relayed-traffic"
    monkeypatch.setattr(
        "nalm_agent.rates.loaded_revision.outside_generator",
        lambda name, config: RelayedTrex(name, config, path),
    )
    return path


@pytest.fixture(scope="session")
def session_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One NALM_HOME for all tests: a build is made once."""
    return tmp_path_factory.mktemp("nalm-home")


@pytest.fixture
def nalm(session_home: Path) -> Nalm:
    return Nalm(session_home)


@pytest.fixture
def home(session_home: Path) -> Home:
    return Home(session_home)


@pytest.fixture
def work(tmp_path: Path) -> WorkDir:
    folder = tmp_path / "work"
    folder.mkdir()
    return WorkDir(folder, folder)


@pytest.fixture(scope="session")
def tiny_nf(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Command line of a built tiny NF."""
    return build_tiny(tmp_path_factory.mktemp("tiny"), "")


@pytest.fixture(scope="session")
def bare_dpdk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built DPDK program that knows nothing of nalm."""
    target = tmp_path_factory.mktemp("bare") / "bare_dpdk"
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "libdpdk"], capture_output=True, text=True, check=True
    ).stdout.split()
    source = NF_SOURCE.with_name("bare_dpdk.c")
    subprocess.run(["gcc", "-O2", "-g", "-o", target, source, *flags], check=True)
    return target
