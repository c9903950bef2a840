# SPDX-License-Identifier: Apache-2.0
"""A build reads what [build] paths names, so that no other file decides what it makes."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from building import Builder
from nalm_agent.build.commands import first_complaint
from nalm_agent.build.readable_source import hint_of_refused, make_unreadable
from nalm_agent.runtime.errors import BuildError
from nalm_agent.source.git import Repository
from tiny import NfRepository

HIDDEN = frozenset({"lib/shared.h", "Cargo.toml", "tests/test_nf.c", "third"})


@pytest.fixture
def builder(nf_repository: NfRepository, tmp_path: Path) -> Builder:
    return Builder(nf_repository, tmp_path)


@pytest.fixture
def repository(nf_repository: NfRepository, tmp_path: Path) -> Repository:
    scratch = tmp_path / "reading"
    scratch.mkdir()
    return Repository(nf_repository.path, scratch)


def test_a_build_fails_that_reads_another_file(builder: Builder) -> None:
    builder.repository.write("lib/shared.h", "#define SHARED 1\n")
    with pytest.raises(BuildError) as failed:
        builder.script('echo "#include <lib/shared.h>" | gcc -I. -xc -E - >$1/out')
    assert "lib/shared.h: Permission denied" in failed.value.message
    assert failed.value.hint is not None
    assert failed.value.hint.startswith(
        "a build reads only what [build] paths of nalm.toml names: add lib/shared.h"
    )


def test_other_files_exist_without_their_content(builder: Builder) -> None:
    builder.repository.write("tests/test_nf.c", "int secret;\n")
    built = builder.script(
        "[ -f tests/test_nf.c ] && [ ! -s tests/test_nf.c ]; ! cat nalm.toml; wc -l tiny_nf.c"
    )
    log = builder.log(built)
    assert "nalm.toml: Permission denied" in log
    assert "tiny_nf.c" in log
    assert (built.source / "tests/test_nf.c").read_text() == "int secret;\n"  # for runs
    assert not (built.directory.parent / "source").exists()


@pytest.mark.usefixtures("enterable")
def test_in_place_builds_read_the_same(builder: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NALM_ISOLATION", "none")
    built = builder.script("test -s tiny_nf.c; test -f nalm.toml; ! cat nalm.toml")
    assert "nalm.toml: Permission denied" in builder.log(built)


def test_a_build_that_could_read_more_is_not_used(builder: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    built = builder.script("true")
    monkeypatch.setattr("nalm_agent.build.build.are_whole", lambda _: True)
    assert builder.again().build.tree != built.build.tree


@pytest.mark.parametrize(
    ("paths", "left"),
    [
        (["."], []),
        (["./"], []),
        (["src", "."], []),
        (["src"], [".github/ci.yml", "README", "srcs/b.c"]),
        (["./src/", ".github"], ["README", "srcs/b.c"]),
        (["src/a.c", "srcs"], [".github/ci.yml", "README", "src/link"]),
    ],
)
def test_files_outside_paths(
    nf_repository: NfRepository, repository: Repository, paths: list[str], left: list[str]
) -> None:
    path = nf_repository.path
    nf_repository.git("rm", "-rq", ".")
    for name in ("src/a.c", "srcs/b.c", ".github/ci.yml", "README"):
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(name)
    (path / "src/link").symlink_to("../README")
    nf_repository.git("add", "-A")
    nf_repository.git("commit", "-qm", "files")
    assert sorted(repository.outside(repository.resolve("HEAD"), paths)) == left


def test_links_and_submodules_outside_are_empty(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "third").mkdir(parents=True)
    (source / "third" / "code.c").write_text("int a;")
    (source / "kept.c").write_text("int b;")
    (source / "link").symlink_to("kept.c")
    (source / "test.sh").write_text("true")
    make_unreadable(source, {"third", "link", "test.sh"})
    assert sorted(path.name for path in source.rglob("*")) == ["kept.c", "link", "test.sh", "third"]
    assert {(source / name).lstat().st_mode for name in ("link", "test.sh")} == {stat.S_IFREG | 0o111}
    assert (source / "test.sh").stat().st_size == 0
    assert (source / "kept.c").read_text() == "int b;"


@pytest.mark.parametrize(
    ("output", "named"),
    [
        ("nf.c:3:10: fatal error: shared.h: Permission denied", "lib/shared.h"),
        ("cat: ../lib/shared.h: Permission denied", "lib/shared.h"),
        ("PermissionError: [Errno 13] Permission denied: '/nalm/source/lib/shared.h'", "lib/shared.h"),
        ("error: failed to read `/nalm/source/Cargo.toml`\n  Permission denied (os error 13)", "Cargo.toml"),
        ("open /home/x/source/tests/test_nf.c: permission denied", "tests/test_nf.c"),
        ("meson.build:1:0: ERROR: Program '/nalm/source/lib/shared.h' not found", "lib/shared.h"),
        ("shared.h: Permission denied\ncat: Cargo.toml: Permission denied", "Cargo.toml, lib/shared.h"),
    ],
)
def test_hint_names_the_file(output: str, named: str) -> None:
    hint = hint_of_refused(output, first_complaint(output), HIDDEN)
    assert hint == f"a build reads only what [build] paths of nalm.toml names: add {named}"


@pytest.mark.parametrize(
    "output", ["mkdir: cannot create directory: Permission denied", "lib/shared.h: note: declared here", ""]
)
def test_no_hint_for_another_failure(output: str) -> None:
    assert hint_of_refused(output, first_complaint(output), HIDDEN) is None
