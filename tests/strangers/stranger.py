# SPDX-License-Identifier: Apache-2.0
"""A stranger: a program that was not made for nalm, in a directory and a home of its own. They are below
`.cache`, because DPDK loads no driver from below /tmp."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from kernel_bpf import bpf_refusal
from nalm_core.report.outcome import UNDECIDED, Outcome
from nalm_core.report.rounds import disturbed_counts
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.serialization import parse_report
from nalm_core.verdict.verdict import judge
from nalm_core.verdict.wording import BUSY_SHARE
from transcript import BLOCK_SECONDS, Session

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".cache" / "strangers"
DOCUMENTS = ROOT / "docs" / "bring-your-own-nf"
PROGRAMS = Path(sys.executable).parent
MINUTES = (1, 2, 4)
"""Time for the rounds of a comparison, and of the next ones while it stays inconclusive."""
NO_COST = 0.0005
LEAST_AND_MOST_PLANTED = (0.01, 0.1)
"""Relative changes of instructions per packet. Planted: about 3 % of cycles."""


@dataclass
class Tried:
    """What the summary says of a stranger."""

    name: str
    first_minutes: float | None = None
    """From nothing, with packages and sources there, to the first right verdict; None: there was none."""
    results: dict[str, str] = field(default_factory=dict)


TRIED: list[Tried] = []


@dataclass
class Stranger:
    """A stranger's directory, home and shell."""

    tried: Tried
    session: Session
    undecided: list[str] = field(default_factory=list)
    """What a busy host left undecided."""
    began: float = field(default_factory=time.monotonic)

    def begin(self) -> None:
        """Begins to count the minutes to the first right verdict."""
        self.began = time.monotonic()

    def play(self, document: Path) -> str:
        """Runs a document, which ends with its first verdict."""
        self.begin()
        output = self.session.play(document)
        self._first_verdict()
        return output

    def _first_verdict(self) -> None:
        if self.tried.first_minutes is None:
            self.tried.first_minutes = (time.monotonic() - self.began) / 60

    def judge(
        self,
        what: str,
        expected: Outcome | None,
        named: str | None = None,
        no_cost: float = NO_COST,
        minutes: tuple[int, ...] = MINUTES,
    ) -> str:
        """Judges HEAD against the commit before; a planted change again while it is undecided on a quiet
        host. The verdict of its report must be the expected one (None: of a commit without cost), and the
        output names the function. Where instructions are counted, they are as exact as they are on a quiet
        machine, so that a planted change is found on a busy one, too. Cycles alone may stay undecided on a
        busy one, which `end` reports. Returns the last output."""
        for number in minutes:
            force = "" if number == minutes[0] else " --force"
            command = f"nalm check HEAD~1 HEAD --minutes {number}{force} --json=../run.json"
            seconds = BLOCK_SECONDS + 60 * number
            output = self.session.run(f"{command} && code=0 || code=$?; echo code=$code", seconds)
            code = int(output.rsplit("code=", 1)[1])
            report = parse_report((self.session.where().parent / "run.json").read_bytes())
            outcome, busy = judge(report).outcome, is_busy(report)
            if named is not None:
                assert named in output, f"{named} is not named:\n{output[-4000:]}"
            if outcome not in UNDECIDED or expected is None or (busy and code == CODES[Outcome.REGRESSED]):
                break
        chain = next((line for line in output.splitlines() if line.split()[:1] == ["chain"]), "")
        more = more_instructions(report)
        counted = "" if more is None else f"; {more:+.2%} instructions"
        self.tried.results[what] = f"{outcome}: {' '.join(chain.split()) or 'no cycles'}{counted}"
        if more is not None and (expected is None or named is not None):  # the kernel's are not counted
            least, most = (-no_cost, no_cost) if expected is None else LEAST_AND_MOST_PLANTED
            assert least <= more <= most, f"{what}: {more:+.2%} instructions a packet\n{output[-4000:]}"
        if expected is not None and named is None and busy and code == CODES[Outcome.INCONCLUSIVE]:
            self.undecided.append(what)
        wrong = objection(expected, outcome, code, busy=busy, by_counts=named is not None)
        assert wrong is None, f"{what}: {wrong}\n{output[-4000:]}"
        self._first_verdict()
        return output

    def end(self) -> None:
        """Ends the test: as not tried if the host was too busy to decide something."""
        assert self.tried.first_minutes is not None, "the minutes to the first verdict were not counted"
        if self.undecided:
            pytest.skip(f"undecided for lack of quiet: {'; '.join(self.undecided)}")


CODES = {Outcome.SAME: 0, Outcome.REGRESSED: 1, Outcome.INCONCLUSIVE: 3}
"""Exit codes of `nalm check` for the verdicts that a stranger may get."""


def objection(
    expected: Outcome | None, outcome: Outcome, code: int, *, busy: bool, by_counts: bool
) -> str | None:
    """Why a verdict and an exit code are wrong; None if they are not.

    expected None: a commit without cost is the same or undecided, and neither improved nor regressed. A
    planted regression is regressed; on a busy host its cycles may be undecided, and the check fails by exact
    counts (by_counts) or is undecided, too.
    """
    if expected is None:
        accepted = {(one, CODES[one]) for one in (Outcome.SAME, Outcome.INCONCLUSIVE)}
    else:
        accepted = {(expected, CODES[expected])}
        if busy:
            accepted.add((Outcome.INCONCLUSIVE, CODES[expected if by_counts else Outcome.INCONCLUSIVE]))
    if (outcome, code) in accepted:
        return None
    allowed = " or ".join(f"{one} ({number})" for one, number in sorted(accepted))
    return f"{outcome} with exit code {code}, not {allowed}{' on a busy host' if busy else ''}"


def is_busy(report: RunReport) -> bool:
    """Whether other programs disturbed so many rounds that a note says so."""
    aside, disturbed, number = disturbed_counts(report.rounds)
    return aside + disturbed > BUSY_SHARE * number


def more_instructions(report: RunReport) -> float | None:
    """The relative change of instructions per packet of all stages; None if they were not counted. What is in
    no stage, such as Go's runtime, differs from one launch to the next."""
    per_packet = {one.arm: sum(one.stages.values()) / one.packets for one in report.instructions}
    if not {Arm.BASE, Arm.HEAD} <= per_packet.keys():
        return None
    return per_packet[Arm.HEAD] / per_packet[Arm.BASE] - 1


def require(packages: tuple[str, ...], commands: tuple[str, ...] = (), *, bpf: bool = False) -> None:
    """Installs Debian packages where that is allowed. What cannot be had ends the test as not tried.

    bpf: the kernel has to run an XDP program.
    """
    refusal = bpf_refusal() if bpf else None
    if refusal is not None:
        pytest.skip(f"not tried: {refusal}")
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
