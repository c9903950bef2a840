# SPDX-License-Identifier: Apache-2.0
"""`nalm init`: derives a first nalm.toml from the repository's contents. It never overwrites a file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from nalm_core.text.amounts import listed_at_most

from nalm_agent.config.nalm_toml import FILE_NAME, parse
from nalm_agent.desk.init_look import DetectedNf, Progress, look_at
from nalm_agent.native.library import FOLDER
from nalm_agent.runtime.errors import UsageError
from nalm_agent.store.atomic_file import put

WITH_LINES = ("-DCMAKE_C_FLAGS=-g", "-DCMAKE_CXX_FLAGS=-g")
"""CMake's optimised builds have no debug information, by which verdicts have lines."""
HEADERS = ("nalm_probe.h", "nalm_loop.h")
_COPY = ["cp", "-r", "{source}/.", "{build}"]
BUILDS = {
    "meson.build": [
        ["meson", "setup", "{build}", "{source}", "--buildtype=release", "-Ddebug=true"],
        ["ninja", "-C", "{build}"],
    ],
    "CMakeLists.txt": [
        ["cmake", "-S", "{source}", "-B", "{build}", "-DCMAKE_BUILD_TYPE=Release", *WITH_LINES],
        ["cmake", "--build", "{build}"],
    ],
    "Makefile": [_COPY, ["make", "-C", "{build}"]],
    "configure.ac": [
        _COPY,
        ["sh", "-c", "cd {build} && autoreconf -fi && ./configure CFLAGS='-O2 -g' CXXFLAGS='-O2 -g' && make"],
    ],
}
"""Commands by build file. Sources are read-only: a build that writes among them gets a copy."""
OUTSIDE = [["make", "-C", "{source}", "O={build}"]]
"""Those of a Makefile that takes its output directory as O."""
MOST_NAMED = 4
FEED = ["--vdev=net_pcap0,rx_pcap={traffic},infinite_rx=1"]
"""EAL options that feed a DPDK program which has no traffic option."""


def write_first_config(root: Path, progress: Progress = lambda doing: None) -> tuple[Path, list[str]]:
    """Writes nalm.toml and returns its path and remarks for the user. Raises UsageError if it exists.

    progress: receives a line now and then if reading takes more than a second.
    """
    path = root / FILE_NAME
    if path.exists():
        raise UsageError(f"{path} already exists", hint="edit it; docs/nalm-toml.md describes every key")
    if not root.is_dir():
        raise UsageError(f"{root} is not a directory", hint="give the NF's repository with --repo")
    found = look_at(root, progress)
    text = render(found)
    parse(text, str(path))
    _write(path, text)
    return path, [*_without_git(root), *remarks(found)]


def write_headers(root: Path) -> list[Path]:
    """Copies the probe's headers into a repository. Raises UsageError if one exists."""
    targets = [root / name for name in HEADERS]
    for target in targets:
        if target.exists():
            raise UsageError(
                f"{target} already exists", hint="move it away to get the header of this version"
            )
    for target in targets:
        _write(target, (FOLDER / target.name).read_text())
    return targets


def _write(path: Path, text: str) -> None:
    try:
        put(path, text.encode(), mode=0o666)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}", hint="check its directory") from error


def render(found: DetectedNf) -> str:
    """The file's text, with comments where the user must check a guess."""
    commands = _commands(found)
    return f"""# How nalm builds, starts and feeds this network function. Every key: docs/nalm-toml.md
version = 1

[project]
name = "{found.name}"

[build]
# {{source}}: a checkout; {{build}}: an empty directory. Commands run in {{source}}, without a shell.
commands = [
{_lines(commands)}]
artifacts = {_array([found.executable])}   # executables, libraries under {{build}}; patterns: "drivers/*.so"
paths = ["."]   # all that the build reads; a commit that changes none of it is not measured

[run]
# {{eal}}: EAL options for the cores; {{features}}: the scenario's, joined by ","; {{traffic}}: its file
command = {_array(_command(found))}
{_lent(found)}{_stages(found)}
[scenarios.main]
features = []
lcores = 1
traffic = {_string(found.captures[0] if found.captures else "traffic/capture.pcap")}
"""


def _commands(found: DetectedNf) -> list[list[str]]:
    if found.build_file is None:
        return [["cc", "-O2", "-g", "-o", "{build}/" + found.executable, "main.c"]]
    commands = OUTSIDE if found.takes_output else BUILDS[found.build_file]
    below = "" if found.folder == "." else f"/{found.folder}"
    if commands[0] == _COPY:  # of everything: a Makefile may use what is beside its directory
        return [
            _COPY,
            *([word.replace("{build}", f"{{build}}{below}") for word in one] for one in commands[1:]),
        ]
    return [[word.replace("{source}", f"{{source}}{below}") for word in one] for one in commands]


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
    return """counts = "dpdk"   # the NF has no probe and gets a lent one: docs/bring-your-own-nf.md
# control_lcore = true   # if the main lcore only controls and another lcore forwards
"""


def _stages(found: DetectedNf) -> str:
    if found.includes_probe:
        return "".join(
            f"\n[stages.{_string(stage) if '.' in stage else stage}]\nfunctions = {_array(functions)}\n"
            for stage, functions in found.stages.items()
        )
    if not found.packet_functions or not found.lent:
        return ""
    parts = "".join(
        f'# [stages.{name}]\n# functions = ["{name}"]\n# within = "app"\n' for name in found.packet_functions
    )
    return "\n# Functions that take packets, the likeliest stages first; keep those that matter.\n" + parts


def _array(values: Sequence[str]) -> str:
    return "[" + ", ".join(_string(value) for value in values) + "]"


def _string(value: str) -> str:
    """A string of TOML. Its escapes are those of JSON; U+007F needs one, too."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _lines(commands: Sequence[Sequence[str]]) -> str:
    return "".join(f"  {_array(command)},\n" for command in commands)


def _without_git(root: Path) -> list[str]:
    if any((above / ".git").exists() for above in (root, *root.resolve().parents)):
        return []
    return [
        f"{root} is not in a git repository: `nalm check` judges commits; run `git init` and commit first"
    ]


def remarks(found: DetectedNf) -> list[str]:
    """What the user must check or add: guesses, what was ignored, the next step."""
    result = []
    if found.build_file is None:
        known = ", ".join(BUILDS)
        result.append(f"no build file found ({known}): correct [build] commands")
    elif found.folder != ".":
        result.append(f"[build] commands build {found.folder}, since the root has no build file")
    others = [one for one in found.programs if one != found.executable]
    if others:
        named = ", ".join(others[:MOST_NAMED])
        more = f" and {len(others) - MOST_NAMED} more" if len(others) > MOST_NAMED else ""
        result.append(f"[build] artifacts has {found.executable}; the build also makes {named}{more}")
    if not found.programs:
        where = f"{found.build_file} names no executable" if found.build_file else "no build file names it"
        result.append(
            f'"{found.executable}" in [build] artifacts and [run] command is a guess from the '
            f"directory's name ({where}): give the program's path below {{build}}"
        )
    if found.lent:
        result.append('no source includes nalm_probe.h: the DPDK program is lent a probe (counts = "dpdk")')
    elif not found.includes_probe:
        result.append(
            "no source includes nalm_probe.h: `nalm init --headers` writes it, and nalm_loop.h, which passes "
            "a capture through a function of a plain C library"
        )
    if found.stages:
        result.append("check the functions of [stages], which were found by common names of stage functions")
    elif found.includes_probe:
        result.append("no stage found: name a stage's C functions in [stages.NAME] to count its instructions")
    result += _about_captures(found.captures)
    result.append("check [run] command: it needs the options with which the NF replays its traffic")
    result += [f"not examined: {what}" for what in found.left_out]
    result.append("then run `nalm doctor` and `nalm check`")
    return result


def _about_captures(captures: Sequence[str]) -> list[str]:
    if not captures:
        return ["no capture found: put one into the repository and name it in [scenarios.main] traffic"]
    if len(captures) == 1:
        return []
    ignored = listed_at_most(captures[1:], MOST_NAMED)
    return [f"[scenarios.main] traffic is {captures[0]}, the first capture found; ignored: {ignored}"]
