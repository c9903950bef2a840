# SPDX-License-Identifier: Apache-2.0
"""Properties of hosts that must match for a comparison of runs. docs/hosts.md has the table; a test compares
it with RULES.

Cycles can be compared only between runs on one kind of host: a difference in an `incomparable` property makes
another kind. A series continues only on an unchanged host: a difference in a `segment` property starts
another segment. A property that one of the two reports lacks is not compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Literal

from nalm_core.report.run_report import Host, Model

Severity = Literal["segment", "incomparable"]

TSC_TOLERANCE: Final = 0.001
"""Relative difference of two TSC rates up to which it is the kernel's calibration, not another clock."""
MEMORY_TOLERANCE: Final = 0.02
"""Relative difference of two memory sizes up to which it is memory reserved by kernel and firmware."""
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
"""Severity by field of Host."""

MEASURED: Final = frozenset({"latencies_ns", "transfer_ns", "latencies_at", "supply"})
"""Fields of Host that are noisy measurements: they are shown, but not compared."""

HUGE_PAGES: Final[Mapping[str, bool]] = MappingProxyType({"-huge": True, "-nohuge": False})
"""How the name of a host class ends, and whether its hosts use huge pages."""

_TOLERANCE: Final = {"tsc_hz": TSC_TOLERANCE, "memory_bytes": MEMORY_TOLERANCE}


def huge_pages_of(host_class: str) -> bool | None:
    """Whether its hosts use huge pages; None: its name does not say it."""
    return next((uses for end, uses in HUGE_PAGES.items() if host_class.endswith(end)), None)


def without_huge_pages(host_class: str) -> str:
    """The name that the class has in common with the one whose hosts differ in huge pages alone."""
    end = next((end for end in HUGE_PAGES if host_class.endswith(end)), "")
    return host_class.removesuffix(end)


class HostDifference(Model):
    """One difference between the hosts of two runs."""

    field: str
    """Field of Host; for a dictionary with the key, such as libraries.dpdk."""
    severity: Severity
    base: str
    head: str


def differences(base: Host, head: Host) -> list[HostDifference]:
    """All differences that matter, those that make the runs incomparable first."""
    found = [
        HostDifference(field=name, severity=severity, base=old, head=new)
        for field, severity in RULES.items()
        for name, old, new in _differing(field, getattr(base, field), getattr(head, field))
    ]
    return sorted(found, key=lambda one: one.severity != "incomparable")


def comparable(found: Sequence[HostDifference]) -> bool:
    """True if cycles of two hosts with these differences can be compared."""
    return all(one.severity != "incomparable" for one in found)


def sentence(found: Sequence[HostDifference]) -> str:
    """The differences in one sentence."""
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
