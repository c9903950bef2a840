# SPDX-License-Identifier: Apache-2.0
"""`nalm init`: a first nalm.toml from what the repository looks like."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nalm_agent.config import FILE_NAME, parse
from nalm_agent.errors import UsageError

SOURCE_SUFFIXES = (".c", ".cc", ".cpp", ".cxx", ".h", ".hpp")
CAPTURE_SUFFIXES = (".pcap", ".pcapng")
MAX_FILES = 5000
_SKIPPED = {".git", "build", "node_modules"}

BUILDS = {
    "meson.build": [
        ["meson", "setup", "{build}", "{source}", "--buildtype=release"],
        ["ninja", "-C", "{build}"],
    ],
    "CMakeLists.txt": [
        ["cmake", "-S", "{source}", "-B", "{build}", "-DCMAKE_BUILD_TYPE=Release"],
        ["cmake", "--build", "{build}"],
    ],
    "Makefile": [["make", "-C", "{source}", "O={build}"]],
}
_EXECUTABLE = {
    "meson.build": re.compile(r"executable\(\s*'([^']+)'"),
    "CMakeLists.txt": re.compile(r"add_executable\(\s*([A-Za-z0-9_.+-]+)"),
    "Makefile": re.compile(r"^\s*(?:APP|TARGET|PROG)\s*[:?]?=\s*([A-Za-z0-9_.+-]+)", re.MULTILINE),
}
_STAGE = re.compile(r"\{\s*\"([A-Za-z0-9_.-]+)\"\s*,\s*(?:0|NALM_STAGE_APART)\b")


@dataclass(frozen=True)
class Found:
    """What a look at the repository gave."""

    name: str
    build_file: str | None
    executable: str
    uses_dpdk: bool
    includes_probe: bool
    stages: list[str]
    capture: str | None


def write_first_config(root: Path) -> tuple[Path, list[str]]:
    """Writes nalm.toml and says what has to be looked at. Raises UsageError rather than overwrite one."""
    path = root / FILE_NAME
    if path.exists():
        raise UsageError(f"{path} is there already", hint="edit it; docs/nalm-toml.md describes every key")
    if not root.is_dir():
        raise UsageError(f"{root} is not a directory", hint="give the NF's repository with --repo")
    found = look_at(root)
    text = render(found)
    parse(text, str(path))
    try:
        path.write_text(text)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}", hint="check its directory") from error
    return path, remarks(found)


def look_at(root: Path) -> Found:
    """Reads build files and sources, a bounded number of them."""
    build_file = next((name for name in BUILDS if (root / name).is_file()), None)
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", root.resolve().name).strip("-._") or "nf"
    executable = name
    if build_file is not None:
        match = _EXECUTABLE[build_file].search((root / build_file).read_text(errors="replace"))
        executable = match[1] if match else name
    sources = [path for path in _files(root) if path.suffix in SOURCE_SUFFIXES]
    texts = [path.read_text(errors="replace") for path in sources if path.name != "nalm_probe.h"]
    stages = dict.fromkeys(
        stage for text in texts if "nalm_probe.h" in text for stage in _STAGE.findall(text)
    )
    captures = sorted(path for path in _files(root) if path.suffix in CAPTURE_SUFFIXES)
    return Found(
        name=name,
        build_file=build_file,
        executable=executable,
        uses_dpdk=any("rte_eal_init" in text for text in texts),
        includes_probe=any("nalm_probe.h" in text for text in texts),
        stages=list(stages),
        capture=captures[0].relative_to(root).as_posix() if captures else None,
    )


def _files(root: Path) -> list[Path]:
    found: list[Path] = []
    for path in root.rglob("*"):
        if not _SKIPPED & set(path.relative_to(root).parts) and path.is_file():
            found.append(path)
            if len(found) == MAX_FILES:
                break
    return found


def render(found: Found) -> str:
    """The file's text, with a comment where a person has to look."""
    commands = BUILDS.get(
        found.build_file or "", [["cc", "-O2", "-o", "{build}/" + found.executable, "main.c"]]
    )
    command = ["{build}/" + found.executable]
    command += ["{eal}", "--"] if found.uses_dpdk else []
    command += ["--traffic", "{traffic}"]
    stages = "".join(f'\n[stages.{stage}]\nfunctions = ["{stage}_process"]\n' for stage in found.stages)
    return f"""# How nalm builds, starts and feeds this network function. Every key: docs/nalm-toml.md
version = 1

[project]
name = "{found.name}"

[build]
# {{source}}: a checkout; {{build}}: an empty directory. Run in {{source}}, without a shell.
commands = [
{_lines(commands)}]
artifacts = ["{found.executable}"]   # ELF files under {{build}}
paths = ["."]   # what the build depends on: a commit that touches nothing of it needs no measurement

[run]
# {{eal}}: DPDK's options for the cores; {{features}}: the scenario's, joined by ","; {{traffic}}: its file
command = {_array(command)}
{stages}
[scenarios.main]
features = []
lcores = 1
traffic = "{found.capture or "traffic/capture.pcap"}"
"""


def _array(values: Sequence[str]) -> str:
    return "[" + ", ".join(f'"{value}"' for value in values) + "]"


def _lines(commands: Sequence[Sequence[str]]) -> str:
    return "".join(f"  {_array(command)},\n" for command in commands)


def remarks(found: Found) -> list[str]:
    """What a person has to check or add."""
    result = []
    if found.build_file is None:
        result.append("no meson.build, CMakeLists.txt or Makefile found: correct [build] commands")
    if not found.includes_probe:
        result.append("no source includes nalm_probe.h: include it, name the stages and mark batches")
    if found.capture is None:
        result.append("no capture found: put one into the repository and name it in [scenarios.main] traffic")
    result.append("check [run] command: the options with which the NF replays its traffic")
    result.append("then run `nalm doctor` and `nalm check`")
    return result
