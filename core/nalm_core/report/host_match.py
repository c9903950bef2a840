# SPDX-License-Identifier: Apache-2.0
"""What must match for two runs to be compared. docs/hosts.md has the table; a test holds it to RULES.

Cycles are only comparable between runs of one kind of host: `incomparable` names what makes it another.
A series goes on only while its host stays as it was: `segment` is the same kind of host at another level.
What one of the two reports does not say is not compared: it is no difference that was seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Literal

from nalm_core.report.run_report import Host, Model

Severity = Literal["segment", "incomparable"]

TSC_TOLERANCE: Final = 0.001
"""Relative difference of two TSC rates that is the kernel's calibration, not another clock."""
MEMORY_TOLERANCE: Final = 0.02
"""Relative difference of two memory sizes that is what the kernel and firmware kept for themselves."""
ABSENT: Final = "none"

RULES: Final[Mapping[str, Severity]] = MappingProxyType(
    {
        "host_class": "incomparable",
        "cpu_model": "incomparable",
        "cores": "incomparable",
        "tsc_hz": "incomparable",
        "virtual": "incomparable",
        "huge_pages": "incomparable",
        "caches": "incomparable",
        "pinned": "incomparable",
        "name": "segment",
        "memory_bytes": "segment",
        "kernel": "segment",
        "os": "segment",
        "governor": "segment",
        "smt": "segment",
        "numa_nodes": "segment",
        "microcode": "segment",
        "turbo": "segment",
        "isolated_cpus": "segment",
        "mitigations": "segment",
        "thp": "segment",
        "cmdline_digest": "segment",
        "libraries": "segment",
    }
)
"""By field of Host."""

MEASURED: Final = frozenset({"latencies_ns", "transfer_ns", "latencies_at"})
"""Fields of Host that are measurements with noise of their own: shown, never a reason by themselves."""

_TOLERANCE: Final = {"tsc_hz": TSC_TOLERANCE, "memory_bytes": MEMORY_TOLERANCE}


class HostDifference(Model):
    """One thing in which two runs' hosts differ."""

    field: str
    """Field of Host; of a dictionary with its key: libraries.dpdk."""
    severity: Severity
    base: str
    head: str


def differences(base: Host, head: Host) -> list[HostDifference]:
    """Everything that differs and matters, what makes the runs incomparable first."""
    found = [
        HostDifference(field=name, severity=severity, base=old, head=new)
        for field, severity in RULES.items()
        for name, old, new in _differing(field, getattr(base, field), getattr(head, field))
    ]
    return sorted(found, key=lambda one: one.severity != "incomparable")


def comparable(found: Sequence[HostDifference]) -> bool:
    """Whether cycles of two hosts with these differences can be put side by side."""
    return all(one.severity != "incomparable" for one in found)


def sentence(found: Sequence[HostDifference]) -> str:
    """The differences in one sentence for a person."""
    parts = [f"{one.field.replace('_', ' ')} {one.base} / {one.head}" for one in found]
    return "The hosts of the two runs differ: " + "; ".join(parts) + "."


def _differing(field: str, old: Any, new: Any) -> list[tuple[str, str, str]]:
    if old is None or new is None or old == new:
        return []
    if field in _TOLERANCE and abs(old / new - 1) <= _TOLERANCE[field]:
        return []
    if isinstance(old, dict):
        return [
            (f"{field}.{key}", str(old.get(key, ABSENT)), str(new.get(key, ABSENT)))
            for key in sorted(old.keys() | new.keys())
            if old.get(key) != new.get(key)
        ]
    return [(field, _text(old), _text(new))]


def _text(value: object) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value)) or ABSENT
    return str(value)
