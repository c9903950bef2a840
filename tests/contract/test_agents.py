# SPDX-License-Identifier: Apache-2.0
"""Agents and server as processes: registered, ended, killed at every step, with one result for each job."""

from __future__ import annotations

import itertools
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agent_process import BenchAgent, until
from contract_server import ContractServer

ROOT = Path(__file__).resolve().parents[2]
NALM_TOML = """version = 1
[project]
name = "tiny"
[build]
commands = [["sh", "-c", "{source}/build.sh {source} {build}"]]
artifacts = ["tiny_nf"]
paths = ["tiny_nf.c", "nalm_probe.h", "work.h", "build.sh"]
[run]
command = ["{build}/tiny_nf", "--features", "{features}", "--traffic", "{traffic}"]
[scenarios.tiny]
traffic = "README.md"
"""
BUILD = "#!/bin/sh\nexec gcc -O2 -g -I$1 -o $2/tiny_nf $1/tiny_nf.c\n"
SLOW_BUILD = "#!/bin/sh\nsleep 600\n"
NUMBERS = itertools.count(1)


class Nf:
    """A repository whose commits change only comments, so that builds are equal and nothing is measured."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir()
        self.git("init", "-q", "-b", "main")
        shutil.copy(ROOT / "agent/tests/nf/tiny_nf.c", path)
        shutil.copy(ROOT / "reference-nf/probe/nalm_probe.h", path)
        (path / "work.h").write_text("")
        (path / "nalm.toml").write_text(NALM_TOML)
        self.commit()

    def git(self, *arguments: str) -> str:
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        command = ["git", *identity, *arguments]
        return subprocess.run(
            command, cwd=self.path, capture_output=True, text=True, check=True
        ).stdout.strip()

    def commit(self, build: str = BUILD) -> str:
        (self.path / "build.sh").write_text(build)
        (self.path / "build.sh").chmod(0o755)
        (self.path / "README.md").write_text(f"{next(NUMBERS)}\n")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "words")
        return self.git("rev-parse", "HEAD")


@pytest.fixture(scope="module")
def nf(tmp_path_factory: pytest.TempPathFactory) -> Nf:
    return Nf(tmp_path_factory.mktemp("nf") / "nf")


@pytest.fixture(scope="module")
def project(server: ContractServer, nf: Nf) -> Any:
    return server.new_project("agents", str(nf.path))


@pytest.fixture(scope="module")
def bench(server: ContractServer, tmp_path_factory: pytest.TempPathFactory) -> BenchAgent:
    """It has no job and an empty spool after each test."""
    return BenchAgent(server, tmp_path_factory.mktemp("bench") / "home", "bench").register()


@pytest.fixture
def pushed(server: ContractServer, nf: Nf, project: Any) -> Callable[..., int]:
    """Pushes a commit and returns its job."""

    def push(build: str = BUILD) -> int:
        before = nf.git("rev-parse", "HEAD")
        (job,) = server.push(before, nf.commit(build), project)
        return job

    return push


def serve_until(agent: BenchAgent, job: int, state: str) -> None:
    """Runs the agent until the job is in this state and its spool is empty, then ends it."""
    process = agent.start()
    try:
        until(
            lambda: agent.server.job(job)["state"] == state and not agent.spooled(),
            lambda: f"{state}: {agent.server.job(job)}, {agent.spooled()}\n{agent.log.read_text()}",
        )
    finally:
        agent.end(process)


def test_a_registered_agent_takes_a_job(
    server: ContractServer, pushed: Callable[..., int], tmp_path: Path
) -> None:
    bench = BenchAgent(server, tmp_path / "home", "registered").register()
    job = pushed()
    file = bench.home / "agent.json"
    assert file.stat().st_mode & 0o777 == 0o600
    done = bench.run("--once")
    assert done.returncode == 0, done.stderr
    assert (server.job(job)["state"], server.job(job)["host"]) == ("done", bench.name)
    used = bench.home.with_name(f"{bench.name}.invitation")
    again = bench.run("register", "--server", server.url, "--token-file", str(used))
    assert again.returncode != 0
    assert "This invitation was used at" in again.stderr
    server.http.post(f"/hosts/{bench.name}/revoke", headers=server.admin).raise_for_status()
    refused = bench.run("--once")
    assert refused.returncode != 0
    assert "`nalm agent register` gets a credential" in refused.stderr


def test_an_agent_that_must_end_gives_its_job_back(
    server: ContractServer, nf: Nf, pushed: Callable[..., int], bench: BenchAgent
) -> None:
    job = pushed(SLOW_BUILD)
    process = bench.start()
    try:
        until(lambda: server.job(job)["state"] == "building", bench.log.read_text)
    finally:
        bench.end(process)
    reported = server.job(job)
    assert (reported["state"], reported["attempts"], reported["run_ids"]) == ("queued", 0, [])
    assert reported["transitions"][-1]["reason"] == f"{bench.name} returned it: the agent was stopped"
    assert f"job {job}: given back" in bench.log.read_text()
    server.cancel(job)
    nf.git("reset", "-q", "--hard", "HEAD~")  # nothing is built on it


STEPS = [
    "amid-write:report",
    "amid-upload:report",
    "before-removal:report",
    "after-write:finish",
    *(
        pytest.param(step, marks=pytest.mark.nightly)
        for step in (
            "before-write:report",
            "after-write:report",
            "before-write:finish",
            "before-removal:finish",
        )
    ),
]


@pytest.mark.parametrize("step", STEPS)
def test_killed_at_any_step_there_is_one_result(
    server: ContractServer, pushed: Callable[..., int], bench: BenchAgent, step: str
) -> None:
    job = pushed()
    bench.die_at(step)
    kept = len(bench.spooled())
    assert kept == (0 if step.startswith("before-write") else 1), bench.spooled()
    serve_until(bench, job, "done")
    reported = server.job(job)
    assert len(reported["run_ids"]) == 1
    assert bench.spooled() == []


def test_a_result_that_comes_too_late_is_dropped(
    server: ContractServer, pushed: Callable[..., int], bench: BenchAgent, tmp_path: Path
) -> None:
    job = pushed()
    bench.die_at("after-write:report")
    other = BenchAgent(server, tmp_path / "other", f"{bench.name}-b").register()
    serve_until(other, job, "done")
    assert len(bench.spooled()) == 1
    late = bench.run("--once")
    assert late.returncode == 0, late.stderr
    assert f"job {job}: too late, its result is dropped (1 file of the spool)" in late.stderr
    assert bench.spooled() == []
    assert (len(server.job(job)["run_ids"]), server.job(job)["host"]) == (1, other.name)
