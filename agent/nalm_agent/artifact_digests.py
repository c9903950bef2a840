# SPDX-License-Identifier: Apache-2.0
"""Digests of what a build made, read in a process of its own with limits: the commit made the file."""

from __future__ import annotations

import multiprocessing
import resource
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from nalm_agent.artifact_file import artifact_path, open_file
from nalm_agent.errors import BuildError, NalmError
from nalm_agent.function_digest import Table, table

MEMORY_BYTES = 6 << 30
"""Address space of the process: several times the largest file."""
CPU_SECONDS = 300
_WITHOUT_BYTES = ("SHT_NOBITS", "SHT_NULL")


@dataclass(frozen=True)
class Digests:
    code: str
    functions: Table | None


def digests_of(build: Path, artifacts: Sequence[str]) -> Digests:
    """Of artifacts in a build directory. Raises BuildError for one that is no ELF file of bounded size."""
    paths = [artifact_path(build, name) for name in artifacts]
    for path in paths:
        open_file(path).close()
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawned, initializer=_limit, initargs=(MEMORY_BYTES, CPU_SECONDS)) as child:
        try:
            return child.submit(_digests, paths).result()
        except BrokenProcessPool as error:
            names = ", ".join(artifacts)
            raise BuildError(
                f"reading what the build made ({names}) took more than {CPU_SECONDS} s or "
                f"{MEMORY_BYTES >> 30} GiB of memory: that is no ordinary ELF file"
            ) from error


def _limit(memory_bytes: int, cpu_seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))


def _require_bounded(path: Path) -> None:
    """Sections of a linker's share no bytes: together they are no larger than the file."""
    with open_file(path) as file:
        try:
            elf = ELFFile(file)
        except ELFError:
            return  # said by who reads it
        held = [one["sh_size"] for one in elf.iter_sections() if one["sh_type"] not in _WITHOUT_BYTES]
        size = path.stat().st_size
        if sum(held) > size:
            raise BuildError(
                f"the build's {path.name} has sections of {sum(held)} bytes in a file of {size}: "
                "that is no ordinary ELF file"
            )


def _digests(paths: Sequence[Path]) -> Digests:
    from nalm_agent.code_digest import code_digest

    try:
        for path in paths:
            _require_bounded(path)
        return Digests(code_digest(paths), table(paths))
    except NalmError:
        raise
    except Exception as error:
        # A damaged file makes the reader fail in any of its places.
        names = ", ".join(path.name for path in paths)
        raise BuildError(
            f"what the build made ({names}) cannot be read as ELF files: {type(error).__name__}: {error}",
            hint="[build] artifacts in nalm.toml names executables and shared libraries",
        ) from error
