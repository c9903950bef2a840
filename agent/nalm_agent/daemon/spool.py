# SPDX-License-Identifier: Apache-2.0
"""Reports and results of jobs, kept on disk until the server has taken them.

$NALM_HOME/spool/AGENT/ holds a file for each report and each end of a job: a line of JSON that says which,
then the report (gzip). A file is there whole or not at all, is sent in the order it was written, and is
removed only after the server's answer. So nothing is lost, however the agent ends; what is sent twice changes
nothing.
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

from pydantic import AliasChoices, BaseModel, Field, ValidationError

from nalm_agent.runtime.errors import HostError
from nalm_agent.store.atomic_file import put
from nalm_agent.store.home import Home
from nalm_agent.store.process_stamp import PATTERN, is_abandoned
from nalm_agent.store.store_limit import parse_bytes

log = logging.getLogger(__name__)

FOLDER = "spool"
LIMIT = "NALM_SPOOL_LIMIT"
"""Environment variable: the most it may hold, such as 500M."""
DEFAULT_LIMIT = "1G"
LOCK = "lock"
ASIDE = "unreadable-"


class Label(BaseModel):
    """First line of a file."""

    kind: Literal["report", "finish"]
    server: str
    job_id: int
    fence: int
    result: dict[str, object] = Field({}, validation_alias=AliasChoices("result", "told"))
    """How the job ended; of a finish only."""


@dataclass(frozen=True)
class Item:
    path: Path
    label: Label
    body: bytes


class Spool:
    """Of one agent. What is there is never given up for something newer: a full spool takes nothing more."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    @staticmethod
    def of(home: Home, name: str) -> Spool:
        return Spool(home.folder(FOLDER) / "".join(c if c.isalnum() or c in "-_." else "_" for c in name))

    def put(self, label: Label, body: bytes = b"") -> None:
        """Returns when it is on the disk. Raises HostError when there is no room for it."""
        content = label.model_dump_json().encode() + b"\n" + body
        limit = limit_bytes()
        if self.size() + len(content) > limit:
            raise HostError(
                f"the spool {self.folder} is full: {self.size()} bytes wait for the server, {limit} may",
                hint=f"see why the server takes none of it (the agent's log says), or raise {LIMIT}",
            )
        try:
            put(self.folder / f"{time.time_ns():020d}-{label.job_id}-{label.kind}", content)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            raise HostError(
                f"the disk of {self.folder} is full: the result of job {label.job_id} could not be kept",
                hint="free some space: `nalm store --prune` removes old builds",
            ) from error

    def items(self) -> Iterator[Item]:
        """Oldest first, without those that are removed meanwhile. What cannot be read is put aside."""
        for path in self._paths():
            try:
                line, _, body = path.read_bytes().partition(b"\n")
            except FileNotFoundError:
                continue
            try:
                label = Label.model_validate_json(line)
            except ValidationError as error:
                log.warning("%s cannot be read and is put aside as %s%s: %s", path, ASIDE, path.name, error)
                path.rename(path.with_name(f"{ASIDE}{path.name}"))
                continue
            yield Item(path, label, body)

    def remove(self, item: Item) -> None:
        item.path.unlink(missing_ok=True)

    def remove_job(self, label: Label) -> int:
        """Everything of one lease; how many there were."""
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
        """So full that the next result may not fit."""
        return self.size() > limit_bytes() // 2

    @contextmanager
    def sending(self) -> Iterator[None]:
        """One process sends at a time; leftovers of killed ones are removed."""
        with (self.folder / LOCK).open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for path in self.folder.glob(f".{PATTERN}"):
                if is_abandoned(path.name.removeprefix(".")):
                    path.unlink(missing_ok=True)
            yield

    def _paths(self) -> list[Path]:
        return sorted(path for path in self.folder.iterdir() if path.name[0].isdigit())


def limit_bytes() -> int:
    return parse_bytes(os.environ.get(LIMIT, DEFAULT_LIMIT))
