# SPDX-License-Identifier: Apache-2.0
"""Open vSwitch's `ovs-appctl dpif-netdev/pmd-perf-show`, as lib/dpif-netdev-perf.c prints it.

CPP is the cycles of busy iterations over the packets taken in, less those lost in upcalls: the others left
or a flow dropped them. Busy cycles are a share of the used ones, printed to a tenth of a per cent. CUR is
that share, summed over PMD threads.
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
    number,
    required,
)

THREAD = re.compile(r"^pmd thread numa_id \d+ core_id \d+:")
USED = re.compile(r"^\s*- Used TSC cycles:\s+(\S+)")
BUSY = re.compile(r"^\s*- busy iterations:\s+\S+\s+\(\s*(\S+) % of used cycles\)")
RECEIVED = re.compile(r"^\s*Rx packets:\s+(\S+)")
LOST = re.compile(r"^\s*- Lost upcalls:\s+(\S+)")


@dataclass(slots=True)
class _Thread:
    used: float = 0.0
    busy_share: float | None = None
    received: float = 0.0
    lost: float = 0.0


_FIELDS = (("used", USED, 1.0), ("busy_share", BUSY, 0.01), ("received", RECEIVED, 1.0), ("lost", LOST, 1.0))


def read(text: str, given: Given) -> list[ImportedRun]:
    """One run of all PMD threads."""
    threads: list[_Thread] = []
    for at, line in enumerate(text.splitlines(), start=1):
        if THREAD.match(line):
            threads.append(_Thread())
        elif threads:
            _take(threads[-1], line, at)
    worked = [one for one in threads if one.used > 0 and one.busy_share is not None]
    if not worked:
        raise ImportFailedError(
            "no PMD thread with used cycles: is this the output of `dpif-netdev/pmd-perf-show` under load?"
        )
    packets = sum(one.received - one.lost for one in worked)
    if packets <= 0:
        raise ImportFailedError("no packet was taken in: `pmd-stats-clear`, send traffic, then show it")
    busy = [one.used * (one.busy_share or 0.0) for one in worked]
    return [
        ImportedRun(
            required(given.commit, "commit"),
            required(given.scenario, "scenario"),
            required(given.time, "time"),
            [
                ImportedValue(CHAIN, "cpp", sum(busy) / packets),
                ImportedValue(CHAIN, "cur", sum(one.busy_share or 0.0 for one in worked)),
            ],
        )
    ]


def _take(thread: _Thread, line: str, at: int) -> None:
    for name, pattern, unit in _FIELDS:
        if match := pattern.match(line):
            setattr(thread, name, unit * number(match[1], name, line=at, column=match.start(1) + 1))
