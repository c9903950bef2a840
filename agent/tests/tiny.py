# SPDX-License-Identifier: Apache-2.0
"""The tests' NF (nf/tiny_nf.c) in a real git repository, and the real command `nalm`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from loaded_python import LoadedPython

NALM = Path(sys.executable).with_name("nalm")
LOADED = """
import MLRsearch, multiprocessing.popen_spawn_posix, scipy.special
import nalm_agent.artifacts.limited_reading, nalm_agent.cli.agent, nalm_agent.cli.check
import nalm_agent.daemon.loop, nalm_agent.desk.conclude, nalm_agent.measure.measure
import nalm_agent.server_api.client, nalm_agent.shell.app, nalm_agent.shell.completion
import nalm_core.features.decompose_run, nalm_core.functions.judge
import nalm_core.verdict.verdict, nalm_core.verdict.wording
from nalm_agent.counters import simulated
from nalm_agent.measure import explaining
from nalm_agent.native.toolchain import toolchain
toolchain(), simulated.valgrind_version()
explaining.TURNS = 2
"""
"""What it finds out about the host's tools, forks know. They sample arms in few turns: almost all samples of
the tests' NFs are of one function."""
ROOT = Path(__file__).resolve().parents[2]
NF_SOURCE = Path(__file__).parent / "nf" / "tiny_nf.c"
TRAFFIC_NF = NF_SOURCE.with_name("traffic_nf.c")
PROBE_HEADER = ROOT / "reference-nf" / "probe" / "nalm_probe.h"

NALM_TOML = """version = 1
[project]
name = "tiny"
[build]
commands = [["gcc", "-O2", "-g", "-I{source}", "-o", "{build}/tiny_nf", "{source}/tiny_nf.c"]]
artifacts = ["tiny_nf"]
paths = ["tiny_nf.c", "nalm_probe.h", "work.h"]
[run]
command = ["{build}/tiny_nf", "--features", "{features}", "--traffic", "{traffic}"]
ready_seconds = 5
[scenarios.tiny]
features = ["alpha", "beta"]
traffic = "traffic/capture.bin"
packets = 20000
[judge]
margin = 0.1
looks = 2
turn_ms = 10
turns_per_launch = 6
max_launches = 8
"""

FEW_LAUNCHES = NALM_TOML.replace("looks = 2", "looks = 1").replace("max_launches = 8", "max_launches = 2")
"""For tests that read no verdict on cycles."""

RATES_TOML = """version = 1
[project]
name = "traffic"
[build]
commands = [["gcc", "-O2", "-g", "-I{source}", "-o", "{build}/traffic_nf", "{source}/traffic_nf.c"]]
artifacts = ["traffic_nf"]
paths = ["traffic_nf.c", "nalm_probe.h", "nalm_traffic.h"]
[run]
command = ["{build}/traffic_nf"]
ready_seconds = 10
[rates]
arguments = ["--capacity", "100000"]
[scenarios.made]
traffic = "nalm.toml"
packets = 20000
"""


@dataclass
class NfRepository:
    """A repository of the tiny NF. Its first commit is `main`'s."""

    path: Path

    def git(self, *arguments: str) -> str:
        identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
        done = subprocess.run(
            ["git", *identity, *arguments], cwd=self.path, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def write(self, name: str, text: str) -> None:
        path = self.path / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)

    def commit(self, message: str, **files: str) -> str:
        """Commits all there is, after writing files given with __ for a dot. Returns the commit."""
        for name, text in files.items():
            self.write(name.replace("__", "."), text)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD")


@cache
def loaded_nalm() -> LoadedPython:
    """One for each test process."""
    return LoadedPython(LOADED, COLUMNS="200", NO_COLOR="1")


@dataclass
class Nalm:
    """The command, as a person runs it."""

    home: Path

    def __post_init__(self) -> None:
        self.home.mkdir(exist_ok=True)

    def environment(self) -> dict[str, str]:
        return os.environ | {
            "NALM_HOME": str(self.home),
            "COLUMNS": "200",
            "NO_COLOR": "1",
        }

    def run(self, *arguments: str, cwd: Path, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
        command = [NALM, *arguments]
        return loaded_nalm().run(command, cwd=cwd, environment=self.environment(), stdin=stdin, timeout=280)

    def start(self, *arguments: str, cwd: Path) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(NALM), *arguments],
            cwd=cwd,
            env=self.environment(),
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
        )


def build_tiny(folder: Path, work_h: str, *options: str, libraries: Sequence[str] = ()) -> list[str]:
    """Compiles the tiny NF with a work.h of its own; returns its command line."""
    (folder / "work.h").write_text(work_h)
    traffic = folder / "capture.bin"
    traffic.write_text("packets")
    include = [f"-I{folder}", f"-I{PROBE_HEADER.parent}", *options]
    subprocess.run(
        ["gcc", "-O2", "-g", *include, "-o", folder / "tiny_nf", NF_SOURCE, *libraries], check=True
    )
    return [str(folder / "tiny_nf"), "--features", "alpha,beta", "--traffic", str(traffic)]
