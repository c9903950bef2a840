# SPDX-License-Identifier: Apache-2.0
"""Tests whether the kernel provides hardware counters, by perf_event_open(2)."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Collection
from pathlib import Path

_SYSCALL = {"x86_64": 298, "aarch64": 241}.get(platform.machine())
_ATTRIBUTE_BYTES = 112
_TYPE_HARDWARE, _CPU_CYCLES = 0, 0
_TYPE_SOFTWARE, _CPU_CLOCK = 1, 0
_EXCLUDE_KERNEL_AND_HYPERVISOR = 0b1100000
_SOURCES = Path("/sys/bus/event_source/devices")
_CPU_SOURCES = {"cpu", "cpu_core", "cpu_atom"}
"""Of the processor itself, on x86; the latter two where it has cores of two kinds."""

REASONS = {
    errno.ENOENT: "the host exposes no performance monitoring unit (perf_event_open: no such event)",
    errno.EOPNOTSUPP: "the host's performance monitoring unit does not count cycles",
    errno.EACCES: "the kernel forbids it (perf_event_open: permission denied; kernel.perf_event_paranoid)",
    errno.EPERM: "the kernel forbids it (perf_event_open: not permitted; perf_event_paranoid, seccomp)",
    errno.ENOSYS: "the kernel has no perf events, or not for programs of this processor's kind",
}


def kernel_reason() -> str | None:
    """None if a hardware cycle counter can be opened, else why the kernel refuses."""
    code = _refusal(_TYPE_HARDWARE, _CPU_CYCLES)
    return None if code is None else refusal_text(code, _event_sources())


def refusal_text(code: int, sources: Collection[str] | None) -> str:
    """Why no cycle counter was opened, from perf_event_open's error and the kernel's event sources.

    sources: None if sysfs does not list them. Without a source of the processor there is no PMU, and
    permission to read it would not help, whichever error the kernel reports first.
    """
    if sources is not None and not _CPU_SOURCES & set(sources):
        return REASONS[errno.ENOENT]
    return REASONS.get(code, f"perf_event_open: {os.strerror(code)}")


def _event_sources() -> list[str] | None:
    """Event sources of sysfs; None if it cannot be read, or if the processor's source may have any name."""
    if platform.machine() != "x86_64":
        return None
    try:
        return [source.name for source in _SOURCES.iterdir()]
    except OSError:
        return None


def clock_reason() -> str | None:
    """None if the kernel samples by a thread's CPU clock, else why it refuses."""
    code = _refusal(_TYPE_SOFTWARE, _CPU_CLOCK)
    return None if code is None else REASONS.get(code, f"perf_event_open: {os.strerror(code)}")


def _refusal(kind: int, event: int) -> int | None:
    """perf_event_open's error; None if it opened the event."""
    if _SYSCALL is None:
        return errno.ENOSYS
    attribute = bytearray(_ATTRIBUTE_BYTES)
    struct.pack_into("<IIQ", attribute, 0, kind, _ATTRIBUTE_BYTES, event)
    struct.pack_into("<Q", attribute, 40, _EXCLUDE_KERNEL_AND_HYPERVISOR)
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = (ctypes.c_char * _ATTRIBUTE_BYTES).from_buffer(attribute)
    descriptor = libc.syscall(_SYSCALL, ctypes.byref(buffer), 0, -1, -1, 0)
    if descriptor >= 0:
        os.close(descriptor)
        return None
    return ctypes.get_errno()
