# SPDX-License-Identifier: Apache-2.0
"""Whatever a build puts in the place of an artifact is read in bounds, or named as a fault of the build."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from building import Builder
from nalm_agent.artifacts import limited_reading
from nalm_agent.artifacts.artifact_file import LARGEST_BYTES, artifact_path, open_file
from nalm_agent.artifacts.function_digest import table
from nalm_agent.artifacts.limited_reading import LimitedReading
from nalm_agent.artifacts.loadable import loadable_files
from nalm_agent.runtime.errors import BuildError, UnrepeatableError
from tiny import NfRepository
from waiting import until

ELF = Path("/bin/true")
PROGBITS = 1


def fifo(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def unix_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))


def outside(path: Path) -> None:
    path.symlink_to("../../../../../../../../../etc/passwd")


def loop(path: Path) -> None:
    path.symlink_to(path.name)


FAULTS: dict[Callable[[Path], None], str] = {
    fifo: r"the build's nf is a pipe \(FIFO\), not a file",
    device: "the build's nf is a link out of the build directory",
    unix_socket: "the build's nf cannot be read: No such device or address",
    outside: "the build's nf is a link out of the build directory",
    loop: "the build's nf leads nowhere",
}


@pytest.mark.parametrize("make", FAULTS, ids=lambda make: make.__name__)
def test_what_is_no_artifact(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "nf")
    assert loadable_files(tmp_path) == {}
    with pytest.raises(BuildError, match=FAULTS[make]):
        open_file(artifact_path(tmp_path, "nf"))


def overlapping(path: Path) -> None:
    """Sections of code and data that are the whole file, each."""
    content = bytearray(ELF.read_bytes())
    (at,) = struct.unpack_from("<Q", content, 40)
    size, count = struct.unpack_from("<HH", content, 58)
    for number in range(1, count):
        header = at + number * size
        if struct.unpack_from("<I", content, header + 4) == (PROGBITS,):
            struct.pack_into("<QQ", content, header + 24, 0, len(content))
    path.write_bytes(content)


def cut(path: Path) -> None:
    path.write_bytes(ELF.read_bytes()[:4000])


@pytest.mark.parametrize("damage", [overlapping, cut])
def test_a_damaged_program_is_distinguished_by_all_its_bytes(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    path = tmp_path / "nf"
    damage(path)
    assert loadable_files(tmp_path)["nf"].digest == sha256(path.read_bytes()).hexdigest()
    assert table([path]) is None


def test_a_file_that_is_too_large_is_not_disassembled(tmp_path: Path) -> None:
    path = tmp_path / "nf"
    with path.open("wb") as file:
        file.write(ELF.read_bytes()[:64])
        file.truncate(LARGEST_BYTES + 1)
    with pytest.raises(BuildError, match="the build's nf has 1024 MiB; at most 1024 MiB are read"):
        table([path])


def test_links_within_the_build(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    shutil.copy(ELF, tmp_path / "lib" / "libnf.so.1.2")
    (tmp_path / "libnf.so").symlink_to("lib/libnf.so.1.2")
    assert artifact_path(tmp_path, "libnf.so") == tmp_path / "lib" / "libnf.so.1.2"
    assert set(loadable_files(tmp_path)) == {"lib/libnf.so.1.2"}


def test_a_link_is_not_followed_once_it_was_resolved(tmp_path: Path) -> None:
    (tmp_path / "nf").symlink_to(ELF)
    with pytest.raises(BuildError, match="nf cannot be read"):
        open_file(tmp_path / "nf")


def test_reading_has_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(ELF, tmp_path / "nf")
    monkeypatch.setattr(limited_reading, "MEMORY_BYTES", 1 << 30)
    monkeypatch.setattr(limited_reading, "CPU_SECONDS", 1)
    with LimitedReading() as reading:
        assert set(reading.read(loadable_files, tmp_path)) == {"nf"}
        with pytest.raises(BuildError, match="made took more than 1 GiB of memory"):
            reading.read(bytes, 1 << 30)
        with pytest.raises(BuildError, match="the build made no absent"):
            reading.read(table, [tmp_path / "absent"])
        with pytest.raises(UnrepeatableError, match="made took more than 1 s, or was killed"):
            reading.read(sum, range(10**12))


def test_reading_imports_nothing_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is often the measured repository, whose files may have the names of Python's modules."""
    build, here = tmp_path / "build", tmp_path / "here"
    build.mkdir()
    here.mkdir()
    shutil.copy(ELF, build / "nf")
    for name in ("struct", "json", "queue", "elftools"):
        (here / f"{name}.py").write_text("raise ValueError('imported')\n")
    monkeypatch.chdir(here)
    with LimitedReading() as reading:
        assert set(reading.read(loadable_files, build)) == {"nf"}


def test_the_reading_process_ends_with_a_killed_agent() -> None:
    script = """
import os
from nalm_agent.artifacts.limited_reading import LimitedReading
with LimitedReading() as reading:
    print(reading.read(os.readlink, "/proc/self"), flush=True)
    os.kill(os.getpid(), 9)
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as agent:
        assert agent.stdout is not None
        reader = Path("/proc") / agent.stdout.readline().strip()
        assert agent.wait() == -signal.SIGKILL
        assert until(lambda: not (reader / "exe").exists())


def test_a_fifo_as_artifact_is_a_fault_of_the_build(nf_repository: NfRepository, tmp_path: Path) -> None:
    builder = Builder(nf_repository, tmp_path)
    with pytest.raises(BuildError, match=r"tiny_nf is a pipe \(FIFO\), not a file"):
        builder.script("mkfifo $1/tiny_nf; exit 0")
