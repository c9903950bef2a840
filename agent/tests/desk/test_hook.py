# SPDX-License-Identifier: Apache-2.0
"""The pre-push hook with real git and a real remote."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from full_disk import full_disk
from nalm_agent.desk.check import compared
from nalm_agent.desk.hook import install, is_ours, pushed_commits, remove
from nalm_agent.desk.result_cache import keep, result_address
from nalm_agent.measure.request import Request
from nalm_agent.shell.app import app
from nalm_agent.source.git import Repository
from nalm_agent.store.home import Home
from nalm_server_reports import make_report
from tiny import NALM, ROOT, Nalm, NfRepository
from typer.testing import CliRunner

Push = Callable[..., subprocess.CompletedProcess[str]]
ZEROS = "0" * 40


@pytest.fixture
def nalm(tmp_path: Path) -> Nalm:
    return Nalm(tmp_path / "home")


@pytest.fixture
def push(nf_repository: NfRepository, nalm: Nalm, tmp_path: Path) -> Push:
    """Runs `git push` to a remote that already has main."""
    remote = tmp_path / "remote.git"
    nf_repository.git("init", "-q", "--bare", str(remote))
    nf_repository.git("remote", "add", "origin", str(remote))
    nf_repository.git("push", "-q", "-u", "origin", "main")
    environment = nalm.environment() | {"PATH": f"{NALM.parent}{os.pathsep}{os.environ['PATH']}"}

    def run(*arguments: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["git", "push", *arguments],
            cwd=nf_repository.path,
            env=environment | ({"PATH": path} if path else {}),
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def decide(nf: NfRepository, nalm: Nalm, scratch: Path, outcome: str, head: str = "HEAD") -> None:
    """Stores an outcome as if this host had measured it, because only the hook is tested here."""
    repository = Repository(nf.path, scratch)
    found = compared(repository, None, head)
    slower = {"head_costs": {"nat": 180.0}, "head_ipps": {"nat": 400}} if outcome == "regressed" else {}
    key = result_address(Request(repository, found.base, found.head, "tiny", branch=found.branch))
    keep(Home(nalm.home), key, make_report(1, **slower), outcome)


def test_a_regression_is_not_pushed(
    nf_repository: NfRepository, nalm: Nalm, push: Push, tmp_path: Path
) -> None:
    assert nalm.run("hook", "install", cwd=nf_repository.path).returncode == 0
    nf_repository.commit("slower", work__h="#define ALPHA_WORK 90\n")
    decide(nf_repository, nalm, tmp_path / "scratch", "regressed")
    refused = push()
    assert refused.returncode != 0 and "a regression stops the push" in refused.stderr
    assert nf_repository.git("rev-parse", "origin/main") != nf_repository.git("rev-parse", "HEAD")
    assert push("--no-verify").returncode == 0


@pytest.mark.nightly
def test_what_is_no_regression_is_pushed(
    nf_repository: NfRepository, nalm: Nalm, push: Push, tmp_path: Path
) -> None:
    nalm.run("hook", "install", cwd=nf_repository.path)
    nf_repository.commit("as fast", work__h="// more\n")
    decide(nf_repository, nalm, tmp_path / "scratch", "same")
    done = push()
    assert done.returncode == 0, done.stderr
    nf_repository.commit("does not build", work__h="#error no\n")
    done = push()
    assert done.returncode == 0 and "broken" in done.stdout + done.stderr
    assert "the push continues without a verdict" in done.stderr
    assert push("origin", ":refs/heads/none", "main:refs/tags/v1").returncode != 1
    assert nalm.run("hook", "remove", cwd=nf_repository.path).returncode == 0
    assert not (nf_repository.path / ".git/hooks/pre-push").exists()


def test_before_a_commit_the_tree_is_judged(nf_repository: NfRepository, nalm: Nalm, tmp_path: Path) -> None:
    nf_repository.write("work.h", "#define ALPHA_WORK 90\n")
    decide(nf_repository, nalm, tmp_path / "scratch", "regressed", head="worktree")
    done = nalm.run("hook", "run", "--tree", cwd=nf_repository.path)
    assert done.returncode == 1 and "a regression stops the commit" in done.stderr
    done = nalm.run("hook", "run", cwd=nf_repository.path)
    assert done.returncode == 0 and "the push has no branch" in done.stderr


def test_a_hook_without_nalm_lets_pass(nf_repository: NfRepository, nalm: Nalm, push: Push) -> None:
    nalm.run("hook", "install", cwd=nf_repository.path)
    hook = nf_repository.path / ".git/hooks/pre-push"
    hook.write_text(hook.read_text().replace(str(NALM), "/nowhere/nalm"))
    nf_repository.commit("next", work__h="// next\n")
    done = push(path="/usr/bin:/bin")
    assert done.returncode == 0 and "nalm is not installed" in done.stderr


def test_another_hook_is_left_alone(nf_repository: NfRepository, nalm: Nalm) -> None:
    hook = nf_repository.path / ".git/hooks/pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 0\n")
    for command in ("install", "remove"):
        done = nalm.run("hook", command, cwd=nf_repository.path)
        assert done.returncode == 2 and "is left unchanged" in done.stderr and "next:" in done.stderr
    assert hook.read_text() == "#!/bin/sh\nexit 0\n"


def test_install_twice_remove_twice_and_a_folder_of_hooks(
    nf_repository: NfRepository, tmp_path: Path
) -> None:
    nf_repository.git("config", "core.hooksPath", "own/hooks")
    repository = Repository(nf_repository.path, tmp_path / "scratch")
    path = nf_repository.path / "own" / "hooks" / "pre-push"
    assert install(repository) == install(repository) == path
    assert os.access(path, os.X_OK)
    assert remove(repository) == path and remove(repository) is None


def test_a_full_disk_leaves_no_hook(nf_repository: NfRepository, tmp_path: Path) -> None:
    """Half of one would count as another tool's for ever."""
    repository = Repository(nf_repository.path, tmp_path / "scratch")
    with full_disk(), pytest.raises(OSError, match="File too large"):
        install(repository)
    assert list(repository.hooks().glob("*pre-push")) == list(repository.hooks().glob(".*")) == []
    assert is_ours(install(repository))


def test_what_a_push_changes() -> None:
    one, two = "1" * 40, "2" * 40
    lines = [
        f"refs/heads/a {one} refs/heads/a {ZEROS}\n",
        f"refs/heads/b {one} refs/heads/b {two}\n",
        f"(delete) {ZEROS} refs/heads/c {two}\n",
        f"refs/tags/v1 {two} refs/tags/v1 {ZEROS}\n",
    ]
    assert pushed_commits(lines, {}) == [one]
    assert pushed_commits([], {"PRE_COMMIT_TO_REF": two}) == [two]
    assert pushed_commits([], {}) == []


def test_entries_of_pre_commit_are_commands_of_nalm() -> None:
    entries = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert [one["id"] for one in entries] == ["nalm-push", "nalm-commit", "nalm-check"]
    for entry in entries:
        assert entry["pass_filenames"] is False and entry["language"] == "system"
        assert entry["verbose"], "pre-commit hides what a hook that passes says"
        program, *arguments = entry["entry"].split()
        assert program == "nalm"
        assert CliRunner().invoke(app, [*arguments, "--help"]).exit_code == 0
