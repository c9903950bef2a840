# SPDX-License-Identifier: Apache-2.0
"""The result of one comparison as a line of JSON, and the file of results, which a killed run continues."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path
from typing import Literal

from nalm_core.text.json_option import STDOUT
from nalm_core.text.mistakes import first_mistake
from pydantic import BaseModel, ConfigDict, ValidationError

from nalm_agent.runtime.errors import UsageError

Outcome = Literal["same", "improved", "regressed", "inconclusive", "invalid", "broken", "error", "skipped"]
"""The verdict's outcome; or `error`: nothing could be measured; `skipped`: not measurable on this host."""
AA_KIND = "a-a"


class Line(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Seconds(Line):
    """Duration of a comparison's parts. None: the part did not run."""

    build: float | None = None
    waiting: float | None = None
    """Time of waiting for a CPU or a build of another measurement."""
    count: float | None = None
    cycles: float | None = None
    total: float


class StageInstructions(Line):
    """A stage whose instructions changed."""

    stage: str
    ln_ipp: float | None
    chain_share: float
    """Share of the chain's instructions per packet."""


class Expected(Line):
    """The expectations of the mutant's header."""

    expect: str
    kind: str
    stage: str | None = None
    cause: str | None = None
    ipp: float | None = None
    """Relative change of the chain's instructions per packet."""
    cpp: float | None = None
    """Relative change of the chain's cycles per packet."""
    cpp_estimated: bool = False
    mechanism: str | None = None
    """Why its cycles change, one of read.MECHANISMS."""


class Record(Line):
    name: str
    key: str
    """Digest of all inputs. A record with the same key need not be measured again."""
    scenario: str
    expected: Expected
    outcome: Outcome
    reason: str
    culprit_stages: list[str] = []
    cause: str | None = None
    instruction_changes: list[StageInstructions] = []
    detail: str | None = None
    """The cause as explained; None: there was nothing to explain, or an older record."""
    possible: list[str] = []
    """Causes that were said to be possible and not distinguished."""
    untouched: int = 0
    """Rows of stages whose instructions are the same and which the mutant does not name."""
    marked: int = 0
    """Rows among them that the verdict calls a change of their own."""
    margin: float | None = None
    """Relative change of CPP that mattered in this run."""
    ratio_cpp: float | None = None
    low: float | None = None
    high: float | None = None
    ratio_ipp: float | None = None
    launches: int = 0
    host: str | None = None
    host_class: str | None = None
    version: str | None = None
    """Version of nalm."""
    at: datetime | None = None
    """Time of the measurement; None in old records, and if nothing was measured."""
    seconds: Seconds


def read_records(path: Path) -> list[Record]:
    """Records of a file, the last one of each comparison, without a last line that a kill cut short.

    Raises UsageError for a file of another program.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror}", hint="name a file made by --json"
        ) from error
    found: dict[str, Record] = {}
    for number, line in enumerate(text.split(b"\n")[:-1], start=1):
        try:
            record = Record.model_validate_json(line)
        except ValidationError as error:
            raise UsageError(
                f"{path}:{number} is no record of nalm-mutants",
                hint="name a file made by --json",
                log=first_mistake(error.errors()),
            ) from error
        found[record.key] = record
    return list(found.values())


class Journal:
    """A file of JSON lines, complete after each line; or standard output. `known`: what it has of a campaign
    that is resumed, without errors, which are measured again."""

    def __init__(self, path: Path | None, *, resume: bool) -> None:
        self._path = path
        self.known: dict[str, Record] = {}
        if path is None or str(path) == STDOUT:
            return
        if path.exists() and not resume:
            raise UsageError(
                f"{path} is there already", hint="go on with --resume, or name another --json FILE"
            )
        if path.exists():
            records = read_records(path)
            self.known = {record.key: record for record in records if record.outcome != "error"}
            self._cut_to_whole_lines(path)
        path.parent.mkdir(parents=True, exist_ok=True)

    @staticmethod
    def _cut_to_whole_lines(path: Path) -> None:
        with path.open("rb+") as file:
            file.truncate(file.read().rfind(b"\n") + 1)

    def add(self, record: Record) -> None:
        """Appends one line and flushes it."""
        if self._path is None:
            return
        line = record.model_dump_json() + "\n"
        if str(self._path) == STDOUT:
            sys.stdout.write(line)
            sys.stdout.flush()
            return
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line)
