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
from transcript import Session

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".cache" / "strangers"
DOCUMENTS = ROOT / "docs" / "bring-your-own-nf"
PROGRAMS = Path(sys.executable).parent
TRIES = 3
"""How often a comparison that stays inconclusive is measured."""
OUTCOMES = {0: "same or improved", 1: "regressed", 3: "inconclusive", 4: "not measured"}


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

    def play(self, document: Path) -> str:
        """Runs a document, and notes how long it took."""
        began = time.monotonic()
        output = self.session.play(document)
        self.tried.first_minutes = (time.monotonic() - began) / 60
        return output

    def judge(self, what: str, expected: int | None, named: str | None = None) -> str:
        """Judges HEAD against the commit before until the exit code is the wanted one (None: any but that
        of a regression), and the output names the function. Returns the last output."""
        output, code = "", 4
        for attempt in range(TRIES):
            force = " --force" if attempt else ""
            output = self.session.run(f"nalm check HEAD~1 HEAD{force} && code=0 || code=$?; echo code=$code")
            code = int(output.rsplit("code=", 1)[1])
            if named is not None:
                assert named in output, f"{named} is not named:\n{output[-4000:]}"
            if code == expected or (expected is None and code == 0):
                break
        chain = next((line for line in output.splitlines() if line.split()[:1] == ["chain"]), "")
        self.tried.results[what] = f"{OUTCOMES.get(code, code)}: {' '.join(chain.split())}"
        if expected is None:
            assert code in (0, 3), f"{what}: {code}\n{output[-4000:]}"
        else:
            assert code == expected, f"{what}: {code}, not {expected}\n{output[-4000:]}"
        return output


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
