# SPDX-License-Identifier: Apache-2.0
"""A Debian source package, by apt, without a change of this host's configuration."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

SOURCES = Path("/etc/apt/sources.list.d")
LEGACY = Path("/etc/apt/sources.list")


def source_package(name: str, folder: Path) -> Path:
    """The unpacked sources of a package, with Debian's patches. Skips the test where they cannot be had."""
    kept = sorted(path for path in folder.glob(f"{name}-*") if path.is_dir())
    if kept:
        return kept[-1]
    parts = folder / "parts"
    parts.mkdir(parents=True, exist_ok=True)
    (folder / "lists").mkdir(exist_ok=True)
    for path in SOURCES.glob("*.sources"):
        (parts / path.name).write_text(path.read_text().replace("Types: deb\n", "Types: deb-src\n"))
    for path in (LEGACY, *SOURCES.glob("*.list")):
        if path.exists():
            lines = [
                f"deb-src{line[3:]}" for line in path.read_text().splitlines() if line.startswith("deb ")
            ]
            (parts / f"{path.stem}.list").write_text("\n".join(lines) + "\n")
    settings = {
        "Dir::Etc::sourcelist": "/dev/null",
        "Dir::Etc::sourceparts": str(parts),
        "Dir::State::lists": str(folder / "lists"),
        "APT::Sandbox::User": "root",
    }
    options = [word for key, value in settings.items() for word in ("-o", f"{key}={value}")]
    for command in (["update"], ["source", name]):
        done = subprocess.run(
            ["apt-get", "-qq", *options, *command], cwd=folder, capture_output=True, text=True, check=False
        )
        found = sorted(path for path in folder.glob(f"{name}-*") if path.is_dir())
        if command[0] == "source" and not found:
            reason = done.stderr.strip().splitlines()[-1:] or ["apt-get said nothing"]
            pytest.skip(f"not tried: no sources of {name}: {reason[0]}")
    return found[-1]
