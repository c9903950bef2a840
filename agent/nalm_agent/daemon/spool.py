# SPDX-License-Identifier: Apache-2.0
"""Reports and results of jobs, kept on disk until the server has accepted them.

$NALM_HOME/spool/AGENT/ has a file for each report and each end of a job: a JSON line with its label, then the
report (gzip). Files are written atomically, sent in the order of writing, and removed only after the server's
answer. So nothing is lost, however the agent ends; sending a file twice changes nothing.
"""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from nalm_core.text.mistakes import first_mistake
from pydantic import AliasChoices, BaseModel, Field, ValidationError

from nalm_agent.runtime.errors import HostError
from nalm_agent.store.atomic_file import put, remove_abandoned_files
from nalm_agent.store.home import Home
from nalm_agent.store.store_limit import parse_bytes

log = logging.getLogger(__name__)

FOLDER = "spool"
LIMIT = "NALM_SPOOL_LIMIT"
"""Environment variable: the size limit of the spool, such as 500M."""
DEFAULT_LIMIT = "1G"
LOCK = "lock"
ASIDE = "unreadable-"


class Label(BaseModel):
    """The first line of a file."""

    kind: Literal["report", "finish"]
    server: str
    job_id: int
    fence: int
    result: dict[str, object] = Field({}, validation_alias=AliasChoices("result", "told"))
    """How the job ended; only in the file of a job's end."""


@dataclass(frozen=True)
class Item:
    path: Path
    label: Label
    body: bytes


class Spool:
    """The spool of one agent. A full spool accepts nothing more; it never drops items for newer ones."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    @staticmethod
    def of(home: Home, name: str) -> Spool:
        return Spool(home.folder(FOLDER) / "".join(c if c.isalnum() or c in "-_." else "_" for c in name))

    def put(self, label: Label, body: bytes = b"") -> None:
        """Writes an item durably. Raises HostError if there is no space."""
        content = label.model_dump_json().encode() + b"\n" + body
        limit = limit_bytes()
        if self.size() + len(content) > limit:
            raise HostError(
                f"the spool {self.folder} is full: {self.size()} of {limit} bytes wait for the server",
                hint=f"see the agent's log for why the server accepts none of it, or raise {LIMIT}",
            )
        try:
            put(self.folder / f"{self._next_number():020d}-{label.job_id}-{label.kind}", content)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            raise HostError(
                f"the disk of {self.folder} is full: the result of job {label.job_id} could not be kept",
                hint="free some space: `nalm store --prune` removes old builds",
            ) from error

    def items(self) -> Iterator[Item]:
        """Items, oldest first, without those removed meanwhile. Unreadable files are set aside."""
        for path in self._paths():
            try:
                line, _, body = path.read_bytes().partition(b"\n")
            except FileNotFoundError:
                continue
            try:
                label = Label.model_validate_json(line)
            except ValidationError as error:
                why = first_mistake(error.errors())
                log.warning("%s cannot be read and is set aside as %s%s: %s", path, ASIDE, path.name, why)
                path.rename(path.with_name(f"{ASIDE}{path.name}"))
                continue
            yield Item(path, label, body)

    def remove(self, item: Item) -> None:
        item.path.unlink(missing_ok=True)

    def remove_job(self, label: Label) -> int:
        """Removes all items of one lease and returns their number."""
        lease = (label.server, label.job_id, label.fence)
        mine = [one for one in self.items() if (one.label.server, one.label.job_id, one.label.fence) == lease]
        for one in mine:
            self.remove(one)
        return len(mine)

    def __len__(self) -> int:
        return len(self._paths())

    def size(self) -> int:
        return sum(path.stat().st_size for path in self._paths())

    def full(self) -> bool:
        """True if the next result may not fit."""
        return self.size() > limit_bytes() // 2

    @contextmanager
    def sending(self) -> Iterator[None]:
        """Lets one process send at a time, and removes leftovers of killed ones."""
        with (self.folder / LOCK).open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            remove_abandoned_files(self.folder)
            yield

    def _next_number(self) -> int:
        """The time, or the number after the newest item's if the clock was set back."""
        newest = max((int(path.name.partition("-")[0]) for path in self._paths()), default=0)
        return max(time.time_ns(), newest + 1)

    def _paths(self) -> list[Path]:
        return sorted(path for path in self.folder.iterdir() if path.name[0].isdigit())


def limit_bytes() -> int:
    return parse_bytes(os.environ.get(LIMIT, DEFAULT_LIMIT))
