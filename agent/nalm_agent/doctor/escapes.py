# SPDX-License-Identifier: Apache-2.0
"""Tries all known escapes from a build's sandbox and reports which are open.

Each try is real: it runs inside the sandbox of builds, against bait outside.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from nalm_agent.build import sandbox
from nalm_agent.build.isolation.cgroup import Limits, build_group, without_group
from nalm_agent.build.isolation.system_view import SHARED_MEMORY_BYTES
from nalm_agent.build.sandbox import HOME, Places
from nalm_agent.doctor import escape_tries
from nalm_agent.doctor.finding import Finding, note, ok, unknown
from nalm_agent.native.development_files import READABLE, folders_of
from nalm_agent.runtime.errors import HostError
from nalm_agent.store.disk_use import remove_written
from nalm_agent.store.home import Home
from nalm_agent.store.process_stamp import stamp

LIMIT_SECONDS = 60
MEMORY_BYTES = 1 << 30
GROUP_BYTES = 96 << 20
"""Memory limit of the group in which two processes allocate 64 MiB each."""
_GREEDY = (
    "import os, signal\n"
    "reading, writing = os.pipe()\n"
    "child = os.fork()\n"
    "if child == 0:\n"
    "    os.closerange(0, 3)\n"
    "held = bytearray(os.urandom(1 << 20)) * 64\n"
    "if child == 0:\n"
    "    os.write(writing, b'held')\n"
    "    signal.pause()\n"
    "os.close(writing)\n"
    "os.write(1, b'both' if os.read(reading, 4) else b'one')\n"
    "os.kill(child, 9)\n"
)
_LEFT = (
    "import fcntl, os, signal\n"
    "handle = os.open('/nalm/build/lock', os.O_RDWR | os.O_CREAT)\n"
    "fcntl.flock(handle, fcntl.LOCK_EX)\n"
    "if os.fork() == 0:\n"
    "    os.setsid()\n"
    "    os.closerange(0, 3)\n"
    "    signal.pause()\n"
)

Wrap = Callable[[Sequence[str], Places, Mapping[str, str]], list[str]]
"""Makes the command line that runs a command inside the sandbox."""


@dataclass(frozen=True)
class Escape:
    name: str
    effect: str
    """What a commit's author could do if the escape is open."""
    cure: str
    """What this host's operator can do."""


_ISOLATION_CURE = "run the agent as a dedicated user; `nalm doctor` as that user shows what remains open"
_BWRAP_CURE = "install bubblewrap 0.8.0 or later"
_ROOT = Escape("root", "a build that escapes is root on this host", "name another user in NALM_BUILD_USER")
ESCAPES = (
    Escape(
        "settings", "a build changes the kernel's settings and can become root through them", _ISOLATION_CURE
    ),
    Escape("system", "a build changes the system or the sources of other builds", _ISOLATION_CURE),
    Escape("etc", "a build reads secrets of /etc", "let NALM_BUILD_READ name no such file"),
    Escape("homes", "a build reads the agent's token and other users' files", "see NALM_BUILD_READ"),
    Escape("loopback", "a build reaches services that trust this host", "set NALM_BUILD_NETWORK=no"),
    Escape("abstract_socket", "a build reaches services of this host's desktop and daemons", _ISOLATION_CURE),
    Escape("user_namespace", "a build reaches parts of the kernel that only root should reach", _BWRAP_CURE),
    Escape("memory_file_system", "a build fills this host's memory with files", _BWRAP_CURE),
    Escape("processes", "a build takes all processes of this host", "install util-linux (prlimit)"),
    Escape("cache", "a build decides what other builds find in the compiler cache", _ISOLATION_CURE),
)
_MEMORY = Escape(
    "memory",
    "each process of a build is limited, but not their sum: many processes take all memory of the host",
    "give the agent its own control group: Delegate=memory pids in its systemd unit",
)
_LEFT_BEHIND = Escape(
    "left_behind", "a build's process runs on during other measurements", "please report this as a bug"
)


def findings(home: Home) -> list[Finding]:
    """A finding for each escape; a single finding if builds are not isolated."""
    try:
        reason = sandbox.available()
    except HostError as error:
        reason = error.message
    if reason is not None:
        return [
            note(
                "builds",
                f"not isolated: {reason}",
                "authors of commits can read and change whatever the agent's user can",
                "remove the cause, or build only commits of trusted authors",
            )
        ]
    return try_escapes(home, _as_builds_do)


def try_escapes(home: Home, wrap: Wrap) -> list[Finding]:
    """Tries each escape from the sandbox that `wrap` makes."""
    with _bait(home) as bait:
        reached, why = _inside(bait, wrap)
        found = [_finding(one, reached, why) for one in ESCAPES]
        return [_root(bait, wrap), *found, _memory(bait, wrap), _left_behind(bait, wrap)]


def _as_builds_do(command: Sequence[str], places: Places, env: Mapping[str, str]) -> list[str]:
    return sandbox.wrap(command, places, env, memory_bytes=MEMORY_BYTES)


@dataclass(frozen=True)
class Bait:
    places: Places
    description: str
    """The argument of the tries, as JSON."""


@contextmanager
def _bait(home: Home) -> Iterator[Bait]:
    """Makes a build's directories and the bait that it must not reach: sockets, secrets, a foreign cache."""
    with ExitStack() as stack:
        folder = home.folder("work") / stamp()
        folder.mkdir()
        stack.callback(remove_written, folder)
        names = ("source", "build", "cache", "temporary", "other-cache")
        source, build, cache, temporary, other = (folder / name for name in names)
        for path in (source, build, cache, other):
            path.mkdir()
        python = () if Path(sys.base_prefix).is_relative_to("/usr") else (sys.base_prefix,)
        places = Places(source, build, cache, temporary, fills_cache=False, readable=python)
        places.hand_over()
        port = stack.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]
        abstract = f"nalm-doctor-{secrets.token_hex(8)}"
        listening = stack.enter_context(socket.socket(socket.AF_UNIX))
        listening.bind("\0" + abstract)
        listening.listen()
        secret = folder / "agent.json"
        secret.write_text("{}")
        description = {
            "port": port,
            "abstract": abstract,
            "hidden": [str(home.root), str(secret), str(Path.home() / ".ssh")],
            "shown": [*folders_of(READABLE), *python],
            "other_cache": str(other),
            "memory_bytes": SHARED_MEMORY_BYTES,
            "processes": sandbox.PROCESSES,
        }
        yield Bait(places, json.dumps(description))


def _python(*arguments: str) -> list[str]:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return [str(Path(sys.base_prefix, "bin", version)), "-I", "-S", *arguments]


def _run(bait: Bait, wrap: Wrap, prefix: Sequence[str], *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {"PATH": os.environ.get("PATH", os.defpath), "HOME": HOME}
    command = [*prefix, *wrap(_python(*arguments), bait.places, env)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=LIMIT_SECONDS, stdin=subprocess.DEVNULL
    )


def _inside(bait: Bait, wrap: Wrap) -> tuple[Mapping[str, str | None] | None, str]:
    """What each try reached, by name; None and the reason if the tries could not run."""
    source = Path(escape_tries.__file__).read_text()
    try:
        done = _run(bait, wrap, [], "-c", source, bait.description)
        return json.loads(done.stdout.strip().splitlines()[-1]), ""
    except subprocess.TimeoutExpired:
        return None, f"the tries took longer than {LIMIT_SECONDS} s"
    except (OSError, ValueError, IndexError):
        said = done.stderr.strip().splitlines()
        return None, f"the tries could not be made: {said[-1] if said else f'exit code {done.returncode}'}"


def _finding(escape: Escape, reached: Mapping[str, str | None] | None, why: str) -> Finding:
    name = f"escape: {escape.name}"
    if reached is None:
        return unknown(name, f"not tried: {why}", escape.effect, escape.cure)
    what = reached[escape.name]
    return ok(name, "closed") if what is None else note(name, f"open: {what}", escape.effect, escape.cure)


def _root(bait: Bait, wrap: Wrap) -> Finding:
    """Finds out, from outside, which user owns the files that a build makes."""
    done = _run(bait, wrap, [], "-c", "open('/nalm/build/mine', 'w')")
    mine = bait.places.build / "mine"
    if not mine.exists():
        return _finding(_ROOT, None, f"the try could not be made: {done.stderr.strip()[-200:]}")
    return _finding(_ROOT, {_ROOT.name: "it runs as root" if mine.stat().st_uid == 0 else None}, "")


def _memory(bait: Bait, wrap: Wrap) -> Finding:
    """Runs two processes that together need more memory than the group has."""
    if (reason := without_group()) is not None:
        return _finding(_MEMORY, {_MEMORY.name: reason}, "")
    with build_group(Limits(GROUP_BYTES, 64)) as group:
        done = _run(bait, wrap, group.prefix, "-c", _GREEDY)
        both = "both" in done.stdout and not group.out_of_memory()
    return _finding(_MEMORY, {_MEMORY.name: "the group's memory limit was exceeded" if both else None}, "")


def _left_behind(bait: Bait, wrap: Wrap) -> Finding:
    """Starts a process in its own session that holds a lock, and checks whether it survives the build."""
    done = _run(bait, wrap, [], "-c", _LEFT)
    lock = bait.places.build / "lock"
    if done.returncode != 0 or not lock.exists():
        return _finding(_LEFT_BEHIND, None, done.stderr.strip()[-200:])
    with lock.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            left = None
        except BlockingIOError:
            left = "a build's process survives the build"
    return _finding(_LEFT_BEHIND, {_LEFT_BEHIND.name: left}, "")
