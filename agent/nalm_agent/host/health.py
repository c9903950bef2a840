# SPDX-License-Identifier: Apache-2.0
"""The health of this host, for the server. A figure is None if unknown, never assumed to be fine."""

from __future__ import annotations

import json
import os
import shutil
import statistics
from pathlib import Path

from nalm_agent.host.kernel_files import System
from nalm_agent.store.atomic_file import put
from nalm_agent.store.home import Home

NOISE_FILE = "host-noise.json"
SENSORS = ("coretemp", "k10temp", "zenpower", "cpu_thermal")
_STEAL_FIELD = 7


class HealthWatch:
    """Reads the health at each call; shares refer to the time since the last call."""

    def __init__(self, home: Home, system: System | None = None) -> None:
        self._home, self._system = home, system or System()
        self._before: tuple[int, int] | None = None

    def look(self, spool_items: int) -> dict[str, object]:
        """The health in the server's format."""
        found = {
            "disk_free_bytes": self._disk_free(),
            "load": self._load(),
            "steal": self._steal(),
            "temperature_celsius": self._temperature(),
            "frequency_mhz": self._frequency(),
            "resolves": recall_noise(self._home),
            "spool_items": spool_items,
        }
        return {name: value for name, value in found.items() if value is not None}

    def _disk_free(self) -> int | None:
        try:
            return shutil.disk_usage(self._home.root).free
        except OSError:
            return None

    def _load(self) -> float | None:
        text = self._system.text("/proc/loadavg")
        return float(text.split()[0]) / (os.cpu_count() or 1) if text else None

    def _steal(self) -> float | None:
        """Share of steal time: field 8 of the first line of /proc/stat, relative to the sum of fields."""
        text = self._system.text("/proc/stat")
        if not text or not text.startswith("cpu "):
            return None
        ticks = [int(field) for field in text.splitlines()[0].split()[1:9]]
        now, before = (ticks[_STEAL_FIELD], sum(ticks)), self._before
        self._before = now
        if before is None or now[1] <= before[1]:
            return None
        return (now[0] - before[0]) / (now[1] - before[1])

    def _temperature(self) -> float | None:
        readings = [
            float(text) / 1000
            for sensor in self._system.names("/sys/class/hwmon/hwmon*")
            if self._system.text(f"{sensor}/name") in SENSORS
            for path in self._system.names(f"{sensor}/temp*_input")
            if (text := self._system.text(path))
        ]
        return max(readings, default=None)

    def _frequency(self) -> float | None:
        paths = self._system.names("/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq")
        kilohertz = [float(text) for path in paths if (text := self._system.text(path))]
        return statistics.fmean(kilohertz) / 1000 if kilohertz else None


def remember_noise(home: Home, resolves: float) -> None:
    """Keeps the result of `nalm doctor --noise`: the smallest relative change detected in a minute."""
    put(home.folder(".") / NOISE_FILE, json.dumps({"resolves": resolves}).encode(), mode=0o644)


def recall_noise(home: Home) -> float | None:
    """The last result of `nalm doctor --noise`; None if there is none."""
    try:
        return float(json.loads(Path(home.root / NOISE_FILE).read_text())["resolves"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
