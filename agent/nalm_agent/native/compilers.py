# SPDX-License-Identifier: Apache-2.0
"""Programs that make a build, by their files: another version of one is another file.

A file is known by its path with links resolved, its size and its time of change, so that a look takes
milliseconds. Files of equal packages are equal.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

_COMPILERS = re.compile(
    r"(?:[\w.]+-)*"  # a target's, such as arm-none-eabi
    r"(?:cc|c\+\+|gcc|g\+\+|tcc|icc|icpc|icx|icpx|clang|clang\+\+|cl|opt|llc|gfortran|gccgo|rustc|go|zig|nvcc"
    r"|as|nasm|yasm|ar|ld|ld\.(?:bfd|gold|lld)|lld|mold)"
    r"(?:-[\d.]+)?(?:-(?:posix|win32))?"
)
"""Compilers, assemblers and linkers, which scripts and makefiles start without being named in nalm.toml."""
_WORDS = re.compile(r"[^\s=;:,&|<>()\"'`]+")
"""What may name a program in an argument, such as `CC=clang-16` or a line of a shell."""
_CCACHE, _RUSTUP = "ccache", "rustup"
"""Programs that start another of the name by which they are called."""

Stamp = tuple[str, str, int, int]
"""Name, path, bytes, and ns of the last change."""


def compiler_stamps() -> list[Stamp]:
    """All compilers, assemblers and linkers on PATH."""
    folders = dict.fromkeys(os.path.realpath(folder) for folder in os.get_exec_path())
    names = {name for folder in folders for name in _listed(folder) if _COMPILERS.fullmatch(name)}
    return sorted(stamp for name in names for stamp in _stamps(name))


def program_stamps(commands: Iterable[Sequence[str]]) -> list[Stamp]:
    """All programs that words of these commands name."""
    return sorted(stamp for name in set(words_of(commands)) for stamp in _stamps(name))


def words_of(commands: Iterable[Sequence[str]]) -> Iterator[str]:
    """Words that may name a program, in order."""
    for command in commands:
        for argument in command:
            yield from (word for word in _WORDS.findall(argument) if not {"{", "\0"} & set(word))


def file_of(name: str) -> Path | None:
    """The file that a program's name or absolute path starts, behind ccache; None if there is none."""
    if "/" in name and not name.startswith("/"):
        return None
    for path in [name] if "/" in name else [f"{folder}/{name}" for folder in os.get_exec_path()]:
        if os.access(path, os.X_OK):
            target = Path(os.path.realpath(path))
            if target.is_file() and (target.name != _CCACHE or name == _CCACHE):
                return target
    return None


def _stamps(name: str) -> Iterator[Stamp]:
    path = file_of(name)
    if path is None:
        return
    files = [path]
    if path.name == _RUSTUP:
        home = os.environ.get("RUSTUP_HOME") or f"{os.environ.get('HOME', '')}/.rustup"
        files += sorted(Path(home, "toolchains").glob(f"*/bin/{Path(name).name}"))
    for file in files:
        try:
            status = file.stat()
        except OSError:
            continue
        yield name, str(file), status.st_size, status.st_mtime_ns


def _listed(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as files:
            return [file.name for file in files]
    except OSError:
        return []
