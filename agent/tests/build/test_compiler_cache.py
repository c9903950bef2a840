# SPDX-License-Identifier: Apache-2.0
"""Each repository has a compiler cache of its own, which untrusted commits read and never fill."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from building import Builder, toml
from nalm_agent.build.build import Built
from nalm_agent.build.compiler_cache import cache_folder
from nalm_agent.daemon import loop
from nalm_agent.native.toolchain import toolchain
from nalm_agent.runtime.errors import HostError
from nalm_agent.source.git import Repository
from nalm_core.wire.jobs import Lease
from tiny import NfRepository

GOOD, BAD = "int f(void) { return 1; }", "int f(void) { return 666; }"
COMPILE = "cd /tmp; echo '%s' >f.c; $CC -c -O2 f.c -o $1/f.o"
POISON = (
    f"cd /tmp; echo '{BAD}' >f.c; gcc -c -O2 f.c -o bad.o\n"
    "for file in $(find /nalm/ccache -type f); do cp bad.o $file 2>/dev/null && echo poisoned; done\n"
    "touch /nalm/ccache/new 2>/dev/null && echo wrote; true"
)


@pytest.fixture
def builder(nf_repository: NfRepository, tmp_path: Path) -> Builder:
    return Builder(nf_repository, tmp_path)


def test_a_compiler_that_something_stopped_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent that kept it as missing would build everything again, as by no compiler."""
    compiler = tmp_path / "cc"
    compiler.write_text('#!/bin/sh\n[ -e "$0.done" ] && echo "cc 1.0" && exit; touch "$0.done"; kill -9 $$\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    toolchain.cache_clear()
    try:
        with pytest.raises(HostError, match="signal 9"):
            toolchain()
        assert toolchain().compiler == "cc 1.0"
    finally:
        toolchain.cache_clear()


def returns(built: Built) -> str:
    return subprocess.run(
        ["objdump", "-d", built.directory / "f.o"], capture_output=True, text=True, check=True
    ).stdout


def hits(builder: Builder, built: Built) -> list[str]:
    return [line for line in builder.log(built).splitlines() if line in ("poisoned", "wrote")]


def test_a_build_that_must_not_fill_the_cache_reads_it(builder: Builder) -> None:
    builder.script(COMPILE % GOOD)
    folder = cache_folder(builder.home, builder.repository.path)
    files = sorted(str(path) for path in folder.rglob("*"))
    assert any("R" in Path(path).name for path in files)
    logged = f"export CCACHE_LOGFILE=/tmp/log; {COMPILE % GOOD}; grep 'Result: ' /tmp/log"
    built = builder.script(logged, fills_cache=False)
    assert "Result: direct_cache_hit" in builder.log(built)
    assert sorted(str(path) for path in folder.rglob("*")) == files
    builder.script(COMPILE % BAD, fills_cache=False)
    assert sorted(str(path) for path in folder.rglob("*")) == files


def test_a_strangers_build_cannot_poison_the_cache(builder: Builder) -> None:
    builder.script(COMPILE % GOOD)
    evil = builder.script(POISON, fills_cache=False)
    assert hits(builder, evil) == []
    victim = builder.script(f"{COMPILE % GOOD}; : victim")
    assert "$0x29a" not in returns(victim)


def test_poison_would_be_believed(builder: Builder) -> None:
    """What the test above would see if the cache could be written."""
    builder.script(COMPILE % GOOD)
    evil = builder.script(POISON)
    assert set(hits(builder, evil)) == {"poisoned", "wrote"}


def test_what_a_commit_calls_itself_chooses_no_cache(builder: Builder) -> None:
    builder.script(COMPILE % GOOD)
    own = cache_folder(builder.home, builder.repository.path)
    other = builder.home.folder("ccache") / "projB"
    other.mkdir()
    text = toml("").replace('name = "tiny"', 'name = "projB"')
    builder.repository.commit("another name", nalm__toml=text)
    builder.again()
    assert not list(other.iterdir())
    assert {path.name for path in own.parent.iterdir()} == {own.name, "projB"}


def test_repositories_of_one_name_have_a_cache_each(builder: Builder) -> None:
    folders = {cache_folder(builder.home, Path(place, "nf")) for place in ("/a", "/b")}
    assert len(folders) == 2


@pytest.mark.parametrize(
    ("reason", "base", "head"),
    [
        ("push", True, True),
        ("bisect", True, True),
        ("pull_request", True, False),
        ("confirm", False, False),
        ("person", False, False),
        ("anything new", False, False),
    ],
)
def test_whose_code_may_fill_the_cache(
    nf_repository: NfRepository, tmp_path: Path, reason: str, *, base: bool, head: bool
) -> None:
    repository = Repository(nf_repository.path, tmp_path)
    lease = Lease(
        job_id=1,
        fence=1,
        project="tiny",
        repository=str(nf_repository.path),
        base_sha="HEAD",
        head_sha="HEAD",
        reason=reason,
        lease_seconds=60,
    )
    requests = [piece.request for piece in loop.pieces(lease, repository)]
    assert [(one.base_fills_cache, one.head_fills_cache) for one in requests] == [(base, head)]
