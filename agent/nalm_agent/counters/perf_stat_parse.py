# SPDX-License-Identifier: Apache-2.0
"""Reads the output of `perf stat -x` (perf-stat(1), "CSV FORMAT"), with or without `--per-thread`.

A count that perf extrapolated from a part of the time (several events shared a counter) is refused: perf
prints the scaled count, and its error is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from nalm_agent.runtime.errors import SourceError

SEPARATOR = ";"
"""perf does not quote; none of its event names, thread names and units contains this character."""

_THREAD = re.compile(r"^.*-(\d+)$")
_NUMBER = re.compile(r"^\d+(\.\d+)?$")
_NANOSECONDS = {"": 1.0, "nsec": 1.0, "usec": 1e3, "msec": 1e6, "sec": 1e9}
_MODIFIER = re.compile(r":[ukhGHppPSDI]+$")

NOT_SUPPORTED = "the processor or its hypervisor does not offer this event"
NOT_COUNTED = "it never had a counter: all were in use, or the thread did not run"


@dataclass(frozen=True)
class EventCount:
    """One line of the output. value: nanoseconds for clocks; None with a reason."""

    thread: int | None
    event: str
    """Without the modifier after a colon."""
    value: int | None
    reason: str | None = None

    @property
    def lacked_counter(self) -> bool:
        """True if another try, with fewer events, may count it."""
        return self.value is None and self.reason != NOT_SUPPORTED


def parse(lines: Iterable[str], separator: str = SEPARATOR) -> list[EventCount]:
    """The counts in perf's order. Raises SourceError for a line that is not perf stat's."""
    found = (_line(line.rstrip("\n"), separator) for line in lines)
    return [count for count in found if count is not None]


def _line(line: str, separator: str) -> EventCount | None:
    if not line.strip() or line.startswith("#"):
        return None
    fields = line.split(separator)
    thread = None
    if not _is_value(fields[0].strip()) and (found := _THREAD.match(fields[0].strip())):
        thread, fields = int(found[1]), fields[1:]
    if len(fields) >= 3 and not any(field.strip() for field in fields[:3]):
        return None  # a derived figure that belongs to the line before
    if len(fields) < 5 or not _is_value(fields[0].strip()):
        raise SourceError(
            f"perf stat's output has an unknown line: {line!r}",
            hint="perf must run with LC_ALL=C and print one line per event",
        )
    text, unit, event, _, share = (field.strip() for field in fields[:5])
    return _count(thread, bare(event), text, unit, share)


def bare(event: str) -> str:
    """An event's name without the modifier after a colon (`:u`: user space only)."""
    return _MODIFIER.sub("", event)


def _is_value(text: str) -> bool:
    return bool(_NUMBER.match(text)) or text.startswith("<not ")


def _count(thread: int | None, event: str, text: str, unit: str, share: str) -> EventCount:
    if text == "<not supported>":
        return EventCount(thread, event, None, NOT_SUPPORTED)
    if text.startswith("<not "):
        return EventCount(thread, event, None, NOT_COUNTED)
    if unit not in _NANOSECONDS:
        return EventCount(thread, event, None, f"its unit is {unit}")
    if not _NUMBER.match(share) or float(share) < 100:
        return EventCount(
            thread, event, None, f"it had a counter only {share or 'an unknown share'} % of the time"
        )
    return EventCount(thread, event, round(float(text) * _NANOSECONDS[unit]) if "." in text else int(text))
