# SPDX-License-Identifier: Apache-2.0
"""Data files that nalm.toml does not name: which there are, which differ, and which are read."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from nalm_agent.artifacts import unnamed_data as module
from nalm_agent.artifacts.contents import Contents
from nalm_agent.artifacts.unnamed_data import differing_unnamed, unnamed_data, watch_of

NOTHING_NAMED = Contents({}, {}, [], frozenset())
OF_BUILD_SYSTEMS = (
    ".ninja_log",
    "CMakeFiles/CMakeOutput.txt",
    "meson-logs/testlog.txt",
    "main.c",
    "main.o.d",
)


@pytest.fixture
def build(tmp_path: Path) -> Path:
    folder = tmp_path / "build"
    for name in ("share/rules.txt", "share/table.bin", *OF_BUILD_SYSTEMS):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("first\n")
    (folder / "link.txt").symlink_to("share/rules.txt")
    subprocess.run(["gcc", "-x", "c", "-c", "-o", folder / "part", "/dev/null"], check=True)
    return folder


def test_files_of_build_systems_and_for_the_linker_are_left_out(build: Path) -> None:
    assert unnamed_data(build, NOTHING_NAMED) == ["share/rules.txt", "share/table.bin"]
    named = Contents({}, {"share/table.bin": "digest"}, [], frozenset())
    assert unnamed_data(build, named) == ["share/rules.txt"]


def test_programs_of_bpf_are_data(build: Path) -> None:
    """An NF loads them itself: rte_bpf_elf_load(), or the driver of AF_XDP."""
    subprocess.run(["gcc", "-x", "c", "-c", "-o", build / "lcore.o", "/dev/null"], check=True)
    of_bpf = bytearray((build / "lcore.o").read_bytes())
    of_bpf[18:20] = (247).to_bytes(2, "little")
    (build / "filter.o").write_bytes(of_bpf)
    assert unnamed_data(build, NOTHING_NAMED) == ["filter.o", "share/rules.txt", "share/table.bin"]


def test_too_many_files_are_not_looked_at(build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_FILES", 1)
    assert unnamed_data(build, NOTHING_NAMED) is None
    assert watch_of(build, None) is None and differing_unnamed(build, None, build.parent, []) == []


def test_which_differ(build: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    subprocess.run(["cp", "-r", build, other], check=True)

    def differing() -> list[str]:
        sides = [(side, unnamed_data(side, NOTHING_NAMED)) for side in (build, other)]
        return differing_unnamed(*sides[0], *sides[1])

    assert differing() == []
    (other / "main.c").write_text("other\n")
    (other / "share" / "rules.txt").write_text("other\n")
    (other / "share" / "new.txt").write_text("")
    assert differing() == ["share/new.txt", "share/rules.txt"]


def test_which_are_read(build: Path) -> None:
    paths = unnamed_data(build, NOTHING_NAMED)
    watch = watch_of(build, paths)
    assert watch is not None and watch.read() == []
    changed = (build / "share" / "rules.txt").stat().st_mtime_ns
    subprocess.run(["cat", build / "link.txt"], check=True, stdout=subprocess.DEVNULL)
    assert watch.read() == ["share/rules.txt"]
    assert (build / "share" / "rules.txt").stat().st_mtime_ns == changed
    again = watch_of(build, paths)
    assert again is not None and again.read() == []
    assert watch.read() == ["share/rules.txt", "share/table.bin"], "another watch set its own moment"


def test_a_file_system_that_does_not_note_reading(build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "read_bytes", lambda path: b"")
    assert watch_of(build, unnamed_data(build, NOTHING_NAMED)) is None
