# SPDX-License-Identifier: Apache-2.0
"""The agent's clone of a project fetches missing commits, and only from repositories."""

from __future__ import annotations

import base64
import random
import re
import select
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from nalm_agent.daemon import mirrors
from nalm_agent.daemon.mirrors import mirrored
from nalm_agent.runtime.errors import GitError, HostError
from nalm_agent.runtime.process import run, stop_all
from nalm_agent.source.git import Repository
from nalm_agent.store.home import Home
from nalm_core.wire.jobs import Lease
from tiny import NfRepository


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def lease(repository: str, head: str) -> Lease:
    return Lease(
        job_id=1,
        fence=1,
        project="demo",
        repository=repository,
        base_sha=head,
        head_sha=head,
        reason="push",
        lease_seconds=60,
    )


def test_a_missing_commit_is_fetched(nf_repository: NfRepository, tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    for message in ("one", "two"):
        head = nf_repository.commit(message, **{"work.h": f"// {message}\n"})
        mirror = mirrored(lease(str(nf_repository.path), head), home)
        assert (mirror / "HEAD").exists()
    with pytest.raises(GitError, match="has no commit"):
        mirrored(lease(str(nf_repository.path), "f" * 40), home)


def test_a_repository_in_the_sha256_format(nf_repository: NfRepository, tmp_path: Path) -> None:
    """Also where a mirror of the former repository, in SHA-1, is there."""
    home = Home(tmp_path / "home")
    mirrored(lease(str(nf_repository.path), nf_repository.git("rev-parse", "HEAD")), home)
    shutil.rmtree(nf_repository.path / ".git")
    nf_repository.git("init", "-q", "-b", "main", "--object-format=sha256")
    head = nf_repository.commit("first")
    assert len(head) == 64
    mirror = mirrored(lease(str(nf_repository.path), head), home)
    repository = Repository(mirror, tmp_path / "scratch")
    revision = repository.resolve(head)
    repository.export(revision, tmp_path / "exported")
    assert (tmp_path / "exported" / "nalm.toml").exists()
    assert repository.digest(revision, ["nalm.toml"]) is not None


@pytest.mark.parametrize("left", ["HEAD", "refs/heads/main.lock", "objects/maintenance.lock"])
def test_what_a_killed_git_left_is_replaced(nf_repository: NfRepository, tmp_path: Path, left: str) -> None:
    """A killed `git init` leaves HEAD without objects; a killed fetch leaves locks."""
    home = Home(tmp_path / "home")
    git(tmp_path, "init", "--quiet")
    mirror = mirrored(
        lease(str(nf_repository.path), nf_repository.commit("one", **{"work.h": "// one\n"})), home
    )
    if left == "HEAD":
        shutil.rmtree(mirror / "objects")
    else:
        (mirror / left).write_text("")
    head = nf_repository.commit("two", **{"work.h": "// two\n"})
    assert mirrored(lease(str(nf_repository.path), head), home) == mirror
    assert git(mirror, "rev-parse", "main") == head
    assert left == "HEAD" or not (mirror / left).exists()
    assert git(tmp_path, "for-each-ref") == "", "the repository around the mirror was fetched into"


def test_a_commit_is_there_only_with_its_files(
    nf_repository: NfRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fetch that is killed, here by a limit on the size of files, leaves no commit without its files."""
    home = Home(tmp_path / "home")
    mirrored(lease(str(nf_repository.path), nf_repository.commit("one", data="1")), home)
    head = nf_repository.commit("two", data=random.Random(1).randbytes(100_000).hex())
    with monkeypatch.context() as patched:
        limited = ["prlimit", "--fsize=50000"]
        patched.setattr(mirrors, "run", lambda command, **more: run([*limited, *command], **more))
        with pytest.raises(GitError, match="fetch"):
            mirrored(lease(str(nf_repository.path), head), home)
    mirror = mirrored(lease(str(nf_repository.path), head), home)
    assert len(git(mirror, "show", f"{head}:data")) == 200_000


def test_a_mirror_outlives_an_address_that_does_not_answer(
    nf_repository: NfRepository, tmp_path: Path
) -> None:
    home = Home(tmp_path / "home")
    head = nf_repository.commit("one", **{"work.h": "// one\n"})
    mirror = mirrored(lease(str(nf_repository.path), head), home)
    with pytest.raises(GitError, match="fetch"):
        mirrored(lease(str(tmp_path / "gone"), "f" * 40), home)
    assert git(mirror, "rev-parse", "main") == head
    assert [entry.name for entry in mirror.parent.glob("*.new")] == []


def test_a_private_repository_is_read_with_the_agents_netrc(
    nf_repository: NfRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As documented; without it the error names the page that says so."""
    bare = tmp_path / "served" / "nf.git"
    nf_repository.git("clone", "-q", "--bare", ".", str(bare))
    git(bare, "update-server-info")
    head = nf_repository.git("rev-parse", "HEAD")
    expected = "Basic " + base64.b64encode(b"me:secret").decode()

    class Private(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.headers.get("Authorization") == expected:
                super().do_GET()
                return
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:
            """Quiet."""

    user = tmp_path / "user"
    user.mkdir()
    monkeypatch.setenv("HOME", str(user))
    handler = partial(Private, directory=str(bare.parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{http.server_port}/nf.git"
        try:
            with pytest.raises(GitError) as refused:
                mirrored(lease(address, head), Home(tmp_path / "home"))
            (user / ".netrc").write_text("machine 127.0.0.1 login me password secret\n")
            (user / ".netrc").chmod(0o600)
            mirror = mirrored(lease(address, head), Home(tmp_path / "home"))
        finally:
            http.shutdown()
    assert git(mirror, "rev-parse", "main") == head
    page, heading = re.findall(r'(docs/\S+\.md), "(.*)"', refused.value.hint or "")[0]
    assert f"## {heading}\n" in (Path(__file__).parents[3] / page).read_text()


@pytest.mark.parametrize(
    "address", ["ext::touch {made}", "--upload-pack=touch {made};git-upload-pack", "git://127.0.0.1:1/x"]
)
def test_an_address_runs_no_program(tmp_path: Path, address: str) -> None:
    made = tmp_path / "made"
    with pytest.raises(GitError, match="fetch"):
        mirrored(lease(address.format(made=made), "f" * 40), Home(tmp_path / "home"))
    assert not made.exists()


def test_a_commits_name_is_no_option(nf_repository: NfRepository, tmp_path: Path) -> None:
    with pytest.raises(GitError, match="has no commit"):
        mirrored(lease(str(nf_repository.path), "--batch-all-objects"), Home(tmp_path / "home"))


@pytest.fixture
def silent_server() -> Iterator[str]:
    """Accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield address_of(server)


def address_of(server: socket.socket) -> str:
    return f"http://127.0.0.1:{server.getsockname()[1]}/demo.git"


def test_a_server_that_never_answers_ends_in_a_fault_of_the_host(
    silent_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirrors, "GIT_SECONDS", 1.0)
    home = Home(tmp_path)
    with pytest.raises(HostError, match="took longer than"):
        mirrored(lease(silent_server, "f" * 40), home)
    assert not list(home.folder("mirrors").glob("*.git")) and not list(home.folder("mirrors").glob("*.new"))


def test_an_interrupt_ends_a_fetch(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def interrupt() -> None:
            select.select([server], [], [], 60)  # until git waits for an answer; the connection stays open
            stop_all()

        interrupter = threading.Thread(target=interrupt)
        interrupter.start()
        with pytest.raises(GitError, match="failed"):
            mirrored(lease(address_of(server), "f" * 40), Home(tmp_path))
        interrupter.join()


def test_git_gives_up_on_silence(silent_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sooner = tuple(one.replace("Time=60", "Time=1") for one in mirrors.SETTINGS)
    assert sooner != mirrors.SETTINGS
    monkeypatch.setattr(mirrors, "SETTINGS", sooner)
    with pytest.raises(GitError) as error:
        mirrored(lease(silent_server, "f" * 40), Home(tmp_path))
    assert "too slow" in str(error.value.log)


def test_ssh_is_the_users_if_one_is_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.delenv("GIT_SSH_COMMAND", raising=False)
    assert mirrors._online()["GIT_SSH_COMMAND"] == mirrors.SSH
    (tmp_path / "gitconfig").write_text("[core]\nsshCommand = ssh -i key\n")
    assert "GIT_SSH_COMMAND" not in mirrors._online()
    monkeypatch.setenv("GIT_SSH_COMMAND", "ssh -i other")
    assert mirrors._online()["GIT_SSH_COMMAND"] == "ssh -i other"
