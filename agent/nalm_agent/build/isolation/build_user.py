# SPDX-License-Identifier: Apache-2.0
"""The user that builds run as: never root.

An agent that is not root builds as itself. One that is root drops to a user of its own for builds, which
owns nothing but build directories. That user cannot enter the agent's directories, so those that a
build needs are first bound to places it can enter, in a mount namespace of the build's own.
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
"""Taken if there is such a user and the setting names none."""
UNUSED_UID = 60988
"""Otherwise this number, or the next below that belongs to nobody: distributions assign none of them."""

_PLACES = "/tmp/nalm"
_STAGES = tuple(map(Path, ("/mnt", "/media", "/srv", "/opt", "/var/tmp")))
"""Where a new /tmp is put together: any directory that shows nothing of what goes there."""
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
        """Makes directories, but not what is in them, this user's."""
        for directory in directories:
            os.chown(directory, self.uid, self.gid)

    def drop(self) -> list[str]:
        """Prefix, for root, of a command that then runs as this user, without any capability.

        bubblewrap sets no_new_privs for what it runs; pasta, between this and it, does not work with it.
        """
        return [
            "setpriv",
            f"--reuid={self.uid}",
            f"--regid={self.gid}",
            "--clear-groups",
            "--bounding-set=-all",
            *_WITHOUT_CAPABILITIES,
            # Asked for again: the kernel forgets it when the user changes.
            *("--pdeathsig", "KILL"),
            "--",
        ]


def build_user() -> BuildUser | None:
    """The user to drop to; None if the agent is not root. Raises HostError for one that cannot be."""
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
            hint=f"make it (useradd --system --shell /usr/sbin/nologin {name}), or name another",
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
    """How the build user gets to directories of the agent's: each is shown at a place it can enter."""

    user: BuildUser | None
    _shown: list[str] = field(default_factory=list)

    def show(self, path: Path | str) -> str:
        """Where the one who starts the sandbox finds a path of this host."""
        if self.user is None or not Path(path).exists():
            return str(path)
        self._shown.append(str(path))
        return f"{_PLACES}/{len(self._shown)}"

    def prefix(self) -> list[str]:
        """Command that starts its successor without a capability, as the build user if there is one.

        It becomes its successor: no process stays between that and the agent, whose end the kernel could
        not pass on from root to another user.
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
    """Makes a finished build's directory and all in it the agent's, readable by all and writable by none
    else.

    The build's processes have ended: nothing changes under this. Links are not followed.
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
    """Lets every user read a directory that the agent made, whatever its umask is. Links are not followed."""
    for folder, _, files in os.walk(directory):
        for path in (Path(folder), *(Path(folder, name) for name in files)):
            mode = path.lstat().st_mode
            readable = mode | (0o555 if stat.S_ISDIR(mode) or mode & stat.S_IXUSR else 0o444)
            if readable != mode and not stat.S_ISLNK(mode):
                path.chmod(stat.S_IMODE(readable))


def can_enter(user: BuildUser, directory: Path) -> bool:
    """Whether a user gets to a directory by its path, going by the modes of all above it."""
    for folder in (directory, *directory.parents):
        entry = folder.stat()
        if entry.st_uid == user.uid:
            allowed = stat.S_IXUSR
        else:
            allowed = stat.S_IXGRP if entry.st_gid == user.gid else stat.S_IXOTH
        if not entry.st_mode & allowed:
            return False
    return True
