# SPDX-License-Identifier: Apache-2.0
"""Whether the kernel gives hardware counters, asked of the kernel itself (perf_event_open(2))."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct

_SYSCALL = {"x86_64": 298, "aarch64": 241}.get(platform.machine())
_ATTRIBUTE_BYTES = 112
_TYPE_HARDWARE, _CPU_CYCLES = 0, 0
_TYPE_SOFTWARE, _CPU_CLOCK = 1, 0
_EXCLUDE_KERNEL_AND_HYPERVISOR = 0b1100000

REASONS = {
    errno.ENOENT: "the host exposes no performance monitoring unit (perf_event_open: no such event)",
    errno.EOPNOTSUPP: "the host's performance monitoring unit does not count cycles",
    errno.EACCES: "the kernel forbids it (perf_event_open: permission denied; kernel.perf_event_paranoid)",
    errno.EPERM: "the kernel forbids it (perf_event_open: not permitted; perf_event_paranoid, seccomp)",
    errno.ENOSYS: "the kernel has no perf events",
}


def kernel_reason() -> str | None:
    """None if a hardware cycle counter can be opened, else why the kernel refuses."""
    return _refusal(_TYPE_HARDWARE, _CPU_CYCLES)


def clock_reason() -> str | None:
    """None if the kernel samples by a thread's CPU clock, else why it refuses."""
    return _refusal(_TYPE_SOFTWARE, _CPU_CLOCK)


def _refusal(kind: int, event: int) -> str | None:
    if _SYSCALL is None:
        return f"not known how to ask on {platform.machine()}"
    attribute = bytearray(_ATTRIBUTE_BYTES)
    struct.pack_into("<IIQ", attribute, 0, kind, _ATTRIBUTE_BYTES, event)
    struct.pack_into("<Q", attribute, 40, _EXCLUDE_KERNEL_AND_HYPERVISOR)
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = (ctypes.c_char * _ATTRIBUTE_BYTES).from_buffer(attribute)
    descriptor = libc.syscall(_SYSCALL, ctypes.byref(buffer), 0, -1, -1, 0)
    if descriptor >= 0:
        os.close(descriptor)
        return None
    code = ctypes.get_errno()
    return REASONS.get(code, f"perf_event_open: {os.strerror(code)}")
