# SPDX-License-Identifier: Apache-2.0
"""Compiler and libraries, which determine a build together with its sources. Part of every build's
address."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from nalm_agent.runtime.errors import HostError


@dataclass(frozen=True)
class Toolchain:
    compiler: str
    """First line of `cc --version`."""
    dpdk: str | None
    """Version pkg-config knows, None without DPDK."""
    libc: str
    hyperscan: str | None
    """Version pkg-config knows, None without Hyperscan."""
    papi: str | None
    """Version pkg-config knows, None without PAPI: NFs are then built without its events."""
    ccache: str | None
    """Path of ccache, None if it is not installed; changes how long a build takes, not what it makes."""

    def identity(self) -> list[str | None]:
        return [self.compiler, self.dpdk, self.libc, self.hyperscan, self.papi]

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
    """The host's toolchain, determined once per process. Raises HostError if it could not be determined."""
    return Toolchain(
        compiler=_first_line(os.environ.get("CC", "cc"), "--version") or "no compiler",
        dpdk=_first_line("pkg-config", "--modversion", "libdpdk"),
        hyperscan=_first_line("pkg-config", "--modversion", "libhs"),
        papi=_first_line("pkg-config", "--modversion", "papi"),
        libc=os.confstr("CS_GNU_LIBC_VERSION") or "unknown",
        ccache=shutil.which("ccache"),
    )


def build_environment(ccache_dir: Path, base: Path) -> dict[str, str]:
    """Environment of build commands: compiler cache, fixed time, no locale, no repository above them."""
    tools = toolchain()
    env = {name: os.environ[name] for name in ("PATH", "HOME", "PKG_CONFIG_PATH") if name in os.environ}
    env |= {"LC_ALL": "C", "SOURCE_DATE_EPOCH": "1", "GIT_CEILING_DIRECTORIES": str(base)}
    compilers = {"CC": os.environ.get("CC", "gcc"), "CXX": os.environ.get("CXX", "g++")}
    if tools.ccache:
        env |= {name: f"{tools.ccache} {command}" for name, command in compilers.items()}
        env |= {"CCACHE_DIR": str(ccache_dir), "CCACHE_BASEDIR": str(base), "CCACHE_NOHASHDIR": "1"}
        env["CCACHE_DEPEND"] = "1"  # the compiler lists the headers of a file, so that no preprocessor must
    else:
        env |= compilers
    return env
