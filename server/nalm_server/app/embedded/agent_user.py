# SPDX-License-Identifier: Apache-2.0
"""The user of the agent that `up` runs: not the server's own if `up` is root.

An agent runs what commits contain, and a measured NF is not sandboxed: it has the rights of the agent's user.
Another user cannot read the server's tokens, key and database.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from nalm_server.app.embedded.failure import StartError
from nalm_server.base.settings import CAPABILITIES, Settings

SYSTEM_USER = "nalm-agent"
"""Used if there is such a user and the setting names none."""
UNUSED_UID = 60987
"""Otherwise this number, or the next unused one below: distributions assign none of them."""
HOME, AGENT_READ = "NALM_HOME", "NALM_AGENT_READ"
TOKEN = "server.token"
GIT_SETTINGS = "gitconfig"
STAGE = "view"
"""Empty subdirectory of the state directory, in which the agent's view is assembled."""
_OF_A_HOME = {"store", "work"}
_TRIAL_SECONDS = 60
_SHOW = """set -e; umask 022; stage=$1; shift
while [ "$1" != -- ]; do
  count=$1 folder=$2; shift 2
  mount -t tmpfs -o mode=755,size=1m nalm "$stage"
  while [ "$count" -gt 0 ]; do
    mkdir -p "$stage${1#"$folder"}"; mount --rbind "$1" "$stage${1#"$folder"}"; shift; count=$((count - 1))
  done
  mount --move "$stage" "$folder"
done
shift; exec "$@" """
"""Replaces each closed directory by a file system in memory, with bind mounts of what the agent needs."""


@dataclass(frozen=True)
class AgentUser:
    uid: int
    gid: int
    name: str


@dataclass(frozen=True)
class Start:
    """How to start the agent."""

    prefix: list[str]
    environment: dict[str, str]
    token_file: Path
    apart: bool
    """The agent's user is not the server's."""
    about: str
    """For the operator: what people who commit can do on this host."""


def agent_start(settings: Settings, nalm: str, token_file: Path) -> Start:
    """As another user if this is root and it works; else as this user. Raises StartError for an impossible
    setting.
    """
    user = agent_user(settings)
    if user is None:
        return _as_this_user(settings, token_file, "start it as root to have its agent run as another user")
    home = _home(settings)
    _give(home, user)
    token = _private(home / TOKEN, token_file.read_text(), user)
    git = _private(home / GIT_SETTINGS, "[safe]\n\tdirectory = *\n", user)
    try:
        prefix = [
            *_view(user, (*_needed(nalm), home), settings.state_dir.resolve() / STAGE),
            *_drop(user, settings),
        ]
    except OSError as error:
        return _as_this_user(settings, token_file, str(error))
    environment = {HOME: str(home), "HOME": str(home), "GIT_CONFIG_GLOBAL": str(git), "USER": user.name}
    if (reason := _refused([*prefix, nalm, "--version"], environment)) is not None:
        return _as_this_user(settings, token_file, reason)
    about = (
        f"committed code is built in a sandbox and measured as user {user.name}: it can read what every "
        f"user of this host can, and the agent's own files in {home}, but not this server's files"
    )
    return Start(prefix, environment, token, apart=True, about=about)


def agent_user(settings: Settings) -> AgentUser | None:
    """The agent's user; None: this user. Raises StartError for a user that does not exist."""
    if os.geteuid() != 0 or settings.agent_user == "root":
        return None
    name = settings.agent_user
    try:
        entry = pwd.getpwnam(name or SYSTEM_USER)
    except KeyError:
        if name is not None:
            raise StartError(
                f"NALM_AGENT_USER={name}: there is no such user. "
                f"Create it (useradd --system {name}), or name another."
            ) from None
        used = {one.pw_uid for one in pwd.getpwall()}
        uid = next(number for number in range(UNUSED_UID, 0, -1) if number not in used)
        return AgentUser(uid, uid, str(uid))
    return AgentUser(entry.pw_uid, entry.pw_gid, entry.pw_name)


def _as_this_user(settings: Settings, token_file: Path, reason: str) -> Start:
    who = pwd.getpwuid(os.geteuid()).pw_name if os.geteuid() == 0 else f"user {os.geteuid()}"
    about = (
        f"anyone who commits to a project measured here can run programs as {who}, like this server, and "
        f"read admin.token, secret.key and nalm.db in {settings.state_dir.resolve()}: {reason}"
    )
    return Start([], {}, token_file, apart=False, about=about)


def _home(settings: Settings) -> Path:
    given = os.environ.get(HOME)
    state = settings.state_dir.resolve()
    return Path(given).absolute() if given else state.with_name(f"{state.name}-agent")


def _give(home: Path, user: AgentUser) -> None:
    """Makes the directory the agent's home: a new one, or one of an earlier agent's user. Raises StartError
    for a directory with other files.
    """
    home.mkdir(parents=True, exist_ok=True)
    if home.stat().st_uid != user.uid:
        names = {path.name for path in home.iterdir()}
        if names and not names >= _OF_A_HOME:
            raise StartError(
                f"{home} must be the agent's home but holds other files: name an empty directory in {HOME}."
            )
        # The home itself last: if this is interrupted, the next start does it again.
        for folder, folders, files in os.walk(home, topdown=False):
            for name in (*folders, *files):
                os.chown(Path(folder, name), user.uid, user.gid, follow_symlinks=False)
        os.chown(home, user.uid, user.gid)
    home.chmod(0o700)


def _private(path: Path, content: str, user: AgentUser) -> Path:
    """Writes a file that only the agent can read. Replaces an existing one without following links."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "w") as file:
        file.write(content)
        os.fchown(file.fileno(), user.uid, user.gid)
    return path


def _needed(nalm: str) -> Iterator[Path]:
    """Directories with the agent's program and its Python, and those that the operator names."""
    yield from (Path(sys.base_prefix), Path(sys.prefix), Path(nalm).absolute().parent.parent)
    for package in ("nalm_agent", "nalm_core"):
        found = importlib.util.find_spec(package)
        if found is not None and found.origin is not None:
            yield Path(found.origin).parent
    yield from (Path(path) for path in os.environ.get(AGENT_READ, "").split(":") if path)


def _view(user: AgentUser, needed: Iterable[Path], stage: Path) -> list[str]:
    """Empty if the user can read all of it. Else a mount namespace that shows only the needed directories
    below those that are closed to the user (such as an installation in /root).

    Raises OSError for a missing path.
    """
    closed: dict[Path, set[Path]] = {}
    for path in needed:
        if (first := _closed_to(user, path)) is not None:
            closed.setdefault(first, set()).add(path)
    if not closed:
        return []
    stage.mkdir(exist_ok=True)
    words = [str(stage)]
    for folder, paths in closed.items():
        words += [str(len(paths)), str(folder), *map(str, sorted(paths))]
    return ["unshare", "--mount", "--propagation", "private", "--", "sh", "-c", _SHOW, "sh", *words, "--"]


def _closed_to(user: AgentUser, path: Path) -> Path | None:
    """The first parent directory of a path that the user cannot enter."""
    for folder in reversed(path.parents):
        entry = folder.stat()
        if entry.st_uid == user.uid:
            allowed = stat.S_IXUSR
        else:
            allowed = stat.S_IXGRP if entry.st_gid == user.gid else stat.S_IXOTH
        if not entry.st_mode & allowed:
            return folder
    return None


def _drop(user: AgentUser, settings: Settings) -> list[str]:
    """Drops root's capabilities, except available ones of `agent_capabilities`."""
    names = [name for name in settings.agent_capabilities.split(",") if name in _held()]
    kept = ",".join(["-all", *(f"+{name}" for name in names)])
    return [
        "setpriv",
        f"--reuid={user.uid}",
        f"--regid={user.gid}",
        "--clear-groups" if user.name == str(user.uid) else "--init-groups",
        "--no-new-privs",
        *(f"--{which}={kept}" for which in ("bounding-set", "inh-caps", "ambient-caps")),
        *("--pdeathsig", "TERM", "--"),
    ]


def _held() -> set[str]:
    """Those of CAPABILITIES that this process has."""
    for line in Path("/proc/self/status").read_text().splitlines():
        name, _, bits = line.partition(":")
        if name == "CapEff":
            return {one for one, number in CAPABILITIES.items() if int(bits, 16) >> number & 1}
    return set()


def _refused(command: list[str], environment: dict[str, str]) -> str | None:
    """Why a command fails; None if it works."""
    if shutil.which(command[0]) is None:
        return f"{command[0]} is not installed"
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=_TRIAL_SECONDS,
            env=os.environ | environment,
            cwd="/",
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"its agent cannot be run as another user: {error}"
    said = (done.stderr or done.stdout).strip().splitlines()
    return (
        None
        if done.returncode == 0
        else f"its agent cannot be run as another user: {said[-1] if said else done.returncode}"
    )
