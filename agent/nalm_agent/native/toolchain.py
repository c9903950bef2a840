# SPDX-License-Identifier: Apache-2.0
"""Compilers and libraries, which determine a build together with its sources. Part of every build's
address, so that an upgrade of one makes both arms' builds again."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from nalm_agent.native.compilers import Stamp, compiler_stamps, file_of, program_stamps, words_of
from nalm_agent.native.development_files import PACKAGES, development_digest
from nalm_agent.runtime.errors import HostError, UsageError

COMPILERS = {"CC": "gcc", "CXX": "g++"}
"""Variables with the compilers of builds, and what builds get where the agent has none."""
_NAMED = re.compile(r"(?:gcc|g\+\+|clang|clang\+\+)-[\d.]+|clang|clang\+\+|rustc|cargo|go")
"""Programs of build commands whose version is named beside that of the C compiler."""
_VERSION = {"cargo": ("rustc", "--version"), "go": ("go", "version")}


@dataclass(frozen=True)
class Toolchain:
    compiler: str
    """First line of `cc --version`, the compiler of builds that name none."""
    dpdk: str | None
    """Version pkg-config knows, None without DPDK."""
    libc: str
    hyperscan: str | None
    """Version pkg-config knows, None without Hyperscan."""
    papi: str | None
    """Version pkg-config knows, None without PAPI: NFs are then built without its events."""
    ccache: str | None
    """Path of ccache, None if it is not installed; changes how long a build takes, not what it makes."""
    programs: tuple[Stamp, ...]
    """Compilers, assemblers and linkers, whatever their language."""
    given: tuple[str | None, ...]
    """Variables that choose compilers and libraries of builds, as the agent has them."""
    chosen: tuple[str | None, ...]
    """First line of `--version` of what CC and CXX start."""
    chosen_programs: tuple[Stamp, ...]
    """Files that CC and CXX name."""
    development: str
    """Digest of headers and static libraries that builds may compile in."""

    def identity(self) -> list[object]:
        """What an address has of it."""
        installed = [self.compiler, self.dpdk, self.libc, self.hyperscan, self.papi, self.programs]
        return [*installed, self.given, self.chosen, self.chosen_programs, self.development]

    def libraries(self) -> dict[str, str]:
        """Versions of installed libraries that run in an NF."""
        known = {"libc": self.libc, "dpdk": self.dpdk, "hyperscan": self.hyperscan}
        return {name: version for name, version in known.items() if version}


def _first_line(*command: str) -> str | None:
    """None for a program that is not installed, or that fails. Raises HostError if something stopped it."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)
    except OSError:
        return None
    except subprocess.TimeoutExpired as error:
        raise _stopped(command, "took longer than 20 s") from error
    if done.returncode < 0:
        raise _stopped(command, f"was ended by signal {-done.returncode}")
    return done.stdout.splitlines()[0].strip() if done.returncode == 0 and done.stdout else None


def _stopped(command: Sequence[str], how: str) -> HostError:
    return HostError(f"`{' '.join(command)}` {how}", hint="look for a lack of memory on this host")


@cache
def toolchain() -> Toolchain:
    """The host's toolchain, determined once per process. Raises HostError if it could not be determined,
    UsageError if CC or CXX is no command."""
    chosen = [_command(name) for name in COMPILERS]
    return Toolchain(
        compiler=_c_compiler() or "no compiler",
        dpdk=_first_line("pkg-config", "--modversion", "libdpdk"),
        hyperscan=_first_line("pkg-config", "--modversion", "libhs"),
        papi=_first_line("pkg-config", "--modversion", "papi"),
        libc=os.confstr("CS_GNU_LIBC_VERSION") or "unknown",
        ccache=shutil.which("ccache"),
        programs=tuple(compiler_stamps()),
        given=tuple(os.environ.get(name) for name in (*COMPILERS, PACKAGES)),
        chosen=tuple(_first_line(*command, "--version") for command in chosen),
        chosen_programs=tuple(program_stamps(chosen)),
        development=development_digest(),
    )


def forget_toolchain() -> None:
    """Lets the next measurement of a long process look again: packages are upgraded under it."""
    toolchain.cache_clear()
    _version.cache_clear()


def compilers_of(commands: Iterable[Sequence[str]]) -> str:
    """The C compiler of the host, then others that build commands name, each by its own words. A report has
    it: where it changes, a history begins again. Raises HostError as `toolchain`."""
    named = dict.fromkeys(word for word in words_of(commands) if _NAMED.fullmatch(word))
    versions = [_version(word) for word in named if file_of(word) is not None]
    return "; ".join(dict.fromkeys([toolchain().compiler, *(one for one in versions if one)]))


@cache
def _version(name: str) -> str | None:
    return _first_line(*_VERSION.get(name, (name, "--version")))


def _c_compiler() -> str | None:
    """The version of what `build_environment` gives to builds."""
    if os.environ.get("CC"):
        return _first_line(*_command("CC"), "--version")
    cc, gcc = _first_line("cc", "--version"), _first_line("gcc", "--version")
    other = gcc is not None and cc is not None and cc.partition(" ")[2] != gcc.partition(" ")[2]
    return gcc if other else cc


def _command(name: str) -> list[str]:
    """The words of what a build gets as CC or CXX."""
    given = os.environ.get(name) or COMPILERS[name]
    try:
        return shlex.split(given)
    except ValueError as error:
        raise UsageError(
            f"the variable {name} is no command: {given} ({error})", hint=f"for example {name}='gcc -m64'"
        ) from error


def build_environment(ccache_dir: Path, base: Path) -> dict[str, str]:
    """Environment of build commands: compiler cache, fixed time, no locale, no repository above them."""
    tools = toolchain()
    env = {name: os.environ[name] for name in ("PATH", "HOME", PACKAGES) if name in os.environ}
    env |= {"LC_ALL": "C", "SOURCE_DATE_EPOCH": "1", "GIT_CEILING_DIRECTORIES": str(base)}
    compilers = {name: os.environ.get(name) or default for name, default in COMPILERS.items()}
    if tools.ccache:
        env |= {name: f"{tools.ccache} {command}" for name, command in compilers.items()}
        env |= {"CCACHE_DIR": str(ccache_dir), "CCACHE_BASEDIR": str(base), "CCACHE_NOHASHDIR": "1"}
        env["CCACHE_DEPEND"] = "1"  # the compiler lists the headers of a file, so that no preprocessor must
    else:
        env |= compilers
    return env
