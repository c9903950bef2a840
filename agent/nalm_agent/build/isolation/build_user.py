# SPDX-License-Identifier: Apache-2.0
"""The user that builds run as: never root.

An agent that is not root builds as its own user. An agent that is root builds as another user, which owns
build directories only. That user cannot enter the agent's directories, so directories that a build needs are
first bound to paths that it can enter, in the build's own mount namespace.
"""

from __future__ import annotations

import os
import pwd
import stat
from dataclasses import dataclass, field
from pathlib import Path

from nalm_agent.runtime.errors import HostError

BUILD_USER = "NALM_BUILD_USER"
"""Environment variable: name or number of the user that an agent run as root builds as."""
SYSTEM_USER = "nalm-build"
"""The default, if this user exists."""
UNUSED_UID = 60988
"""Otherwise this number, or the next lower unused one: distributions assign none of them."""

_PLACES = "/tmp/nalm"
_STAGES = tuple(map(Path, ("/mnt", "/media", "/srv", "/opt", "/var/tmp")))
"""Candidates for the directory where a new /tmp is assembled: it must not contain what the build needs."""
_SHOW = """set -e; umask 022; stage=$1; shift; number=0
mount -t tmpfs -o mode=755,size=1m nalm "$stage"
mkdir "$stage/nalm"
while [ "$1" != -- ]; do
  number=$((number + 1))
  if [ -d "$1" ]; then mkdir "$stage/nalm/$number"; else : >"$stage/nalm/$number"; fi
  mount --rbind "$1" "$stage/nalm/$number"; shift
done
mount --move "$stage" /tmp
shift; exec "$@" """
_WITHOUT_CAPABILITIES = ("--inh-caps=-all", "--ambient-caps=-all")


@dataclass(frozen=True)
class BuildUser:
    uid: int
    gid: int

    def own(self, *directories: Path) -> None:
        """Makes this user the owner of directories, but not of their contents."""
        for directory in directories:
            os.chown(directory, self.uid, self.gid)

    def drop(self) -> list[str]:
        """Prefix with which root runs a command as this user, without any capability.

        The prefix does not set no_new_privs: bubblewrap sets it, and pasta, which runs before bubblewrap,
        does not work with it.
        """
        return [
            "setpriv",
            f"--reuid={self.uid}",
            f"--regid={self.gid}",
            "--clear-groups",
            "--bounding-set=-all",
            *_WITHOUT_CAPABILITIES,
            # Set again: the kernel clears it when the user changes.
            *("--pdeathsig", "KILL"),
            "--",
        ]


def build_user() -> BuildUser | None:
    """The user to build as; None if the agent is not root. Raises HostError for an unusable setting."""
    if os.geteuid() != 0:
        return None
    given = os.environ.get(BUILD_USER)
    user = _named(given) if given else _default()
    if user.uid == 0:
        raise HostError(f"{BUILD_USER}={given} is root", hint="name a user that owns nothing else")
    return user


def _named(name: str) -> BuildUser:
    try:
        entry = pwd.getpwuid(int(name)) if name.isdigit() else pwd.getpwnam(name)
    except KeyError:
        if name.isdigit():
            return BuildUser(int(name), int(name))
        raise HostError(
            f"{BUILD_USER}={name}: there is no such user",
            hint=f"create it (useradd --system --shell /usr/sbin/nologin {name}), or name another",
        ) from None
    return BuildUser(entry.pw_uid, entry.pw_gid)


def _default() -> BuildUser:
    used = {entry.pw_uid for entry in pwd.getpwall()}
    try:
        return _named(SYSTEM_USER)
    except HostError:
        uid = next(number for number in range(UNUSED_UID, 0, -1) if number not in used)
        return BuildUser(uid, uid)


@dataclass
class Passage:
    """The build user's access to the agent's directories: each is bound to a path that the user can enter."""

    user: BuildUser | None
    _shown: list[str] = field(default_factory=list)

    def show(self, path: Path | str) -> str:
        """The path at which the sandbox's starter finds a path of this host."""
        if self.user is None or not Path(path).exists():
            return str(path)
        self._shown.append(str(path))
        return f"{_PLACES}/{len(self._shown)}"

    def prefix(self) -> list[str]:
        """Prefix that runs a command without a capability, as the build user if there is one.

        The command replaces the prefix's process, so no process stays between it and the agent: from a
        root process the kernel could not pass on the agent's end to another user.
        """
        if self.user is None:
            return ["setpriv", *_WITHOUT_CAPABILITIES, "--"]
        stage = next(
            place
            for place in _STAGES
            if place.is_dir() and not any(Path(one).resolve().is_relative_to(place) for one in self._shown)
        )
        return [
            *("unshare", "--mount", "--propagation", "private", "--"),
            *("sh", "-c", _SHOW, "sh", str(stage), *self._shown, "--"),
            *self.user.drop(),
        ]


def take_back(directory: Path) -> None:
    """Makes the agent the owner of a finished build's directory and its contents. Every user may read them,
    and only the agent may write.

    The build's processes have ended, so nothing changes meanwhile. Links are not followed.
    """
    uid, gid = os.geteuid(), os.getegid()
    for folder, folders, files in os.walk(directory):
        for path in (Path(folder), *(Path(folder, name) for name in (*folders, *files))):
            os.chown(path, uid, gid, follow_symlinks=False)
            mode = path.lstat().st_mode
            if stat.S_ISDIR(mode) or stat.S_ISREG(mode):
                kept = stat.S_IMODE(mode) & ~(stat.S_ISUID | stat.S_ISGID | stat.S_IWGRP | stat.S_IWOTH)
                path.chmod(kept | stat.S_IRUSR | stat.S_IWUSR)


def open_to_read(directory: Path) -> None:
    """Lets every user read a directory that the agent made, with any umask. Links are not followed.

    Files that not even their owner may read stay so.
    """
    for folder, _, files in os.walk(directory):
        for path in (Path(folder), *(Path(folder, name) for name in files)):
            mode = path.lstat().st_mode
            readable = mode | (0o555 if stat.S_ISDIR(mode) or mode & stat.S_IXUSR else 0o444)
            if readable != mode and mode & stat.S_IRUSR and not stat.S_ISLNK(mode):
                path.chmod(stat.S_IMODE(readable))


def can_enter(user: BuildUser, directory: Path) -> bool:
    """True if the modes of a directory and all its parents let a user enter it."""
    for folder in (directory, *directory.parents):
        entry = folder.stat()
        if entry.st_uid == user.uid:
            allowed = stat.S_IXUSR
        else:
            allowed = stat.S_IXGRP if entry.st_gid == user.gid else stat.S_IXOTH
        if not entry.st_mode & allowed:
            return False
    return True
