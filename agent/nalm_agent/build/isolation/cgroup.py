# SPDX-License-Identifier: Apache-2.0
"""A control group for each build, if this host lets the agent make one. The kernel then limits the memory and
processes of a build in total.

The first way that works is used: a group below the agent's own (cgroup v2 delegated to it, as by systemd's
Delegate=, or v1), a scope of systemd (`systemd-run --scope`), or none. Without a group each process is
limited (prlimit), but not their sum; `nalm doctor` shows this.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from nalm_agent.store.process_stamp import abandoned, stamp

MOUNTS = Path("/proc/self/mountinfo")
OWN = Path("/proc/self/cgroup")
LEAF = "nalm-agent"
"""Child group to which the agent moves in a delegated v2 group: a group with children has no processes."""
EMPTY_SECONDS = 5.0
_CONTROLLERS = ("memory", "pids")
_TRIAL_SECONDS = 10


@dataclass(frozen=True)
class Parent:
    """The place of the groups of builds."""

    version: int
    folders: Mapping[str, Path]
    """Folders by controller; in version 2 all are the same."""


@dataclass(frozen=True)
class Limits:
    memory_bytes: int
    processes: int


class Group:
    """The group of one build's commands."""

    def __init__(self, prefix: list[str], events: Path | None = None) -> None:
        self.prefix = prefix
        self._events = events

    def out_of_memory(self) -> bool:
        """True if the kernel killed a process of the group for lack of memory. False if it is unknown."""
        with suppress(OSError):
            for line in self._events.read_text().splitlines() if self._events else ():
                name, _, count = line.partition(" ")
                if name == "oom_kill":
                    return int(count) > 0
        return False


@contextmanager
def build_group(limits: Limits) -> Iterator[Group]:
    """Makes a group. At the end, kills its remaining processes and removes it."""
    parent = groups_parent()
    if parent is not None:
        with _made(parent, limits) as group:
            yield group
    elif scope_reason() is None:
        yield Group(_scope(limits))
    else:
        yield Group([])


def without_group() -> str | None:
    """Why builds get no group on this host; None if they get one."""
    if groups_parent() is not None:
        return None
    return scope_reason()


@cache
def groups_parent() -> Parent | None:
    """The agent's own groups, if it may make groups below them. Tried once per process. Removes groups of
    agents that were killed."""
    parent = _version_2() or _version_1()
    if parent is None:
        return None
    for folder in set(parent.folders.values()):
        for group in abandoned(folder):
            _remove(group)
    try:
        with _made(parent, Limits(1 << 30, 64)):
            return parent
    except OSError:
        return None


@cache
def scope_reason() -> str | None:
    """Why systemd makes no scope for builds; None if it does."""
    if shutil.which("systemd-run") is None:
        return "no control group can be made here, and there is no systemd-run"
    try:
        done = subprocess.run(
            [*_scope(Limits(1 << 30, 64)), "true"],
            capture_output=True,
            text=True,
            check=False,
            timeout=_TRIAL_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"no control group can be made here: {error}"
    said = done.stderr.strip().splitlines()
    return None if done.returncode == 0 else f"no control group can be made here: {said[-1] if said else '?'}"


def _scope(limits: Limits) -> list[str]:
    mine = [] if os.geteuid() == 0 else ["--user"]
    properties = (f"MemoryMax={limits.memory_bytes}", "MemorySwapMax=0", f"TasksMax={limits.processes}")
    options = [word for one in properties for word in ("--property", one)]
    return ["systemd-run", *mine, "--scope", "--quiet", "--collect", *options, "--"]


def _own_groups() -> dict[str, str]:
    """The agent's groups by controller; "" is the unified hierarchy."""
    found = {}
    with suppress(OSError):
        for line in OWN.read_text().splitlines():
            _, names, path = line.split(":", 2)
            found.update(dict.fromkeys(names.split(","), path))
    return found


def _mounted() -> dict[str, Path]:
    """Mount points of whole hierarchies by controller; "" is the unified hierarchy."""
    found = {}
    with suppress(OSError):
        for line in MOUNTS.read_text().splitlines():
            before, _, after = line.partition(" - ")
            root, place = before.split()[3:5]
            kind, _, options = after.split(" ", 2)
            if root == "/" and kind == "cgroup2":
                found[""] = Path(place)
            elif root == "/" and kind == "cgroup":
                found.update(dict.fromkeys(options.split(","), Path(place)))
    return found


def _version_2() -> Parent | None:
    mounted, own = _mounted().get(""), _own_groups().get("")
    if mounted is None or own is None:
        return None
    folder = mounted / own.lstrip("/")
    if folder.name == LEAF:
        folder = folder.parent
    try:
        if not set(_CONTROLLERS) <= set((folder / "cgroup.controllers").read_text().split()):
            return None
        _leave_to_children(folder)
    except OSError:
        return None
    return Parent(2, dict.fromkeys(_CONTROLLERS, folder))


def _leave_to_children(folder: Path) -> None:
    """Moves the agent to a child group and enables the controllers for children. Raises OSError, and reverts
    the move, if other processes are in the group.
    """
    leaf = folder / LEAF
    leaf.mkdir(exist_ok=True)
    try:
        (leaf / "cgroup.procs").write_text(str(os.getpid()))
        (folder / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in _CONTROLLERS))
    except OSError:
        with suppress(OSError):
            (folder / "cgroup.procs").write_text(str(os.getpid()))
            leaf.rmdir()
        raise


def _version_1() -> Parent | None:
    mounted, own = _mounted(), _own_groups()
    if not all(name in mounted and name in own for name in _CONTROLLERS):
        return None
    return Parent(1, {name: mounted[name] / own[name].lstrip("/") for name in _CONTROLLERS})


def _files(parent: Parent, limits: Limits) -> list[tuple[str, str, int]]:
    """Controller, file and value of each limit. A leading `-` marks a file that may be missing."""
    if parent.version == 2:
        return [
            ("memory", "memory.max", limits.memory_bytes),
            ("memory", "-memory.swap.max", 0),
            ("memory", "-memory.oom.group", 1),
            ("pids", "pids.max", limits.processes),
        ]
    return [
        ("memory", "memory.limit_in_bytes", limits.memory_bytes),
        ("memory", "-memory.memsw.limit_in_bytes", limits.memory_bytes),
        ("pids", "pids.max", limits.processes),
    ]


@contextmanager
def _made(parent: Parent, limits: Limits) -> Iterator[Group]:
    """Makes a group. Raises OSError if that fails."""
    name = stamp()
    folders = {controller: folder / name for controller, folder in parent.folders.items()}
    try:
        for folder in set(folders.values()):
            folder.mkdir()
        for controller, file, value in _files(parent, limits):
            with suppress(*((OSError,) if file.startswith("-") else ())):
                (folders[controller] / file.removeprefix("-")).write_text(str(value))
        places = [str(folder / "cgroup.procs") for folder in set(folders.values())]
        enter = 'while [ "$1" != -- ]; do echo $$ >"$1" || exit 126; shift; done; shift; exec "$@"'
        events = "memory.events" if parent.version == 2 else "memory.oom_control"
        yield Group(["sh", "-c", enter, "sh", *places, "--"], folders["memory"] / events)
    finally:
        for folder in set(folders.values()):
            _remove(folder)


def _remove(folder: Path) -> None:
    """Kills the remaining processes of a group and removes it."""
    end = time.monotonic() + EMPTY_SECONDS
    while folder.is_dir() and time.monotonic() < end:
        with suppress(OSError):
            for pid in (folder / "cgroup.procs").read_text().split():
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(int(pid), 9)
        with suppress(OSError):
            folder.rmdir()
            return
        time.sleep(0.02)
