# SPDX-License-Identifier: Apache-2.0
"""A stranger: a program that was not made for nalm, in a directory and a home of its own. They are below
`.cache`, because DPDK loads no driver from below /tmp."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from nalm_core.report.rounds import disturbed_counts
from nalm_core.report.run_report import Round
from nalm_core.verdict.wording import BUSY_SHARE
from transcript import Session

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".cache" / "strangers"
DOCUMENTS = ROOT / "docs" / "bring-your-own-nf"
PROGRAMS = Path(sys.executable).parent
TRIES = 3
"""How often a comparison that stays inconclusive is measured."""
MINUTES = 1
"""Time for the rounds of one. Counted instructions find what is planted, whatever the cycles show."""
NO_COST = 0.0005
LEAST_AND_MOST_PLANTED = (0.01, 0.1)
"""Relative changes of instructions per packet. Planted: about 3 % of cycles."""
UNDECIDED = 3
OUTCOMES = {0: "same or improved", 1: "regressed", UNDECIDED: "inconclusive", 4: "not measured"}


@dataclass
class Tried:
    """What the summary says of a stranger."""

    name: str
    first_minutes: float | None = None
    """From nothing to the first right verdict, by the document."""
    results: dict[str, str] = field(default_factory=dict)


TRIED: list[Tried] = []


@dataclass
class Stranger:
    """A stranger's directory, home and shell."""

    tried: Tried
    session: Session
    undecided: list[str] = field(default_factory=list)
    """What a busy host left undecided."""

    def play(self, document: Path) -> str:
        """Runs a document, and notes how long it took."""
        began = time.monotonic()
        output = self.session.play(document)
        self.tried.first_minutes = (time.monotonic() - began) / 60
        return output

    def judge(self, what: str, expected: int | None, named: str | None = None) -> str:
        """Judges HEAD against the commit before until the exit code is the wanted one (None: any but that
        of a regression), and the output names the function. Where instructions are counted, they are as
        exact as they are on a quiet machine, so that a planted change is found on a busy one, too. Cycles
        alone may stay undecided on a busy one, which `end` reports. Returns the last output."""
        output, code, report = "", 4, dict[str, Any]()
        for attempt in range(TRIES):
            force = " --force" if attempt else ""
            command = f"nalm check HEAD~1 HEAD --minutes {MINUTES}{force} --json=../run.json"
            output = self.session.run(f"{command} && code=0 || code=$?; echo code=$code")
            code = int(output.rsplit("code=", 1)[1])
            report = json.loads((self.session.where().parent / "run.json").read_text())
            if named is not None:
                assert named in output, f"{named} is not named:\n{output[-4000:]}"
            if code == expected or (expected is None and (code == 0 or is_busy(report))):
                break
        chain = next((line for line in output.splitlines() if line.split()[:1] == ["chain"]), "")
        self.tried.results[what] = f"{OUTCOMES.get(code, code)}: {' '.join(chain.split())}"
        more = more_instructions(report)
        if more is not None and (expected is None or named is not None):  # the kernel's are not counted
            least, most = (-NO_COST, NO_COST) if expected is None else LEAST_AND_MOST_PLANTED
            assert least <= more <= most, f"{what}: {more:+.2%} instructions a packet\n{output[-4000:]}"
        if expected is None:
            assert code in (0, 3), f"{what}: {code}\n{output[-4000:]}"
        elif code == UNDECIDED and named is None and is_busy(report):
            self.undecided.append(what)
        else:
            assert code == expected, f"{what}: {code}, not {expected}\n{output[-4000:]}"
        return output

    def end(self) -> None:
        """Ends the test as not tried if the host was too busy to decide something."""
        if self.undecided:
            pytest.skip(f"undecided for lack of quiet: {'; '.join(self.undecided)}")


def is_busy(report: Mapping[str, Any]) -> bool:
    """Whether other programs disturbed so many rounds that a note says so."""
    aside, disturbed, number = disturbed_counts([Round.model_validate(one) for one in report["rounds"]])
    return aside + disturbed > BUSY_SHARE * number


def more_instructions(report: Mapping[str, Any]) -> float | None:
    """The relative change of instructions per packet of all stages; None if they were not counted. What is in
    no stage, such as Go's runtime, differs from one launch to the next."""
    per_packet = {
        one["arm"]: sum(one["stages"].values()) / one["packets"] for one in report.get("instructions", [])
    }
    return per_packet["head"] / per_packet["base"] - 1 if {"base", "head"} <= per_packet.keys() else None


def require(packages: tuple[str, ...], commands: tuple[str, ...] = ()) -> None:
    """Installs Debian packages where that is allowed. What cannot be had ends the test as not tried."""
    missing = [one for one in packages if not _installed(one)]
    if missing and os.geteuid() == 0 and not os.environ.get("NALM_SKIP_APT"):
        command = ["apt-get", "install", "-q", "-y", "--no-install-recommends", *missing]
        environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
        missing = [one for one in missing if not _installed(one)]
    if missing:
        pytest.skip(f"not tried: no Debian package {', '.join(missing)}")
    absent = [one for one in commands if shutil.which(one) is None]
    if absent:
        pytest.skip(f"not tried: no {', '.join(absent)}")


def _installed(package: str) -> bool:
    command = ["dpkg-query", "-W", "-f", "${db:Status-Status}", package]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout == "installed"
