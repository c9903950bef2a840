# SPDX-License-Identifier: Apache-2.0
"""Open vSwitch's `ovs-appctl dpif-netdev/pmd-perf-show`, as lib/dpif-netdev-perf.c prints it.

CPP is the cycles of busy iterations divided by the packets taken in, except those lost in upcalls: all others
left or were dropped by a flow. Busy cycles are printed as a share of the used ones, to a tenth of a percent.
CUR is that share, summed over PMD threads.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from nalm_core.imports.figures import (
    CHAIN,
    Given,
    ImportedRun,
    ImportedValue,
    ImportFailedError,
    integer,
    number,
    required,
)

DURATION = re.compile(r"^Measurement duration:\s+(\S+) s")
THREAD = re.compile(r"^pmd thread numa_id \d+ core_id (\d+):")
USED = re.compile(r"^\s*- Used TSC cycles:\s+(\S+)")
BUSY = re.compile(r"^\s*- busy iterations:\s+\S+\s+\(\s*(\S+) % of used cycles\)")
RECEIVED = re.compile(r"^\s*Rx packets:\s+(\S+)")
LOST = re.compile(r"^\s*- Lost upcalls:\s+(\S+)")
SENT = re.compile(r"^\s*Tx packets:\s+(\S+)")


@dataclass(slots=True)
class PmdThread:
    """Figures of one PMD thread since they were cleared: TSC cycles, packets, seconds."""

    core: int
    seconds: float
    """0 if the text has no duration."""
    used: float = 0.0
    busy_share: float | None = None
    received: float = 0.0
    lost: float = 0.0
    sent: float = 0.0
    """A packet sent to two ports counts twice."""

    @property
    def busy(self) -> float:
        """Cycles of iterations with packets."""
        return self.used * (self.busy_share or 0.0)


_FIELDS = (
    ("used", USED, 1.0),
    ("busy_share", BUSY, 0.01),
    ("received", RECEIVED, 1.0),
    ("lost", LOST, 1.0),
    ("sent", SENT, 1.0),
)


def pmd_threads(text: str) -> list[PmdThread]:
    """The threads that ran. Raises ImportFailedError if there are none."""
    threads: list[PmdThread] = []
    seconds = 0.0
    for at, line in enumerate(text.splitlines(), start=1):
        if match := DURATION.match(line):
            seconds = number(match[1], "Measurement duration", line=at, column=match.start(1) + 1)
        elif match := THREAD.match(line):
            threads.append(
                PmdThread(integer(match[1], "core_id", line=at, column=match.start(1) + 1), seconds)
            )
        elif threads:
            _take(threads[-1], line, at)
    worked = [one for one in threads if one.used > 0 and one.busy_share is not None]
    if not worked:
        raise ImportFailedError(
            "no PMD thread with used cycles: is this the output of `dpif-netdev/pmd-perf-show` under load?"
        )
    return worked


def read(text: str, given: Given) -> list[ImportedRun]:
    """Reads one run of all PMD threads."""
    threads = pmd_threads(text)
    packets = sum(one.received - one.lost for one in threads)
    if packets <= 0:
        raise ImportFailedError("no packet was received: run `pmd-stats-clear`, send traffic, and show again")
    return [
        ImportedRun(
            required(given.commit, "commit"),
            required(given.scenario, "scenario"),
            required(given.time, "time"),
            [
                ImportedValue(CHAIN, "cpp", sum(one.busy for one in threads) / packets),
                ImportedValue(CHAIN, "cur", sum(one.busy_share or 0.0 for one in threads)),
            ],
        )
    ]


def _take(thread: PmdThread, line: str, at: int) -> None:
    for name, pattern, unit in _FIELDS:
        if match := pattern.match(line):
            setattr(thread, name, unit * number(match[1], name, line=at, column=match.start(1) + 1))
