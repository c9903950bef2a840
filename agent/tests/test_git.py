# SPDX-License-Identifier: Apache-2.0
"""Revisions and exports of a real repository, which stays as it was."""

from __future__ import annotations

from pathlib import Path

import pytest
from nalm_agent.errors import GitError
from nalm_agent.git import Repository
from tiny import NfRepository


def opened(nf: NfRepository, tmp_path: Path) -> Repository:
    scratch = tmp_path / "scratch"
    scratch.mkdir(exist_ok=True)
    return Repository(nf.path, scratch)


def snapshot_of(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_clean_worktree_is_head(nf_repository: NfRepository, tmp_path: Path) -> None:
    repository = opened(nf_repository, tmp_path)
    assert repository.resolve("worktree") == repository.resolve("HEAD")


def test_worktree_has_edits_and_new_files_but_nothing_ignored(
    nf_repository: NfRepository, tmp_path: Path
) -> None:
    nf_repository.commit("ignore", **{".gitignore": "*.o\n"})
    before = snapshot_of(nf_repository.path / ".git")
    nf_repository.write("work.h", "#define ALPHA_WORK 50\n")
    nf_repository.write("new.h", "new\n")
    nf_repository.write("made.o", "object\n")
    repository = opened(nf_repository, tmp_path)
    revision = repository.resolve("worktree")
    repository.export(revision, tmp_path / "out")
    assert revision.dirty
    assert (tmp_path / "out" / "work.h").read_text() == "#define ALPHA_WORK 50\n"
    assert (tmp_path / "out" / "new.h").exists()
    assert not (tmp_path / "out" / "made.o").exists()
    assert not (tmp_path / "out" / ".git").exists()
    assert snapshot_of(nf_repository.path / ".git") == before


def test_read_and_digest(nf_repository: NfRepository, tmp_path: Path) -> None:
    repository = opened(nf_repository, tmp_path)
    first = repository.resolve("HEAD")
    nf_repository.commit("docs", README__md="other\n")
    second = repository.resolve("HEAD")
    assert repository.read(second, "README.md") == "other\n"
    assert repository.read(second, "absent") is None
    assert repository.digest(first, ["."]) != repository.digest(second, ["."])
    assert repository.digest(first, ["work.h", "traffic"]) == repository.digest(
        second, ["traffic/", "work.h"]
    )
    assert repository.digest(second, ["absent"]) is None


def test_base_is_the_merge_base_on_a_branch(nf_repository: NfRepository, tmp_path: Path) -> None:
    fork = nf_repository.git("rev-parse", "HEAD")
    nf_repository.git("checkout", "-q", "-b", "feature")
    nf_repository.commit("one", work__h="//1\n")
    nf_repository.commit("two", work__h="//2\n")
    nf_repository.git("checkout", "-q", "main")
    nf_repository.commit("main moves", README__md="moved\n")
    nf_repository.git("checkout", "-q", "feature")
    repository = opened(nf_repository, tmp_path)
    choice = repository.choose_base(repository.resolve("worktree"))
    assert (choice.revision.commit, choice.why) == (fork, "merge base with main")


def test_base_on_main(nf_repository: NfRepository, tmp_path: Path) -> None:
    first = nf_repository.git("rev-parse", "HEAD")
    second = nf_repository.commit("second", work__h="//2\n")
    repository = opened(nf_repository, tmp_path)
    assert repository.choose_base(repository.resolve("worktree")).revision.commit == first
    nf_repository.write("work.h", "//3\n")
    choice = repository.choose_base(repository.resolve("worktree"))
    assert (choice.revision.commit, choice.why) == (second, "HEAD, the commit under the working tree")


def test_range_is_the_first_parent_line(nf_repository: NfRepository, tmp_path: Path) -> None:
    start = nf_repository.git("rev-parse", "HEAD")
    nf_repository.git("checkout", "-q", "-b", "side")
    nf_repository.commit("on the side", work__h="//1\n")
    nf_repository.git("checkout", "-q", "main")
    nf_repository.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    merge = nf_repository.git("rev-parse", "HEAD")
    repository = opened(nf_repository, tmp_path)
    assert [one.commit for one in repository.expand(f"{start}..main")] == [merge]


def test_no_parent_and_no_commit(nf_repository: NfRepository, tmp_path: Path) -> None:
    repository = opened(nf_repository, tmp_path)
    with pytest.raises(GitError, match="has no parent"):
        repository.choose_base(repository.resolve("HEAD"))
    with pytest.raises(GitError, match="no commit named 'nope'"):
        repository.resolve("nope")


def test_bare_mirror_has_no_worktree(nf_repository: NfRepository, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    nf_repository.git("clone", "-q", "--bare", str(nf_repository.path), str(bare))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    repository = Repository(bare, scratch)
    repository.export(repository.resolve("main"), tmp_path / "out")
    assert (tmp_path / "out" / "tiny_nf.c").exists()
