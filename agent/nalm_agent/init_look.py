# SPDX-License-Identifier: Apache-2.0
"""What a look at an NF's repository gives: build system, DPDK, probe, stages, capture."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SOURCE_SUFFIXES = (".c", ".cc", ".cpp", ".cxx", ".h", ".hpp")
CAPTURE_SUFFIXES = (".pcap", ".pcapng")
MAX_FILES = 5000
MAX_PARTS = 8
_SKIPPED = {".git", "build", "node_modules"}

EXECUTABLES = {
    "meson.build": re.compile(r"executable\(\s*'([^']+)'"),
    "CMakeLists.txt": re.compile(r"add_executable\(\s*([A-Za-z0-9_.+-]+)"),
    "Makefile": re.compile(r"^\s*(?:APP|TARGET|PROG)\s*[:?]?=\s*([A-Za-z0-9_.+-]+)", re.MULTILINE),
}
_STAGE = re.compile(r"\{\s*\"([A-Za-z0-9_.-]+)\"\s*,\s*(?:0|NALM_STAGE_APART)\b")
_OF_PACKETS = re.compile(
    r"^(?:[\w*]+[ \t*]+)*\n?[ \t]*(\w+)\s*\([^;{}()]*\b(?:rte_mbuf|u_char|uint8_t)\b[^;{}()]*\)\s*\{",
    re.MULTILINE,
)
"""A C function defined with packets among its arguments."""


@dataclass(frozen=True)
class Found:
    """What a look at the repository gave."""

    name: str
    build_file: str | None
    executable: str
    uses_dpdk: bool
    includes_probe: bool
    stages: list[str]
    packet_functions: list[str]
    """C functions that are handed packets: candidates for stages where there is no probe."""
    capture: str | None

    @property
    def lent(self) -> bool:
        """The NF is to be lent a probe."""
        return self.uses_dpdk and not self.includes_probe


def look_at(root: Path) -> Found:
    """Reads build files and sources, a bounded number of them."""
    build_file = next((name for name in EXECUTABLES if _builds(root / name)), None)
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", root.resolve().name).strip("-._") or "nf"
    build_text = (root / build_file).read_text(errors="replace") if build_file else ""
    match = EXECUTABLES[build_file].search(build_text) if build_file else None
    files = _files(root)
    texts = [
        path.read_text(errors="replace")
        for path in files
        if path.suffix in SOURCE_SUFFIXES and path.name not in ("nalm_probe.h", "nalm_loop.h")
    ]
    probed = [text for text in texts if "nalm_probe.h" in text or "nalm_loop.h" in text]
    captures = sorted(path for path in files if path.suffix in CAPTURE_SUFFIXES)
    return Found(
        name=name,
        build_file=build_file,
        executable=match[1] if match else name,
        uses_dpdk="libdpdk" in build_text or any("rte_eal_init" in text for text in texts),
        includes_probe=bool(probed),
        stages=list(dict.fromkeys(stage for text in probed for stage in _STAGE.findall(text))),
        packet_functions=_packet_functions(texts),
        capture=captures[0].relative_to(root).as_posix() if captures else None,
    )


def _builds(path: Path) -> bool:
    """Whether it builds by itself: a meson.build without a project is part of another's (DPDK's examples)."""
    return path.is_file() and (path.name != "meson.build" or "project(" in path.read_text(errors="replace"))


def _packet_functions(texts: Sequence[str]) -> list[str]:
    found = dict.fromkeys(name for text in texts for name in _OF_PACKETS.findall(text))
    return list(found)[:MAX_PARTS]


def _files(root: Path) -> list[Path]:
    found: list[Path] = []
    for path in root.rglob("*"):
        if not _SKIPPED & set(path.relative_to(root).parts) and path.is_file():
            found.append(path)
            if len(found) == MAX_FILES:
                break
    return found
