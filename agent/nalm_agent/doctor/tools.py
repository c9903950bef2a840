# SPDX-License-Identifier: Apache-2.0
"""Tools that nalm needs: sources of counters, compiler, git, bubblewrap."""

from __future__ import annotations

import inspect
import os
import pkgutil
import shutil
from importlib import import_module

from nalm_agent import counters
from nalm_agent.counters import simulated
from nalm_agent.doctor.finding import Finding, Level, note, ok
from nalm_agent.native.toolchain import toolchain
from nalm_agent.source.git import LEAST_GIT, git_version

EFFECTS = {
    "pmu": "cycles come from the TSC, instructions from callgrind; eIPC is labelled as mixed",
    "papi": "stages have no hardware events",
    "perf": "lcore threads have no hardware events; functions are sampled by the thread's clock",
}
CURE = "none needed; if you control the host, expose the PMU to the guest or lower kernel.perf_event_paranoid"
_OLDER_GIT = "git before 2.30 finds no commit of any name (`git rev-parse --end-of-options`)"
JUDGED_ELSEWHERE = ("tsc", "simulated")
"""Sources that have their own finding."""


def findings() -> list[Finding]:
    return [_valgrind(), *counter_sources(), _dpdk(), _compiler(), _ccache(), _git(), _bwrap(), _setpriv()]


def counter_sources() -> list[Finding]:
    """Findings about the sources of counters: whether a run reads each, or why not."""
    found = []
    for name in sorted(module.name for module in pkgutil.iter_modules(counters.__path__)):
        available = getattr(import_module(f"{counters.__name__}.{name}"), "available", None)
        if available is None or name in JUDGED_ELSEWHERE or _needs_arguments(available):
            continue
        reason = available()
        if reason is None:
            found.append(ok(name, "available"))
        else:
            found.append(note(name, reason, EFFECTS.get(name, "its figures are missing"), CURE))
    return found


def _needs_arguments(function: object) -> bool:
    assert callable(function)
    return any(one.default is one.empty for one in inspect.signature(function).parameters.values())


def _valgrind() -> Finding:
    version = simulated.valgrind_version()
    if version is not None:
        return ok("valgrind", version)
    installed = shutil.which("valgrind") is not None
    return note(
        "valgrind",
        simulated.valgrind_missing() if installed else "not installed",
        "instructions are not counted: no IPP, no eIPC, no cause",
        "remove the cause" if installed else "apt-get install valgrind",
    )


def _dpdk() -> Finding:
    version = toolchain().dpdk
    if version is not None:
        return ok("dpdk", version)
    return note("dpdk", "not found by pkg-config", "NFs on DPDK cannot be built", "apt-get install dpdk-dev")


def _compiler() -> Finding:
    name = toolchain().compiler
    if shutil.which(os.environ.get("CC", "cc")):
        return ok("compiler", name)
    return Finding(
        "compiler", Level.FATAL, "none found", "nothing can be built", "apt-get install build-essential"
    )


def _ccache() -> Finding:
    if toolchain().ccache:
        return ok("ccache", toolchain().ccache or "")
    return note("ccache", "not installed", "every build compiles every file", "apt-get install ccache")


def _git() -> Finding:
    if shutil.which("git") is None:
        return Finding("git", Level.FATAL, "not installed", "no commit can be read", "apt-get install git")
    version = git_version()
    if version is None:
        return note("git", "its version is unknown", _OLDER_GIT, "see what `git --version` prints")
    text = ".".join(map(str, version))
    if version < LEAST_GIT:
        least = ".".join(map(str, LEAST_GIT))
        return Finding(
            "git", Level.FATAL, f"{text}, older than {least}", _OLDER_GIT, f"install git {least} or later"
        )
    return ok("git", text)


def _bwrap() -> Finding:
    if shutil.which("bwrap"):
        return ok("bubblewrap", "installed")
    return note(
        "bubblewrap",
        "not installed",
        "a commit's build can access this host's files and network",
        "apt-get install bubblewrap",
    )


def _setpriv() -> Finding:
    if shutil.which("setpriv"):
        return ok("setpriv", "installed")
    return note(
        "setpriv",
        "not installed",
        "builds are not isolated; a killed `nalm hook` or `nalm watch` leaves its measurement running",
        "apt-get install util-linux",
    )
