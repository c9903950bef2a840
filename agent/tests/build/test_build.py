# SPDX-License-Identifier: Apache-2.0
"""Builds are made once and kept in the store; failures are remembered or retried; logs are kept."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from building import Builder, toml
from nalm_agent.artifacts.function_digest import placement_only
from nalm_agent.build.compiler_cache import cache_folder
from nalm_agent.native.development_files import READABLE
from nalm_agent.runtime.errors import BuildError
from tiny import NALM, Nalm, NfRepository


@pytest.fixture
def builder(nf_repository: NfRepository, tmp_path: Path) -> Builder:
    return Builder(nf_repository, tmp_path)


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory that builds see: what is in it decides how they end, unknown to their address."""
    folder = tmp_path / "gate"
    folder.mkdir()
    monkeypatch.setenv(READABLE, str(folder))
    return folder


def test_a_failure_is_not_built_again(builder: Builder, gate: Path) -> None:
    with pytest.raises(BuildError) as first:
        builder.script(f"echo looking; cat {gate}/open")
    (gate / "open").write_text("")
    with pytest.raises(BuildError) as second:
        builder.again()
    assert second.value.message == first.value.message
    assert second.value.log == first.value.log
    assert "looking" in (first.value.log or "")
    assert "seen in an earlier build, --rebuild tries again" in (second.value.hint or "")
    kept = Path((first.value.hint or "").split()[0])
    assert "looking" in kept.read_text()
    assert builder.again(rebuild=True).build.isolation == "bubblewrap"
    assert not kept.exists()
    assert builder.again().build.build_seconds is None


def test_more_memory_is_another_try(builder: Builder, gate: Path) -> None:
    with pytest.raises(BuildError):
        builder.script(f"cat {gate}/open", memory_mb=512)
    (gate / "open").write_text("")
    builder.repository.commit("more", nalm__toml=toml("", memory_mb=1024))
    assert builder.again().build.build_seconds is not None


def test_a_time_out_is_tried_again(builder: Builder, gate: Path) -> None:
    with pytest.raises(BuildError, match=r"took longer than 0\.5 s") as caught:
        builder.script(f"echo begun; [ -e {gate}/open ] || sleep 1000", limit_seconds=0.5)
    assert "build.log has the whole log" in (caught.value.hint or "")
    (gate / "open").write_text("")
    builder.repository.commit("patience", nalm__toml=toml(""))
    assert builder.again().build.build_seconds is not None


@pytest.mark.parametrize(
    "stopped", ["kill -TERM $$", "echo 'ninja: build stopped: interrupted by user.'; exit 2"]
)
def test_a_build_that_a_signal_stopped_is_tried_again(builder: Builder, gate: Path, stopped: str) -> None:
    with pytest.raises(BuildError) as caught:
        builder.script(f"[ -e {gate}/open ] || {{ {stopped}; }}")
    assert "a signal stopped it" in (caught.value.hint or "")
    (gate / "open").write_text("")
    assert builder.again().build.build_seconds is not None


def test_unknown_command(builder: Builder) -> None:
    text = toml("").replace('"sh", ', '"no-such-make", ')
    builder.repository.commit("unknown", nalm__toml=text, build__sh="")
    with pytest.raises(BuildError, match="build command not found: no-such-make") as caught:
        builder.again()
    assert READABLE in (caught.value.hint or "")


@pytest.mark.parametrize("named", ["-I{}/include", "'--with={}/include'", "{}/include/own.h"])
def test_a_build_that_names_what_it_does_not_see_says_so(
    builder: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    (tmp_path / "sdk" / "include").mkdir(parents=True)
    (tmp_path / "sdk" / "include" / "own.h").write_text("")
    text = toml("").replace('"{build}"', f'"{{build}}", "{named.format(tmp_path / "sdk")}"')
    script = "echo '#include <own.h>' >/tmp/it.c; gcc -c /tmp/it.c $2\ntouch $1/tiny_nf"
    builder.repository.commit("own headers", nalm__toml=text, build__sh=f"set -e\n{script}")
    with pytest.raises(BuildError, match=r"own\.h: No such file or directory") as caught:
        builder.again()
    hint = caught.value.hint or ""
    assert hint.startswith("a build sees only programs and libraries of this host (/usr, /opt), and not ")
    assert f"{tmp_path}/sdk/include" in hint
    assert f"name it in {READABLE}" in hint


def test_a_build_does_not_see_the_packages_of_pkg_config_path(
    builder: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lib").mkdir()
    monkeypatch.setenv("PKG_CONFIG_PATH", f"/usr/lib/pkgconfig:{tmp_path}/lib")
    with pytest.raises(BuildError) as caught:
        builder.script("pkg-config --libs own")
    assert f"/opt), and not {tmp_path}/lib: name it in {READABLE}" in (caught.value.hint or "")
    monkeypatch.setenv(READABLE, str(tmp_path))
    with pytest.raises(BuildError) as caught:
        builder.script("pkg-config --libs own; exit 3")
    assert READABLE not in (caught.value.hint or "")


def test_two_processes_build_once(nf_repository: NfRepository, gate: Path, tmp_path: Path) -> None:
    os.mkfifo(gate / "open")
    lines = f"cat {gate}/open\ncp /bin/true $1/tiny_nf\n"
    nf_repository.commit("slow build", build__sh=lines, nalm__toml=toml(""))
    nf_repository.commit("quick build", build__sh=lines.replace("cat", "echo"))
    nalm = Nalm(tmp_path / "home")
    first = nalm.start("check", "--base", "HEAD~1", cwd=nf_repository.path)
    assert first.stderr is not None
    assert any(line.startswith("build: base") for line in first.stderr)
    writer = os.open(gate / "open", os.O_WRONLY)  # waits until the first one reads
    second = nalm.start("check", "--base", "HEAD~1", cwd=nf_repository.path)
    assert second.stderr is not None
    assert any("another process builds" in line for line in second.stderr)
    os.write(writer, b"base\n")
    os.close(writer)
    outputs = [process.communicate(timeout=60) for process in (first, second)]
    assert all("Traceback" not in errors for _, errors in outputs)
    logs = [path.read_text() for path in (tmp_path / "home" / "store" / "builds").glob("*/build.log")]
    assert sorted(logs) == [f"{gate}/open\n", "base\n"]  # a second build of base's would still be waiting


def test_ccache_serves_other_revisions(builder: Builder) -> None:
    files = {f"part{number}__c": f"int part{number}(void) {{ return {number}; }}\n" for number in range(4)}
    script = """for file in /nalm/source/part*.c; do $CC -c -g $file -o $1/$(basename $file).o; done"""
    builder.repository.commit("parts", **files)
    (builder.repository.path / "build.sh").write_text("")
    text = toml("").replace('"build.sh"]', '"build.sh", "part0.c", "part1.c", "part2.c", "part3.c"]')
    lines = f"set -e\n{script}\ncp /bin/true $1/tiny_nf\n"
    builder.repository.commit("a build of parts", build__sh=lines, nalm__toml=text)
    builder.again()
    assert cache_counts(builder) == (0, 4)
    builder.repository.commit("touch one", part2__c="int part2(void) { return 22; }\n")
    builder.again()
    assert cache_counts(builder) == (3, 5)


def cache_counts(builder: Builder) -> tuple[int, int]:
    """Hits and misses of the project's compiler cache."""
    env = os.environ | {"CCACHE_DIR": str(cache_folder(builder.home, builder.repository.path))}
    said = subprocess.run(["ccache", "--print-stats"], env=env, capture_output=True, text=True, check=True)
    counts = dict(line.split("\t") for line in said.stdout.splitlines())
    hits = int(counts["direct_cache_hit"]) + int(counts["preprocessed_cache_hit"])
    return hits, int(counts["cache_miss"])


def test_functions_of_a_build_are_kept(builder: Builder) -> None:
    built = builder.again()
    table = built.functions("tiny_nf")
    assert table is not None and built.build.functions is not None
    assert "alpha_process" in {one.name for one in table.functions}
    (kept,) = (built.directory.parent / "functions").iterdir()
    written = kept.stat().st_ino
    assert placement_only(table, builder.again().functions("tiny_nf"))
    assert kept.stat().st_ino == written


def test_log_command(nf_repository: NfRepository, tmp_path: Path) -> None:
    nalm = Nalm(tmp_path / "home")
    missing = nalm.run("log", "HEAD", cwd=nf_repository.path)
    assert (missing.returncode, missing.stdout) == (2, "")
    assert "was not built on this host" in missing.stderr
    lines = "echo built with care\ncp /bin/true $1/tiny_nf\n"
    nf_repository.commit("talks", build__sh=lines, nalm__toml=toml(""))
    nf_repository.commit("fails", build__sh="echo made an effort; exit 3\n")
    checked = nalm.run("check", cwd=nf_repository.path)
    assert checked.returncode == 4
    assert "broken" in checked.stdout
    assert "made an effort" in checked.stdout
    assert "build.log has the whole log" in checked.stdout
    assert nalm.run("log", "HEAD~1", cwd=nf_repository.path).stdout == "built with care\n"
    assert nalm.run("log", cwd=nf_repository.path).stdout == "made an effort\n"


def test_a_full_disk_leaves_nothing_half_written(nf_repository: NfRepository, tmp_path: Path) -> None:
    nf_repository.commit("large", build__sh="head -c 9000000 /dev/zero >$1/big\n", nalm__toml=toml(""))
    nf_repository.commit("larger", build__sh="head -c 9900000 /dev/zero >$1/big\n")
    home = tmp_path / "home"
    home.mkdir()
    small = ["bwrap", "--dev-bind", "/", "/", "--size", str(4 << 20), "--tmpfs", str(home)]
    script = f"{NALM} check; echo ended with $?; cd {home}/store && find . -name '.new-*' -o -name '*.lock'"
    done = subprocess.run(
        [*small, "sh", "-c", script],
        cwd=nf_repository.path,
        env=Nalm(home).environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert "the disk is full at" in done.stderr
    assert "nalm store --prune" in done.stderr
    assert "Traceback" not in done.stderr
    ended, *left = done.stdout.splitlines()
    assert ended == "ended with 4"
    assert [path for path in left if "/builds/" in path] == []
