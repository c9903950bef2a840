# SPDX-License-Identifier: Apache-2.0
"""Revisions and exports of a real repository, which stays as it was."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from nalm_agent.runtime.errors import GitError
from nalm_agent.source.git import WORKTREE, Repository, fetch_hint
from nalm_agent.source.lfs import require_content
from tiny import NfRepository


def opened(nf: NfRepository, tmp_path: Path) -> Repository:
    scratch = tmp_path / "scratch"
    scratch.mkdir(exist_ok=True)
    return Repository(nf.path, scratch)


def snapshot_of(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("command", ["cat-file", "ls-tree"])
def test_a_git_that_is_killed_gives_no_answer(
    nf_repository: NfRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """Such as: there is no such file, or: the tree has no submodules."""
    git = tmp_path / "bin" / "git"
    git.parent.mkdir()
    git.write_text(
        f'#!/bin/sh\ncase " $* " in *" {command} "*) kill -9 $$ ;; esac\nexec {shutil.which("git")} "$@"\n'
    )
    git.chmod(0o755)
    head = opened(nf_repository, tmp_path).resolve("HEAD")
    monkeypatch.setenv("PATH", f"{git.parent}:{os.environ['PATH']}")
    repository = opened(nf_repository, tmp_path)
    with pytest.raises(GitError, match=f"git {command} was ended by signal 9"):
        if command == "cat-file":
            repository.read(head, "nalm.toml")
        else:
            repository.export(head, tmp_path / "out")


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


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_worktree_has_edits_that_the_index_hides(
    nf_repository: NfRepository, tmp_path: Path, flag: str
) -> None:
    for name in ("work.h", "README.md"):
        nf_repository.git("update-index", flag, name)
    nf_repository.write("work.h", "#define ALPHA_WORK 1\n")
    index = (nf_repository.path / ".git/index").read_bytes()
    repository = Repository(nf_repository.path, tmp_path / "scratch")
    revision = repository.resolve("worktree")
    assert revision.dirty and repository.read(revision, "work.h") == "#define ALPHA_WORK 1\n"
    assert (nf_repository.path / ".git/index").read_bytes() == index


def test_a_file_that_a_sparse_checkout_leaves_out_is_no_edit(
    nf_repository: NfRepository, tmp_path: Path
) -> None:
    nf_repository.git("sparse-checkout", "set", "--no-cone", "/*", "!README.md")
    assert not (nf_repository.path / "README.md").exists()
    repository = Repository(nf_repository.path, tmp_path / "scratch")
    assert repository.resolve("worktree") == repository.resolve("HEAD")


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


def test_a_branch_that_was_the_default_once_is_no_base(nf_repository: NfRepository, tmp_path: Path) -> None:
    nf_repository.git("branch", "master")
    second = nf_repository.commit("second", work__h="//2\n")
    nf_repository.commit("third", work__h="//3\n")
    repository = opened(nf_repository, tmp_path)
    assert repository.choose_base(repository.resolve("HEAD")).revision.commit == second


def test_the_default_branch_of_origin_is_the_base(nf_repository: NfRepository, tmp_path: Path) -> None:
    """Another branch of a usual name is not."""
    fork = nf_repository.commit("second", work__h="//2\n")
    nf_repository.git("checkout", "-q", "-b", "develop")
    nf_repository.commit("third", work__h="//3\n")
    tip = nf_repository.commit("fourth", work__h="//4\n")
    nf_repository.git("update-ref", "refs/remotes/origin/main", fork)
    nf_repository.git("update-ref", "refs/remotes/origin/develop", tip)
    nf_repository.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop")
    repository = opened(nf_repository, tmp_path)
    assert repository.choose_base(repository.resolve("HEAD")).why == "the commit before HEAD"
    nf_repository.git("checkout", "-q", "-b", "feature")
    nf_repository.commit("mine", work__h="//5\n")
    choice = repository.choose_base(repository.resolve("HEAD"))
    assert (choice.revision.commit, choice.why) == (tip, "merge base with origin/develop")


def test_signatures_that_git_shows_are_no_part_of_a_commit(
    nf_repository: NfRepository, tmp_path: Path
) -> None:
    tree = nf_repository.git("rev-parse", "HEAD^{tree}")
    written = subprocess.run(
        ["git", "cat-file", "commit", "HEAD"], cwd=nf_repository.path, capture_output=True, check=True
    ).stdout
    signature = b"\ngpgsig -----BEGIN SSH SIGNATURE-----\n AAAA\n -----END SSH SIGNATURE-----\n\n"
    signed = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin"],
        cwd=nf_repository.path,
        input=written.replace(b"\n\n", signature, 1),
        capture_output=True,
        check=True,
    ).stdout.decode()
    nf_repository.git("config", "log.showSignature", "true")
    assert nf_repository.git("show", "-s", "--format=%T", signed.strip()) != tree
    assert opened(nf_repository, tmp_path).resolve(signed.strip()).tree == tree


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_repository_of_another_user(
    nf_repository: NfRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container of a CI, which has no configuration of git or has it in variables."""
    os.chown(nf_repository.path, 65534, 65534)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    with pytest.raises(GitError, match="reads no repository of another user") as refused:
        opened(nf_repository, tmp_path)
    assert f"--add safe.directory {nf_repository.path}" in str(refused.value.hint)
    for name, value in (("COUNT", "1"), ("KEY_0", "safe.directory"), ("VALUE_0", "*")):
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    assert opened(nf_repository, tmp_path).resolve("HEAD").subject


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


def shallow(nf: NfRepository, to: Path, *options: str) -> NfRepository:
    nf.git("clone", "-q", "--depth=1", *options, f"file://{nf.path}", str(to))
    return NfRepository(to)


def test_shallow_clone_without_the_parent(nf_repository: NfRepository, tmp_path: Path) -> None:
    first = nf_repository.git("rev-parse", "HEAD")
    nf_repository.commit("second", work__h="//2\n")
    clone = shallow(nf_repository, tmp_path / "clone")
    repository = opened(clone, tmp_path)
    assert repository.shallow
    with pytest.raises(GitError, match=r"the parent of .* is not in this shallow clone") as caught:
        repository.choose_base(repository.resolve("HEAD"))
    assert "git fetch --deepen=1" in (caught.value.hint or "")
    with pytest.raises(GitError, match="which is a shallow clone") as caught:
        repository.resolve(first)
    assert f"git fetch --depth=1 origin {first}" in (caught.value.hint or "")
    clone.git("fetch", "-q", "--deepen=1")
    assert repository.choose_base(repository.resolve("HEAD")).revision.commit == first
    root = repository.resolve(first)
    assert repository.parent(root) is None


def test_shallow_clone_without_the_merge_base(nf_repository: NfRepository, tmp_path: Path) -> None:
    fork = nf_repository.git("rev-parse", "HEAD")
    nf_repository.git("checkout", "-q", "-b", "feature")
    nf_repository.commit("one", work__h="//1\n")
    nf_repository.git("checkout", "-q", "main")
    nf_repository.commit("main moves", README__md="moved\n")
    clone = shallow(nf_repository, tmp_path / "clone", "--no-single-branch", "-b", "feature")
    repository = opened(clone, tmp_path)
    with pytest.raises(GitError, match="no common commit in this shallow clone") as caught:
        repository.choose_base(repository.resolve("HEAD"))
    assert "--unshallow" in (caught.value.hint or "")
    clone.git("fetch", "-q", "--unshallow")
    assert repository.choose_base(repository.resolve("HEAD")).revision.commit == fork


@pytest.fixture
def with_submodules(nf_repository: NfRepository, tmp_path: Path) -> NfRepository:
    """lib/tables in the NF, and hash in that."""
    below = None
    for name, inner in (("hash", None), ("tables", "hash")):
        below = NfRepository(tmp_path / name)
        below.path.mkdir()
        below.git("init", "-q", "-b", "main")
        if inner:
            below.git(*ALLOWED, "submodule", "--quiet", "add", str(tmp_path / inner), inner)
        below.commit(name, **{f"{name}__h": f"/* {name} */\n"})
    nf_repository.git(*ALLOWED, "submodule", "--quiet", "add", str(tmp_path / "tables"), "lib/tables")
    nf_repository.git(*ALLOWED, "submodule", "--quiet", "update", "--init", "--recursive")
    nf_repository.commit("with tables")
    return nf_repository


ALLOWED = ("-c", "protocol.file.allow=always")


def test_submodules_are_exported(with_submodules: NfRepository, tmp_path: Path) -> None:
    repository = opened(with_submodules, tmp_path)
    repository.export(repository.resolve("worktree"), tmp_path / "out")
    assert (tmp_path / "out" / "lib" / "tables" / "tables.h").read_text() == "/* tables */\n"
    assert (tmp_path / "out" / "lib" / "tables" / "hash" / "hash.h").read_text() == "/* hash */\n"
    assert not list((tmp_path / "out").rglob(".git"))


def test_a_submodule_at_another_commit(with_submodules: NfRepository, tmp_path: Path) -> None:
    before = opened(with_submodules, tmp_path).resolve("HEAD")
    inside = NfRepository(with_submodules.path / "lib" / "tables")
    inside.commit("newer", tables__h="/* newer */\n")
    repository = opened(with_submodules, tmp_path)
    worktree = repository.resolve("worktree")
    assert worktree.dirty
    assert repository.digest(before, ["lib"]) != repository.digest(worktree, ["lib"])
    for revision, text in ((before, "/* tables */\n"), (worktree, "/* newer */\n")):
        repository.export(revision, tmp_path / revision.tree)
        assert (tmp_path / revision.tree / "lib" / "tables" / "tables.h").read_text() == text
    inside.write("tables.h", "/* not committed */\n")
    with pytest.raises(GitError, match=r"submodule lib/tables of .* has changes that are not committed"):
        repository.resolve("worktree")


def test_submodules_that_are_missing(with_submodules: NfRepository, tmp_path: Path) -> None:
    clone = NfRepository(tmp_path / "clone")
    with_submodules.git("clone", "-q", str(with_submodules.path), str(clone.path))
    repository = opened(clone, tmp_path)
    with pytest.raises(GitError, match=r"submodule lib/tables of .* is not in this clone") as caught:
        repository.export(repository.resolve("HEAD"), tmp_path / "out1")
    assert "git submodule update --init --recursive" in (caught.value.hint or "")
    clone.git(*ALLOWED, "submodule", "--quiet", "update", "--init")
    with pytest.raises(GitError, match=r"submodule lib/tables/hash of .* is not in this clone"):
        repository.export(repository.resolve("HEAD"), tmp_path / "out2")
    clone.git(*ALLOWED, "submodule", "--quiet", "update", "--init", "--recursive")
    NfRepository(tmp_path / "tables").commit("newest", tables__h="/* newest */\n")
    newest = NfRepository(tmp_path / "tables").git("rev-parse", "HEAD")
    clone.git("update-index", "--cacheinfo", f"160000,{newest},lib/tables")
    clone.git("commit", "-q", "-m", "ahead of its submodule")
    with pytest.raises(GitError, match=rf"submodule lib/tables of .* lacks commit {newest[:7]}"):
        repository.export(repository.resolve("HEAD"), tmp_path / "out3")


def test_a_submodule_with_a_repository_in_its_place(with_submodules: NfRepository, tmp_path: Path) -> None:
    """As `git clone` into the place and `git submodule add` of what is there leave it."""
    inside = with_submodules.path / "lib/tables"
    module = with_submodules.path / ".git/modules/lib/tables"
    for config in (module / "config", module / "modules/hash/config"):
        with_submodules.git("config", "--file", str(config), "--unset", "core.worktree")
    (inside / ".git").unlink()
    module.rename(inside / ".git")
    repository = opened(with_submodules, tmp_path)
    repository.export(repository.resolve("HEAD"), tmp_path / "out")
    assert (tmp_path / "out/lib/tables/tables.h").read_text() == "/* tables */\n"
    assert (tmp_path / "out/lib/tables/hash/hash.h").read_text() == "/* hash */\n"


def test_untracked_repositories_are_left_out(nf_repository: NfRepository, tmp_path: Path) -> None:
    nf_repository.git("worktree", "add", "-q", "-b", "other", "own worktree")
    nf_repository.git("clone", "-q", ".", "deep/clone")
    nf_repository.git("init", "-q", "[empty]")
    nf_repository.write("[empty]/file", "")
    nf_repository.write("ignored/x", "")
    nf_repository.git("clone", "-q", ".", "ignored/clone")
    nf_repository.write(".gitignore", "ignored\n")
    nf_repository.git("add", ".gitignore")
    nf_repository.git("commit", "-q", "-m", "ignore")
    repository = opened(nf_repository, tmp_path)
    clean = repository.resolve("worktree")
    assert not clean.dirty and clean == repository.resolve("HEAD")
    assert clean.left_out == ("[empty]", "deep/clone", "own worktree")
    assert clean.note is not None and "deep/clone" in clean.note
    nf_repository.write("work.h", "// edited\n")
    edited = repository.resolve("worktree")
    repository.export(edited, tmp_path / "out")
    assert edited.dirty and (tmp_path / "out/work.h").read_text() == "// edited\n"
    assert not (tmp_path / "out/deep").exists() and not (tmp_path / "out/own worktree").exists()


def test_lfs_pointer(tmp_path: Path) -> None:
    capture = tmp_path / "mixed.pcap"
    capture.write_bytes(b"\xd4\xc3\xb2\xa1 packets")
    require_content(capture, "traffic/mixed.pcap")
    capture.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n")
    with pytest.raises(GitError, match=r"traffic/mixed\.pcap is a Git LFS pointer") as caught:
        require_content(capture, "traffic/mixed.pcap")
    assert "git lfs pull" in (caught.value.hint or "")


def test_a_repository_without_a_commit(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path / "new"], check=True)
    with pytest.raises(GitError, match="has no commit yet"):
        Repository(tmp_path / "new", tmp_path / "scratch").resolve(WORKTREE)


def test_a_submodules_name_leads_nowhere_else(with_submodules: NfRepository, tmp_path: Path) -> None:
    """Its commit is there, under the name that .gitmodules gives it: in a repository beside this one."""
    elsewhere = tmp_path / "tables" / ".git"
    for name in (str(elsewhere), f"../../../{elsewhere.relative_to(tmp_path)}"):
        modules = f'[submodule "{name}"]\n\tpath = lib/tables\n\turl = ../tables\n'
        with_submodules.write(".gitmodules", modules)
        with_submodules.git("commit", "-q", "-a", "-m", "of another name")
        repository = opened(with_submodules, tmp_path)
        with pytest.raises(GitError, match=r"is not in its \.gitmodules"):
            repository.export(repository.resolve("HEAD"), tmp_path / "out")


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("HEAD~1", "git fetch --deepen=1"),
        ("HEAD~2^", "git fetch --deepen=3"),
        ("main^^", "git fetch --deepen=2"),
        ("origin/side", "git fetch --depth=1 origin side:refs/remotes/origin/side"),
        ("v1.0", "git fetch --depth=1 origin v1.0:v1.0"),
        ("0" * 40, f"git fetch --depth=1 origin {'0' * 40}"),
        ("HEAD@{1}", "git fetch --unshallow"),
    ],
)
def test_a_shallow_clone_gets_a_command_that_git_knows(name: str, first: str) -> None:
    assert fetch_hint(name).startswith(f"`{first}`")


@pytest.mark.parametrize("name", ["HEAD~2", "side", "origin/side", "v1.0"])
def test_the_reported_command_brings_the_commit(
    nf_repository: NfRepository, tmp_path: Path, name: str
) -> None:
    """By the name that was asked for."""
    nf_repository.git("branch", "side")
    nf_repository.git("tag", "v1.0")
    for number in range(3):
        nf_repository.commit(f"more {number}", more__txt=str(number))
    nf_repository.git("clone", "-q", "--depth=1", f"file://{nf_repository.path}", str(tmp_path / "clone"))
    clone = NfRepository(tmp_path / "clone")
    reported = fetch_hint(name).split("`")[1].removeprefix("git ").split()
    clone.git(*reported)
    assert clone.git("rev-parse", name) == nf_repository.git("rev-parse", name.removeprefix("origin/"))


def test_nalm_toml_behind_a_link_is_read(nf_repository: NfRepository, tmp_path: Path) -> None:
    text = (nf_repository.path / "nalm.toml").read_text()
    (nf_repository.path / "ci").mkdir()
    (nf_repository.path / "nalm.toml").rename(nf_repository.path / "ci/nalm.toml")
    (nf_repository.path / "nalm.toml").symlink_to("ci/nalm.toml")
    repository = opened(nf_repository, tmp_path)
    head = repository.resolve("worktree")
    assert repository.read(head, "nalm.toml") == text
    assert repository.read(head, "ci") is None and repository.read(head, "absent") is None


@pytest.mark.parametrize("name", ["a:b", 'quo"te', "back\\slash", " blanks "])
def test_paths_with_any_sign(nf_repository: NfRepository, tmp_path: Path, name: str) -> None:
    moved = NfRepository(nf_repository.path.rename(tmp_path / f"nf{name}"))
    moved.write("work.h", "// edited\n")
    repository = Repository(moved.path, tmp_path / f"scratch{name}")
    edited = repository.resolve("worktree")
    assert repository.root == moved.path and edited.dirty
    assert repository.read(edited, "work.h") == "// edited\n"


def test_a_split_index_and_hooks_of_the_repository(nf_repository: NfRepository, tmp_path: Path) -> None:
    nf_repository.git("config", "core.splitIndex", "true")
    nf_repository.git("update-index", "--split-index")
    hook = nf_repository.path / ".git/hooks/post-index-change"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    nf_repository.write("work.h", "// edited\n")
    before = snapshot_of(nf_repository.path / ".git")
    repository = opened(nf_repository, tmp_path)
    edited = repository.resolve("worktree")
    repository.export(edited, tmp_path / "out")
    assert (tmp_path / "out/work.h").read_text() == "// edited\n"
    assert snapshot_of(nf_repository.path / ".git") == before
    assert not (tmp_path / "ran").exists()
    assert repository.hooks() == nf_repository.path / ".git/hooks"


def test_a_repository_that_was_removed(nf_repository: NfRepository, tmp_path: Path) -> None:
    repository = opened(nf_repository, tmp_path)
    nf_repository.path.rename(tmp_path / "elsewhere")
    with pytest.raises(GitError, match=r"nf was removed"):
        repository.resolve("HEAD")
