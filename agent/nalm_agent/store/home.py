# SPDX-License-Identifier: Apache-2.0
"""The agent's directories, and the removal of leftovers of killed runs.

$NALM_HOME/
  store/     builds, their sources and logs, and instruction counts, by content address
  build/     canonical directories of builds that are not isolated: one path per project
  ccache/    compiler cache
  mirrors/   clones of the projects an agent serves
  native/    the agent's own C programs, compiled here
  work/      one directory per running command, stamped with its process
  host-latency.json   measurements of `nalm doctor`
  tuned.json          the settings before `nalm doctor --tune` or `nalm experiment platform`
/dev/shm/nalm-*   probe files of running NFs, with the same stamp (in memory: no write-back during a turn)
"""

from __future__ import annotations

import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from nalm_agent.runtime.errors import HostError
from nalm_agent.store import file_lock
from nalm_agent.store.atomic_file import remove_abandoned_files
from nalm_agent.store.process_stamp import abandoned, stamp
from nalm_agent.store.store import Store

SHARED_MEMORY = Path("/dev/shm")
SETTINGS_RECORD = "tuned.json"
LAST_WRITE_SECONDS = 2.0
RETRY_SECONDS = 0.02


@dataclass(frozen=True)
class WorkDir:
    """Directories that one running command may write to; removed at its end."""

    disk: Path
    memory: Path
    """On /dev/shm if that exists, otherwise the same as `disk`."""

    def fresh(self, name: str) -> Path:
        """A new empty directory on disk."""
        path = self.disk / f"{name}-{secrets.token_hex(4)}"
        path.mkdir()
        return path


@dataclass(frozen=True)
class Home:
    root: Path

    @staticmethod
    def default() -> Home:
        given = os.environ.get("NALM_HOME")
        root = Path(given) if given else Path(platformdirs.user_cache_dir("nalm"))
        return Home(root.absolute())

    def folder(self, name: str) -> Path:
        """The folder, made if necessary. Raises HostError if it cannot be made."""
        path = self.root / name
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise HostError(
                f"cannot create {path}: {error.strerror}", hint="set NALM_HOME to a directory of yours"
            ) from error
        return path

    @contextmanager
    def work(self) -> Iterator[WorkDir]:
        """A directory for this command. Removes leftovers of killed commands first."""
        self.remove_abandoned()
        name = stamp()
        disk = self.folder("work") / name
        memory = SHARED_MEMORY / name if os.access(SHARED_MEMORY, os.W_OK) else disk
        try:
            disk.mkdir()
            memory.mkdir(mode=0o700, exist_ok=True)
            yield WorkDir(disk, memory)
        finally:
            remove_tree(disk)
            remove_tree(memory)
            file_lock.release_all()

    def store(self) -> Store:
        """Builds, sources and counts. Entries that this command uses stay until `work` ends."""
        return Store(self.folder("store"))

    def remove_abandoned(self) -> list[Path]:
        """Removes work directories, probe files and partly written files of commands that no longer run."""
        self.store().remove_abandoned()
        remove_unused_places(self.folder("build"))
        for folder in (self.root, self.folder("native")):
            remove_abandoned_files(folder)
        removed = []
        for parent in (self.folder("work"), SHARED_MEMORY):
            for path in abandoned(parent):
                if _may_remove(path):
                    remove_tree(path)
                    removed.append(path)
        return removed


def _may_remove(path: Path) -> bool:
    """False for another user's, which every command would try to remove for LAST_WRITE_SECONDS."""
    try:
        return os.geteuid() in (0, path.lstat().st_uid)
    except FileNotFoundError:
        return False


def remove_tree(path: Path) -> None:
    """Removes a directory, even while a killed process writes its last file to it.

    The next command removes what is left after LAST_WRITE_SECONDS.
    """
    end = time.monotonic() + LAST_WRITE_SECONDS
    while True:
        shutil.rmtree(path, ignore_errors=True)
        if not path.exists() or time.monotonic() > end:
            return
        time.sleep(RETRY_SECONDS)


def remove_unused_places(folder: Path) -> None:
    """Empties canonical build directories that no process uses."""
    for lock in folder.glob("*.lock"):
        with file_lock.unused(lock) as handle:
            if handle is not None:
                shutil.rmtree(lock.with_suffix(""), ignore_errors=True)
