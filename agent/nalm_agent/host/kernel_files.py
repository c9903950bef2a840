# SPDX-License-Identifier: Apache-2.0
"""The kernel's files under /proc and /sys, below a root that tests can replace."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class System:
    """Reads and writes the kernel's files, by absolute paths."""

    root: Path = Path("/")

    def at(self, path: str) -> Path:
        return self.root / path.lstrip("/")

    def text(self, path: str) -> str | None:
        """Contents without surrounding blanks; None if the file cannot be read (`why` has the reason)."""
        try:
            return self.at(path).read_text(errors="replace").strip()
        except OSError:
            return None

    def why(self, path: str) -> str:
        """Why `path` cannot be read, as text."""
        try:
            self.at(path).read_bytes()
        except FileNotFoundError:
            return f"the kernel shows no {path} here"
        except OSError as error:
            return f"{path} cannot be read: {error.strerror}"
        return f"{path} is not understood"

    def names(self, pattern: str) -> list[str]:
        """Paths that match a shell pattern, sorted."""
        found = self.root.glob(pattern.lstrip("/"))
        return sorted("/" + path.relative_to(self.root).as_posix() for path in found)

    def write(self, path: str, value: str) -> None:
        """Writes a setting in one call, as the kernel requires. Raises the kernel's OSError."""
        descriptor = os.open(self.at(path), os.O_WRONLY)
        try:
            os.write(descriptor, value.encode())
        finally:
            os.close(descriptor)


def cpu_list(text: str) -> list[int]:
    """CPUs of a kernel's list such as 0-3,8; empty for an empty list."""
    cpus: list[int] = []
    for part in text.replace("\n", "").split(","):
        first, _, last = part.strip().partition("-")
        if first.isdigit():
            cpus += range(int(first), int(last or first) + 1)
    return cpus


def as_cpu_list(cpus: list[int]) -> str:
    """A list of CPUs in the kernel's format, without ranges."""
    return ",".join(map(str, cpus))
