# SPDX-License-Identifier: Apache-2.0
"""Runs a commit's build commands in separate namespaces, by bubblewrap.

A build sees the system's programs and libraries and the sources (read-only), and its build directory, the
compiler cache and its own /tmp (writable). It sees no network, no other process, no home and no token, and
gets only the given environment. It is not root, has no capabilities and cannot make user namespaces. Paths
and user inside are the same for every build, so that equal code gives equal bytes. All its processes end with
the command, and with the agent.
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from signal import SIGINT, SIGKILL, SIGTERM
from tempfile import TemporaryDirectory

from nalm_agent.build.compiler_cache import hand_over_cache
from nalm_agent.build.isolation.build_user import Passage, build_user, open_to_read
from nalm_agent.build.isolation.network import Network, network_prefix
from nalm_agent.build.isolation.system_view import etc_view, made_up_etc, system_view
from nalm_agent.native.development_files import READABLE, folders_of
from nalm_agent.runtime.errors import HostError

ISOLATION = "NALM_ISOLATION"
"""Environment variable: a `Policy`."""

SOURCE, BUILD, CACHE, BESIDE = "/nalm/source", "/nalm/build", "/nalm/ccache", "/nalm/config"
OBJECTS = "/nalm/objects"
HOME = "/tmp/home"
USER_ID = 1000
"""User id of builds, inside the sandbox."""
PROCESSES = 4096
"""Most processes of a build at a time."""
FILE_BYTES = 16 << 30
"""Largest file a build may write."""

_TRIAL_SECONDS = 20
_TRIAL = "touch /nalm/build/it /tmp/it && if (: >>/proc/sys/kernel/core_pattern) 2>/dev/null; then exit 9; fi"
_WRITES_SETTINGS = 9
STOPPED = frozenset(code for one in (SIGINT, SIGKILL, SIGTERM) for code in (-one, 128 + one))
"""Exit codes of a command, and of a shell, that a signal ended."""
_AS_FIRST_PROCESS = ("sh", "-c", '"$@"; exit $?', "sh")
"""Process 1 of the sandbox. When it ends, the kernel first kills all other processes inside."""


class Policy(StrEnum):
    """Whether builds are isolated: `NALM_ISOLATION`."""

    AUTO = "auto"
    """Builds are isolated if this host can; otherwise the report has a note. Default of commands."""
    REQUIRED = "required"
    """Builds are isolated or not made. Default of `nalm agent`."""
    NONE = "none"


class Isolation(StrEnum):
    """How a build was made."""

    BUBBLEWRAP = "bubblewrap"
    NONE = "none"


@dataclass(frozen=True)
class Places:
    """Directories of the host that a build can access."""

    source: Path
    build: Path
    cache: Path
    temporary: Path
    fills_cache: bool = True
    """Whether the build may write to the cache."""
    beside: Path | None = None
    """Copies of files beside the file of --config; the build only reads them."""
    readable: tuple[str, ...] = ()
    """Further directories, at their own paths."""
    objects: Path | None = None
    """A finished build, which a link only reads."""

    def hand_over(self) -> None:
        """Makes the build user the owner of all writable directories. Call it before each build."""
        (self.temporary / "home").mkdir(parents=True, exist_ok=True)
        if user := build_user():
            open_to_read(self.source)
            user.own(self.build, self.temporary, self.temporary / "home")
            if self.fills_cache:
                hand_over_cache(self.cache, user)


def policy() -> Policy:
    """The policy of the environment. Raises HostError for an unknown word."""
    word = os.environ.get(ISOLATION, Policy.AUTO)
    try:
        return Policy(word)
    except ValueError as error:
        known = ", ".join(Policy)
        raise HostError(f"{ISOLATION}={word} is not known", hint=f"set it to one of {known}") from error


def isolation() -> Isolation:
    """How this host makes builds. Raises HostError if isolation is required and unavailable."""
    chosen = policy()
    if chosen is Policy.NONE:
        return Isolation.NONE
    reason = available()
    if reason is None:
        return Isolation.BUBBLEWRAP
    if chosen is Policy.REQUIRED:
        raise HostError(
            f"{ISOLATION} is required, and this host cannot isolate builds: {reason}",
            hint=f"fix that, or set {ISOLATION}=auto if all commits built here are trusted",
        )
    return Isolation.NONE


@cache
def available() -> str | None:
    """None if this host can isolate builds, else the reason. Tries it once per process, with a build that
    writes to permitted and to forbidden places.

    Raises HostError, and tries it again the next time, if something else stopped that build.
    """
    for program, package in (("bwrap", "bubblewrap"), ("prlimit", "util-linux"), ("setpriv", "util-linux")):
        if shutil.which(program) is None:
            return f"{program} is not installed (apt-get install {package})"
    with TemporaryDirectory(prefix="nalm-trial-") as folder:
        source, build, cache, temporary = (Path(folder, name) for name in ("source", "build", "cache", "tmp"))
        places = Places(source, build, cache, temporary)
        for place in (places.source, places.build, places.cache):
            place.mkdir()
        places.hand_over()
        path = {"PATH": os.environ.get("PATH", os.defpath)}
        command = _inside(["sh", "-c", _TRIAL], places, path, network=None)
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=_TRIAL_SECONDS, env=path
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise _untried(str(error)) from error
    if done.returncode == 0:
        return None
    if done.returncode in STOPPED or os.strerror(errno.ENOSPC) in done.stderr:
        raise _untried(done.stderr.strip() or f"exit code {done.returncode}")
    if done.returncode == _WRITES_SETTINGS:
        return "a build could write the kernel's settings in /proc/sys"
    said = done.stderr.strip().splitlines()
    return f"the kernel lets this user make no namespaces: {said[-1] if said else 'no reason given'}"


def _untried(reason: str) -> HostError:
    return HostError(f"bwrap could not be tried out: {reason}", hint="look for full disks and lack of memory")


def wrap(
    command: Sequence[str],
    places: Places,
    env: Mapping[str, str],
    *,
    memory_bytes: int,
    network: Network | None = None,
) -> list[str]:
    """The command line that runs a command inside, in its source directory, with only the variables `env`.

    network: what the build gets if it requests the network; None: nothing.
    """
    return _inside([*limits(memory_bytes), *command], places, env, network=network)


def starters_environment() -> dict[str, str]:
    """Variables for starting a sandbox (systemd-run calls the user's systemd); they are not passed inside."""
    names = ("PATH", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")
    return {name: os.environ[name] for name in names if name in os.environ}


def limits(memory_bytes: int) -> list[str]:
    """Prefix that limits a command and each of its children: private memory, file size, processes."""
    return [
        "prlimit",
        f"--data={memory_bytes}",
        f"--fsize={FILE_BYTES}",
        f"--nproc={PROCESSES}",
        "--core=0",
        "--",
    ]


def _inside(
    command: Sequence[str], places: Places, env: Mapping[str, str], *, network: Network | None
) -> list[str]:
    passage = Passage(build_user())
    binds = [
        *("--ro-bind", passage.show(places.source), SOURCE),
        *("--bind", passage.show(places.build), BUILD),
        *_cache(passage, places),
        *("--bind", passage.show(places.temporary), "/tmp"),
        *(("--ro-bind", passage.show(places.beside), BESIDE) if places.beside is not None else ()),
        *(("--ro-bind", passage.show(places.objects), OBJECTS) if places.objects is not None else ()),
    ]
    for path in (*folders_of(READABLE), *places.readable):
        binds += ["--ro-bind", passage.show(path), path]
    etc = etc_view(passage.show(made_up_etc()), network=network is not None)
    variables = [word for name, value in env.items() for word in ("--setenv", name, value)]
    return [
        *passage.prefix(),
        *network_prefix(network or Network.NO),
        *_namespaces(network=network is not None),
        *system_view(),
        *etc,
        *binds,
        *("--remount-ro", "/", "--chdir", SOURCE, "--clearenv"),
        *variables,
        "--",
        *_AS_FIRST_PROCESS,
        *command,
    ]


def _cache(passage: Passage, places: Places) -> tuple[str, str, str]:
    bind = "--bind" if places.fills_cache else "--ro-bind"
    return bind, passage.show(places.cache), CACHE


def _namespaces(*, network: bool) -> list[str]:
    own = ["user", "pid", "ipc", "uts", *(() if network else ("net",))]
    return [
        "bwrap",
        *(f"--unshare-{name}" for name in own),
        "--unshare-cgroup-try",
        *("--uid", str(USER_ID), "--gid", str(USER_ID)),
        *(("--disable-userns",) if _knows_disable_userns() else ()),
        *("--hostname", "nalm"),
        "--die-with-parent",
        "--new-session",
        "--as-pid-1",
        *("--cap-drop", "ALL"),
    ]


@cache
def _knows_disable_userns() -> bool:
    """True for bubblewrap 0.8.0 and later."""
    done = subprocess.run(["bwrap", "--help"], capture_output=True, text=True, check=False)
    return "--disable-userns" in done.stdout
