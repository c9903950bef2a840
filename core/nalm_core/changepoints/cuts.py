# SPDX-License-Identifier: Apache-2.0
"""Where a history begins again: another host, compiler or load, other features, or a declared change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from nalm_core.report.host_match import differences
from nalm_core.report.run_report import Host, Model

CutKind = Literal["environment", "load", "features", "expected"]


class Difference(Model):
    """One difference from the runs before the cut."""

    field: str
    """A field of the host's fingerprint, or `compiler`, `load`, `features`, `expected`."""
    base: str
    head: str


@dataclass(frozen=True, slots=True)
class Measured:
    """One commit of the line, as far as it decides where segments begin."""

    host: int
    environment: int | None
    """Key of its host's environment at that time; None: unknown."""
    compiler: str | None
    added: tuple[str, ...] = ()
    """Features that this commit added."""
    removed: tuple[str, ...] = ()
    expected: str | None = None
    """Why a change at this commit was declared."""
    load: str | None = None
    """The scenario's load; None: nothing was measured."""


@dataclass(frozen=True, slots=True)
class Cut:
    """`at` is the first commit of the new segment."""

    at: int
    kind: CutKind
    changes: tuple[Difference, ...]


def cuts(line: Sequence[Measured], environments: Mapping[int, Host]) -> list[Cut]:
    """Beginnings of segments, except the first. Each host is compared only with its own past, since
    differences between hosts are no change."""
    found: list[Cut] = []
    last: dict[int, tuple[int, Measured]] = {}
    for index, one in enumerate(line):
        before = last.get(one.host)
        last[one.host] = (index, one)
        declared = _declared(one)
        changed = _changed(before[1], one, environments) if before is not None else ()
        if before is not None and changed and not _is_reported(found, before[0], changed):
            only_load = all(change.field == "load" for change in changed)
            found.append(Cut(index, "load" if only_load else "environment", changed + tuple(declared)))
        elif declared and index:
            found.append(Cut(index, "expected" if one.expected is not None else "features", tuple(declared)))
    return found


def _is_reported(found: list[Cut], seen: int, changed: tuple[Difference, ...]) -> bool:
    """True if the last cut was for the same change on another host, and this host measured nothing since."""
    return bool(found) and seen < found[-1].at and set(changed) <= set(found[-1].changes)


def _changed(before: Measured, now: Measured, environments: Mapping[int, Host]) -> tuple[Difference, ...]:
    found = []
    if before.environment != now.environment:
        old, new = (environments.get(one.environment or 0) for one in (before, now))
        if old is not None and new is not None:
            found = [Difference(field=d.field, base=d.base, head=d.head) for d in differences(old, new)]
    if before.compiler is not None and now.compiler is not None and before.compiler != now.compiler:
        found.append(Difference(field="compiler", base=before.compiler, head=now.compiler))
    if before.load is not None and now.load is not None and before.load != now.load:
        found.append(Difference(field="load", base=before.load, head=now.load))
    return tuple(found)


def _declared(one: Measured) -> list[Difference]:
    found = []
    if one.added or one.removed:
        removed, added = ",".join(one.removed), ",".join(one.added)
        found.append(Difference(field="features", base=removed, head=added))
    if one.expected is not None:
        found.append(Difference(field="expected", base="", head=one.expected))
    return found
