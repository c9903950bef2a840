# SPDX-License-Identifier: Apache-2.0
"""`nalm init`: a first nalm.toml from what the repository looks like. Nothing is ever overwritten."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nalm_agent.config.nalm_toml import FILE_NAME, parse
from nalm_agent.desk.init_look import DetectedNf, Progress, look_at
from nalm_agent.native.library import FOLDER
from nalm_agent.runtime.errors import UsageError

HEADERS = ("nalm_probe.h", "nalm_loop.h")
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
MOST_CAPTURES_NAMED = 4
FEED = ["--vdev=net_pcap0,rx_pcap={traffic},infinite_rx=1"]
"""Feeds a DPDK program that has no traffic option of its own."""


def write_first_config(root: Path, progress: Progress = lambda doing: None) -> tuple[Path, list[str]]:
    """Writes nalm.toml and says what has to be looked at. Raises UsageError rather than overwrite one.

    progress: gets a line when the look takes more than a second.
    """
    path = root / FILE_NAME
    if path.exists():
        raise UsageError(f"{path} is there already", hint="edit it; docs/nalm-toml.md describes every key")
    if not root.is_dir():
        raise UsageError(f"{root} is not a directory", hint="give the NF's repository with --repo")
    found = look_at(root, progress)
    text = render(found)
    parse(text, str(path))
    _write(path, text)
    return path, [*_without_git(root), *remarks(found)]


def write_headers(root: Path) -> list[Path]:
    """Puts the probe's headers into a repository. Raises UsageError rather than overwrite one."""
    targets = [root / name for name in HEADERS]
    for target in targets:
        if target.exists():
            raise UsageError(f"{target} is there already", hint="move it away to have this nalm's")
    for target in targets:
        _write(target, (FOLDER / target.name).read_text())
    return targets


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}", hint="check its directory") from error


def render(found: DetectedNf) -> str:
    """The file's text, with a comment where a person has to look."""
    commands = BUILDS.get(
        found.build_file or "", [["cc", "-O2", "-g", "-o", "{build}/" + found.executable, "main.c"]]
    )
    return f"""# How nalm builds, starts and feeds this network function. Every key: docs/nalm-toml.md
version = 1

[project]
name = "{found.name}"

[build]
# {{source}}: a checkout; {{build}}: an empty directory. Run in {{source}}, without a shell.
commands = [
{_lines(commands)}]
artifacts = ["{found.executable}"]   # executables and libraries under {{build}}; patterns: "drivers/*.so"
paths = ["."]   # what the build depends on: a commit that touches nothing of it needs no measurement

[run]
# {{eal}}: DPDK's options for the cores; {{features}}: the scenario's, joined by ","; {{traffic}}: its file
command = {_array(_command(found))}
{_lent(found)}{_stages(found)}
[scenarios.main]
features = []
lcores = 1
traffic = "{found.captures[0] if found.captures else "traffic/capture.pcap"}"
"""


def _command(found: DetectedNf) -> list[str]:
    program = "{build}/" + found.executable
    if found.lent:
        return [program, "{eal}", *FEED, "--"]
    if found.loops:
        return [program, "{traffic}"]
    return [program, *(["{eal}", "--"] if found.uses_dpdk else []), "--traffic", "{traffic}"]


def _lent(found: DetectedNf) -> str:
    if not found.lent:
        return ""
    return """counts = "dpdk"   # it has no probe and is lent one: docs/bring-your-own-nf.md
# control_lcore = true   # if its main lcore only controls and another one forwards
"""


def _stages(found: DetectedNf) -> str:
    if found.includes_probe:
        return "".join(
            f"\n[stages.{stage}]\nfunctions = {_array(functions)}\n"
            for stage, functions in found.stages.items()
        )
    if not found.packet_functions or not found.lent:
        return ""
    parts = "".join(
        f'# [stages.{name}]\n# functions = ["{name}"]\n# within = "app"\n' for name in found.packet_functions
    )
    return "\n# Functions that are handed packets, the likeliest first: keep those worth knowing.\n" + parts


def _array(values: Sequence[str]) -> str:
    return "[" + ", ".join(f'"{value}"' for value in values) + "]"


def _lines(commands: Sequence[Sequence[str]]) -> str:
    return "".join(f"  {_array(command)},\n" for command in commands)


def _without_git(root: Path) -> list[str]:
    if any((above / ".git").exists() for above in (root, *root.resolve().parents)):
        return []
    return [f"{root} is in no git repository: `nalm check` judges commits, so `git init` and commit first"]


def remarks(found: DetectedNf) -> list[str]:
    """What a person has to check or add: each guess, what was passed over, what comes next."""
    result = []
    if found.build_file is None:
        result.append("no meson.build, CMakeLists.txt or Makefile found: correct [build] commands")
    if not found.executable_named:
        where = f"{found.build_file} names no executable" if found.build_file else "no build file names it"
        result.append(
            f'"{found.executable}" in [build] artifacts and [run] command is a guess from the '
            f"directory's name ({where}): give the program's path below {{build}}"
        )
    if found.lent:
        result.append('no source includes nalm_probe.h: the DPDK program is lent a probe (counts = "dpdk")')
    elif not found.includes_probe:
        result.append(
            "no source includes nalm_probe.h: `nalm init --headers` brings it, and nalm_loop.h, which puts a "
            "capture through a function of a plain C library"
        )
    if found.stages:
        result.append(
            "check the functions of [stages], which have the names that stages' functions often have"
        )
    elif found.includes_probe:
        result.append("no stage found: name its C functions in [stages.NAME], to have its instructions")
    result += _about_captures(found.captures)
    result.append("check [run] command: the options with which the NF replays its traffic")
    result += [f"not looked at: {what}" for what in found.left_out]
    result.append("then run `nalm doctor` and `nalm check`")
    return result


def _about_captures(captures: Sequence[str]) -> list[str]:
    if not captures:
        return ["no capture found: put one into the repository and name it in [scenarios.main] traffic"]
    if len(captures) == 1:
        return []
    named = ", ".join(captures[1 : 1 + MOST_CAPTURES_NAMED])
    more = len(captures) - 1 - MOST_CAPTURES_NAMED
    return [
        f"[scenarios.main] traffic is {captures[0]}, the first capture found; passed over: {named}"
        + (f" and {more} more" if more > 0 else "")
    ]
