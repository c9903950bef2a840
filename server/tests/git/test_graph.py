# SPDX-License-Identifier: Apache-2.0
"""The server reads the commit graph over HTTP from git's own server."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from nalm_server.app.context import make_context
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.settings import Settings
from nalm_server.db.context import Context
from nalm_server.git import graph
from nalm_server.git.branch_filters.models import RepositorySettingsRow
from nalm_server.git.graph import (
    AddressError,
    GraphError,
    NotOfACommitError,
    UnknownRevisionError,
    git,
    mirror,
)
from nalm_server.git.graph.address import protocol, require_revision
from nalm_server_git import Forge, Repo, make_repo, serve
from nalm_server_harness import Clock

ZEROS = "0" * 40


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """SQLite alone: the graph asks it for two fields of one row."""
    return sqlite_url


@pytest.fixture
def context(make_settings: Callable[..., Settings], clock: Clock) -> Iterator[Context]:
    made = make_context(make_settings(), clock)
    yield made
    made.engine.dispose()


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return make_repo(tmp_path / "forge")


@pytest.fixture
def forge(tmp_path: Path) -> Iterator[Forge]:
    with serve(tmp_path / "forge") as served:
        yield served


def add_project(
    context: Context, address: str, *, local: bool = False, credential: str | None = None
) -> ProjectRow:
    with context.sessions() as session:
        row = ProjectRow(
            name="demo",
            repository=address,
            default_branch="main",
            webhook_secret=context.box.seal("secret"),
            created_at=context.clock(),
        )
        session.add(row)
        session.flush()
        session.add(
            RepositorySettingsRow(
                project_id=row.id,
                push_commits="each",
                fork_pull_requests="approve",
                measure_tags=False,
                local=local,
                read_credential=context.box.seal(credential) if credential else None,
                reconcile_failures=0,
            )
        )
        session.commit()
    return row


def mirror_of(context: Context) -> Path:
    (found,) = (context.settings.state_dir / "mirrors").glob("*.git")
    return found


@pytest.mark.parametrize("filtering", ["true", "false"])
def test_first_parents_of_a_history_with_merges(
    context: Context, repo: Repo, forge: Forge, filtering: str
) -> None:
    repo.bare("config", "uploadpack.allowFilter", filtering)
    first = repo.commit("first")
    second = repo.merge("topic", 3)
    third = repo.commit("third\n\nwith a body")
    repo.push()
    project = add_project(context, f"{forge.url}/nf.git")

    found = graph.first_parent(context, project, first, third)

    assert [one.sha for one in found] == [second, third]
    assert [one.parent for one in found] == [first, second]
    assert (found[1].message, found[1].author) == ("third\n\nwith a body", "Mona")
    assert found[1].committed_at is not None
    assert [one.sha for one in graph.first_parent(context, project, None, third)] == [first, second, third]
    assert [one.sha for one in graph.first_parent(context, project, None, third, most=2)] == [second, third]
    assert graph.first_parent(context, project, third, third) == []
    trees = git_in(mirror_of(context), "cat-file", "--batch-check", "--batch-all-objects").count(" tree ")
    assert (trees == 0) is (filtering == "true")


def git_in(mirror: Path, *arguments: str) -> str:
    return Repo(mirror, mirror).bare(*arguments)


def test_what_is_known_is_not_read_again(context: Context, repo: Repo, forge: Forge) -> None:
    first, second = repo.commit("first"), repo.commit("second")
    repo.push()
    project = add_project(context, f"{forge.url}/nf.git")
    graph.first_parent(context, project, first, second)
    requested = len(forge.requested)
    forge.down = True
    assert graph.merge_base(context, project, first, second) == first
    assert len(forge.requested) == requested
    with pytest.raises(GraphError, match="503"):
        graph.first_parent(context, project, second, "1" * 40)


def test_merge_base_and_none(context: Context, repo: Repo, forge: Forge) -> None:
    base = repo.commit("base")
    repo.git("checkout", "--quiet", "-b", "topic")
    topic = repo.commit("topic")
    repo.git("checkout", "--quiet", "main")
    main = repo.commit("main")
    repo.git("checkout", "--quiet", "--orphan", "other")
    other = repo.commit("other")
    repo.push("main", "topic", "other")
    project = add_project(context, f"{forge.url}/nf.git")
    assert graph.merge_base(context, project, topic, main) == base
    assert graph.merge_base(context, project, main, main) == main
    assert graph.merge_base(context, project, main, other) is None


def test_force_push_and_what_it_dropped(context: Context, repo: Repo, forge: Forge) -> None:
    repo.bare("config", "uploadpack.allowFilter", "true")
    repo.bare("config", "uploadpack.allowAnySHA1InWant", "true")
    base, dropped = repo.commit("base"), repo.commit("dropped")
    repo.push()
    repo.git("reset", "--quiet", "--hard", base)
    kept = repo.commit("kept")
    repo.push()
    project = add_project(context, f"{forge.url}/nf.git")
    assert graph.merge_base(context, project, dropped, kept) == base
    assert graph.resolve(context, project, "main") == kept


def test_resolve_asks_the_forge_as_it_is_now(context: Context, repo: Repo, forge: Forge) -> None:
    first = repo.commit("first")
    repo.git("tag", "-a", "v1", "-m", "one")
    repo.push("main", "v1")
    project = add_project(context, f"{forge.url}/nf.git")
    assert graph.resolve(context, project, "v1") == first
    second = repo.commit("second")
    repo.push()
    assert graph.resolve(context, project, "main") == second
    assert graph.resolve(context, project, second[:10]) == second
    assert graph.ls_remote(context, project, "refs/heads/*", "refs/tags/*") == {
        "refs/heads/main": second,
        "refs/tags/v1": first,
    }
    with pytest.raises(UnknownRevisionError, match="v2"):
        graph.resolve(context, project, "v2")
    with pytest.raises(UnknownRevisionError):
        graph.first_parent(context, project, first, "1" * 40)


@pytest.mark.parametrize("any_sha", ["true", "false"])
def test_a_tag_of_a_file_is_there_and_no_commit(
    context: Context, repo: Repo, forge: Forge, any_sha: str
) -> None:
    repo.bare("config", "uploadpack.allowFilter", "true")
    repo.bare("config", "uploadpack.allowAnySHA1InWant", any_sha)
    first = repo.commit("first")
    file = repo.git("rev-parse", "HEAD:nf.c")
    repo.git("tag", "key", file)
    repo.git("tag", "-a", "-m", "key", "annotated", file)
    repo.push("main", "key", "annotated")
    project = add_project(context, f"{forge.url}/nf.git")
    for name in ("key", "annotated"):
        with pytest.raises(NotOfACommitError, match=f"{name}' is not of a commit"):
            graph.resolve(context, project, f"refs/tags/{name}")
    with pytest.raises(UnknownRevisionError, match="does not serve commit"):
        graph.merge_base(context, project, file, first)


@pytest.mark.parametrize("tagged", ["HEAD:nf.c", "HEAD^{tree}"])
def test_a_later_tag_of_a_file_or_directory_does_not_end_the_mirrors_updates(
    context: Context, repo: Repo, forge: Forge, tagged: str
) -> None:
    repo.bare("config", "uploadpack.allowFilter", "true")
    repo.commit("first")
    repo.push()
    project = add_project(context, f"{forge.url}/nf.git")
    graph.fetch(context, project)
    for name in ("one", "two"):
        repo.git("tag", name, tagged)
        second = repo.commit(name)
        repo.push("main", name)
        assert graph.resolve(context, project, "main") == second
        with pytest.raises(NotOfACommitError):
            graph.resolve(context, project, f"refs/tags/{name}")


def test_changed_paths_fetch_the_trees_they_need(context: Context, repo: Repo, forge: Forge) -> None:
    repo.bare("config", "uploadpack.allowFilter", "true")
    repo.bare("config", "uploadpack.allowAnySHA1InWant", "true")
    first = repo.commit("first", "src/a/b/nf.c")
    second = repo.commit("second", "docs/ä\n.md")
    third = repo.commit("third", "src/a/b/nf.c")
    repo.push()
    project = add_project(context, f"{forge.url}/nf.git")
    assert graph.changed_paths(context, project, first, second) == ["docs/ä\n.md"]
    assert sorted(graph.changed_paths(context, project, first, third)) == ["docs/ä\n.md", "src/a/b/nf.c"]
    blobs = git_in(mirror_of(context), "cat-file", "--batch-check", "--batch-all-objects").count(" blob ")
    assert blobs == 0


def test_token_is_sent_to_its_host_and_seen_nowhere(
    context: Context, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sha = repo.commit("first")
    repo.push()
    commands: list[list[str]] = []
    real = git.subprocess.Popen

    def noted(command: list[str], **options: object) -> object:
        commands.append(command)
        return real(command, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(git.subprocess, "Popen", noted)
    with serve(tmp_path / "forge", ("reader", "t0ken")) as forge:
        project = add_project(context, f"{forge.url}/nf.git", credential="reader:t0ken")
        assert [one.sha for one in graph.first_parent(context, project, None, sha)] == [sha]
        forge.credential = ("reader", "another")
        with pytest.raises(GraphError):
            graph.fetch(context, project)
    assert commands and not any("t0ken" in part for command in commands for part in command)
    config = (mirror_of(context) / "config").read_text()
    assert "t0ken" not in config and "127.0.0.1" not in config


def test_sha256_repository(context: Context, tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "forge", "sha256")
    first, second = repo.commit("first"), repo.commit("second")
    repo.push()
    project = add_project(context, str(repo.path), local=True)
    assert len(second) == 64
    assert [one.sha for one in graph.first_parent(context, project, first, second)] == [second]


def test_repository_that_is_empty_before_its_first_sha256_commit(context: Context, tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "forge", "sha256")
    project = add_project(context, str(repo.path), local=True)
    graph.fetch(context, project)
    sha = repo.commit("first")
    repo.push()
    graph.fetch(context, project)
    assert [one.sha for one in graph.first_parent(context, project, None, sha)] == [sha]


def test_repository_that_changes_its_format(context: Context, repo: Repo, tmp_path: Path) -> None:
    repo.commit("first")
    repo.push()
    project = add_project(context, str(repo.path), local=True)
    graph.fetch(context, project)
    shutil.rmtree(tmp_path / "forge")
    converted = make_repo(tmp_path / "forge", "sha256")
    converted.commit("first")
    converted.push()
    with pytest.raises(AddressError, match="add it as a new project"):
        graph.fetch(context, project)


def test_path_is_read_only_when_added_on_this_host(context: Context, repo: Repo) -> None:
    sha = repo.commit("first")
    repo.push()
    with pytest.raises(AddressError, match="on the server's host"):
        graph.first_parent(context, add_project(context, str(repo.path)), None, sha)


@pytest.mark.parametrize(
    "address",
    [
        "--upload-pack=touch /tmp/x", "-oProxyCommand=x", "ext::sh -c x", "https://u:p@example.org/x",
        "ftp://a/b", "git://example.org/x", "ssh://-oProxyCommand=x/y", "-x@host:path", "host:-x",
        "https://example.org/a b", "https://example.org", "fd::3", "ssh://host/-x", "host:--upload-pack",
        "relative/path", "https://-x/y",
    ],
)  # fmt: skip
def test_addresses_that_git_could_misread(address: str) -> None:
    with pytest.raises(AddressError):
        protocol(address, local=True)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://example.org/a/b.git", "https"), ("http://[::1]:3000/a", "http"), ("/srv/nf.git", "file"),
        ("ssh://git@example.org:2222/a/b.git", "ssh"), ("git@example.org:a/b.git", "ssh"),
        ("file:///srv/a", "file"),
    ],
)  # fmt: skip
def test_addresses_that_are_read(address: str, expected: str) -> None:
    assert protocol(address, local=True) == expected


@pytest.mark.parametrize(
    "revision", ["--all", "-x", "a..b", "HEAD~1", "a^", "a:b", "@{u}", "a b", "", "x" * 300]
)
def test_revisions_that_git_could_misread(revision: str) -> None:
    with pytest.raises(UnknownRevisionError):
        require_revision(revision)


def test_limits_of_time_and_size(context: Context, repo: Repo, forge: Forge) -> None:
    (repo.work / "big").write_bytes(os.urandom(3 << 20))
    repo.git("add", "big")
    sha = repo.commit("first")
    repo.push()
    small = replace(context, settings=context.settings.model_copy(update={"mirror_bytes": 1 << 20}))
    project = add_project(context, f"{forge.url}/nf.git")
    with pytest.raises(GraphError, match="NALM_MIRROR_BYTES"):
        graph.first_parent(small, project, None, sha)
    hasty = replace(context, settings=context.settings.model_copy(update={"git_seconds": 0.001}))
    with pytest.raises(GraphError, match="NALM_GIT_SECONDS"):
        graph.fetch(hasty, project)
    assert [one.sha for one in graph.first_parent(context, project, None, sha)] == [sha]


@pytest.mark.parametrize("left", ["refs/heads/main.lock", "refs/heads/main", "HEAD"])
def test_an_empty_file_of_a_git_that_was_killed(
    context: Context, repo: Repo, forge: Forge, left: str
) -> None:
    """A lock, or what a loss of power leaves of a file that was just written."""
    first = repo.commit("first")
    repo.push()
    project = add_project(context, f"{forge.url}/nf.git")
    graph.fetch(context, project)
    (mirror_of(context) / left).write_bytes(b"")
    second = repo.commit("second")
    repo.push()
    graph.fetch(context, project)
    assert [one.sha for one in graph.first_parent(context, project, first, second)] == [second]
    assert git_in(mirror_of(context), "rev-parse", "refs/heads/main").strip() == second


def test_a_git_that_outlives_the_server_holds_the_lock(tmp_path: Path) -> None:
    fifo, path = tmp_path / "fifo", tmp_path / "lock"
    os.mkfifo(fifo)
    lock, another = (os.open(path, os.O_RDWR | os.O_CREAT) for _ in range(2))
    fcntl.flock(lock, fcntl.LOCK_EX)
    command = ["-c", f"alias.wait=!read line <{fifo}", "wait"]
    given = git.Repository(0, str(tmp_path), local=True, credential=None), git.Limits(60, 1 << 20), command
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(git.run, *given, online=True, mirror=None, lock=lock)
        with fifo.open("w") as waits:
            os.close(lock)  # as the kernel does for a process that is killed
            with pytest.raises(BlockingIOError):
                fcntl.flock(another, fcntl.LOCK_EX | fcntl.LOCK_NB)
            waits.write("\n")
        running.result()
    fcntl.flock(another, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(another)


def test_packs_of_killed_fetches_do_not_add_up(context: Context, repo: Repo, forge: Forge) -> None:
    repo.commit("first")
    repo.push()
    project = add_project(context, f"{forge.url}/nf.git")
    graph.fetch(context, project)
    packs = mirror_of(context) / "objects" / "pack"
    written, packed, writing = (packs / one for one in ("tmp_pack_killed", ".tmp-7-pack-a", "tmp_pack_new"))
    for path in (written, packed, writing):
        path.write_bytes(b"PACK")
    for path in (written, packed):
        os.utime(path, (0, 0))
    graph.fetch(context, project)
    assert (written.exists(), packed.exists(), writing.exists()) == (False, False, True)


@pytest.mark.nightly
@pytest.mark.parametrize("filtering", ["true", "false"])
def test_a_mirror_of_many_fetches_has_few_packs_and_every_commit(
    context: Context, repo: Repo, forge: Forge, monkeypatch: pytest.MonkeyPatch, filtering: str
) -> None:
    monkeypatch.setattr(mirror, "MOST_PACKS", 3)
    repo.bare("config", "uploadpack.allowFilter", filtering)
    first, dropped = repo.commit("first"), repo.commit("dropped")
    repo.push()
    project = add_project(context, f"{forge.url}/nf.git")
    graph.fetch(context, project)
    repo.git("reset", "--quiet", "--hard", first)
    for number in range(6):
        last = repo.commit(f"commit {number}")
        repo.push()
        graph.fetch(context, project)
        assert len([*(mirror_of(context) / "objects" / "pack").glob("*.pack")]) <= mirror.MOST_PACKS
    requested = len(forge.requested)
    assert graph.merge_base(context, project, dropped, last) == first
    assert len(forge.requested) == requested
    assert git_in(mirror_of(context), "fsck", "--no-dangling") == ""


def test_a_mirror_that_cannot_be_packed_is_read_as_it_is(
    context: Context, repo: Repo, forge: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit("first")
    repo.push()
    project = add_project(context, f"{forge.url}/nf.git")
    graph.fetch(context, project)
    monkeypatch.setattr(mirror, "MOST_PACKS", 0)
    monkeypatch.setattr(git, "run", refusing("repack"))
    second = repo.commit("second")
    repo.push()
    assert graph.resolve(context, project, "main") == second


def refusing(command: str) -> Callable[..., str]:
    run = git.run

    def refuse(*given: Any, **more: Any) -> str:
        if command in given[2]:
            raise GraphError(f"git {command}: no space left on device")
        return run(*given, **more)

    return refuse


def test_many_at_once_make_one_mirror(context: Context, repo: Repo, forge: Forge) -> None:
    shas = [repo.commit(f"commit {number}") for number in range(4)]
    repo.push()
    project = add_project(context, f"{forge.url}/nf.git")
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda _: graph.first_parent(context, project, None, shas[-1]), range(6)))
    assert all([one.sha for one in commits] == shas for commits in found)
    assert mirror_of(context).is_dir()
