# SPDX-License-Identifier: Apache-2.0
"""Runs what a commit brings along (its build commands) in namespaces of its own, by bubblewrap.

Inside, a build sees the system's programs and libraries, the sources (all read-only), its build
directory, the compiler cache and a /tmp of its own (writable); no network, no other process, no home, no
token, no environment but what is given. Paths inside are the same for every build, so equal code gives
equal bytes. All of it dies with the agent.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from nalm_agent.errors import HostError

ISOLATION = "NALM_ISOLATION"
"""Environment variable: a `Policy`."""
READABLE = "NALM_BUILD_READ"
"""Environment variable: directories of this host that builds may read beside the system's, split by :"""

SOURCE, BUILD, CACHE = "/nalm/source", "/nalm/build", "/nalm/ccache"
HOME = "/tmp/home"
PROCESSES = 4096
"""Processes at a time."""
FILE_BYTES = 16 << 30
"""Largest file a build may write."""

_SYSTEM = ("usr", "etc", "opt", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "nix")
_SECRETS = ("/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-")
_SECRET_FOLDERS = ("/etc/ssh", "/etc/ssl/private")
_RESOLVER = "/run/systemd/resolve"
_TRIAL_SECONDS = 20


class Policy(StrEnum):
    """Whether builds are isolated: `NALM_ISOLATION`."""

    AUTO = "auto"
    """Where this host can; the report says when it could not. Default at a desk."""
    REQUIRED = "required"
    """Nothing is built without. Default of `nalm agent`."""
    NONE = "none"


class Isolation(StrEnum):
    """How a build was made."""

    BUBBLEWRAP = "bubblewrap"
    NONE = "none"


@dataclass(frozen=True)
class Places:
    """Directories of the host that a build gets to see."""

    source: Path
    build: Path
    cache: Path
    temporary: Path


def policy() -> Policy:
    """What the environment says. Raises HostError for a word that is none of a Policy's."""
    word = os.environ.get(ISOLATION, Policy.AUTO)
    try:
        return Policy(word)
    except ValueError as error:
        known = ", ".join(Policy)
        raise HostError(f"{ISOLATION}={word} is not known", hint=f"set it to one of {known}") from error


def isolation() -> Isolation:
    """How builds are made on this host. Raises HostError if isolation is required and cannot be had."""
    wanted = policy()
    if wanted is Policy.NONE:
        return Isolation.NONE
    reason = available()
    if reason is None:
        return Isolation.BUBBLEWRAP
    if wanted is Policy.REQUIRED:
        raise HostError(
            f"builds cannot be isolated here, and {ISOLATION} is required: {reason}",
            hint=f"cure that, or set {ISOLATION}=auto if every commit built here can be trusted",
        )
    return Isolation.NONE


@cache
def available() -> str | None:
    """None if builds can be isolated here, else the reason why not. Tries it out, once per process."""
    for program, package in (("bwrap", "bubblewrap"), ("prlimit", "util-linux")):
        if shutil.which(program) is None:
            return f"{program} is not installed (apt-get install {package})"
    command = [*_namespaces(network=False), *_system(), "--remount-ro", "/", "--", "true"]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=_TRIAL_SECONDS,
            env={"PATH": os.environ.get("PATH", os.defpath)},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bwrap could not be tried out: {error}"
    if done.returncode == 0:
        return None
    said = done.stderr.strip().splitlines()
    return f"the kernel lets this user make no namespaces: {said[-1] if said else 'no reason given'}"


def wrap(
    command: Sequence[str], places: Places, env: Mapping[str, str], *, memory_bytes: int, network: bool
) -> list[str]:
    """The command line that runs a command inside, in its source directory, with no environment but `env`."""
    binds = [
        *("--ro-bind", str(places.source), SOURCE),
        *("--bind", str(places.build), BUILD),
        *("--bind", str(places.cache), CACHE),
        *("--bind", str(places.temporary), "/tmp"),
    ]
    variables = [word for name, value in env.items() for word in ("--setenv", name, value)]
    return [
        *_namespaces(network=network),
        *_system(),
        *(("--ro-bind-try", _RESOLVER, _RESOLVER) if network else ()),
        *binds,
        *_readable(),
        *("--remount-ro", "/", "--chdir", SOURCE, "--clearenv"),
        *variables,
        "--",
        *limits(memory_bytes),
        *command,
    ]


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


def _namespaces(*, network: bool) -> list[str]:
    own = ["user", "pid", "ipc", "uts", *(() if network else ("net",))]
    return [
        "bwrap",
        *(f"--unshare-{name}" for name in own),
        "--unshare-cgroup-try",
        *("--hostname", "nalm"),
        "--die-with-parent",
        "--new-session",
        *("--cap-drop", "ALL"),
    ]


def _system() -> list[str]:
    """The host's programs and libraries, read-only, without what only root may read."""
    words = ["--dev", "/dev", "--proc", "/proc"]
    for name in _SYSTEM:
        path = Path("/", name)
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            words += ["--ro-bind", str(path), str(path)]
    for secret in _SECRETS:
        if Path(secret).exists():
            words += ["--ro-bind", "/dev/null", secret]
    for folder in _SECRET_FOLDERS:
        if Path(folder).is_dir():
            words += ["--tmpfs", folder]
    return words


def _readable() -> list[str]:
    given = [path for path in os.environ.get(READABLE, "").split(":") if path]
    return [word for path in given for word in ("--ro-bind", path, path)]
