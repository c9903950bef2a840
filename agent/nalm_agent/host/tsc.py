# SPDX-License-Identifier: Apache-2.0
"""Reference cycles of the constant time stamp counter, read by the probe in the NF."""

from __future__ import annotations

import re
from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")
NEEDED_FLAGS = ("constant_tsc", "nonstop_tsc")


def available(cpuinfo: Path = CPUINFO) -> str | None:
    """None if the TSC counts at one rate on every core, else the reason it cannot be used."""
    text, reason = _read(cpuinfo)
    if reason is not None:
        return f"{reason}: whether the TSC counts at one rate is unknown"
    flags = re.search(r"^flags\s*:(.*)$", text, re.MULTILINE)
    if flags is None:
        return "/proc/cpuinfo has no processor flags: the rate of the probe's cycles is unknown"
    missing = [flag for flag in NEEDED_FLAGS if flag not in flags[1].split()]
    return (
        f"the processor lacks {', '.join(missing)}: TSC cycles are not comparable over time"
        if missing
        else None
    )


def frequency_hz(cpuinfo: Path = CPUINFO) -> int | None:
    """TSC rate in Hz from the kernel (bogomips is twice the TSC's MHz); None if the kernel does not report
    it."""
    found = re.search(r"^bogomips\s*:\s*([0-9.]+)$", _read(cpuinfo)[0], re.MULTILINE)
    return round(float(found[1]) * 1e6 / 2) if found else None


def _read(cpuinfo: Path) -> tuple[str, str | None]:
    """The file's text, empty if it cannot be read, and then the reason."""
    try:
        return cpuinfo.read_text(), None
    except OSError as error:
        return "", f"{cpuinfo} cannot be read ({error.strerror})"
