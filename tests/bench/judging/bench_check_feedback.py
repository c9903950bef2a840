# SPDX-License-Identifier: Apache-2.0
"""How long a developer waits for `nalm check` on the reference NF, and how well its counts repeat.

Uses the demo's history and a store of its own: a merge that does not change the code; the merge that adds
instructions to NAT, from the end of its build to the first result on instructions and to the verdict on
cycles; the same merge counted again from an empty store.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from host import print_result

ROOT = Path(__file__).resolve().parents[3]
NALM = Path(sys.executable).with_name("nalm")
LAUNCHED = "start:"
"""First step after the builds."""
COUNTING = re.compile(r"packets per arm$|: [\d,]+ of [\d,]+ packets$")
"""Ends of lines that say how far the counting is."""


@dataclass(frozen=True)
class Check:
    """When `nalm check` printed each message, in seconds from its start."""

    built: float | None
    instructions: float | None
    ended: float


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        merges = make_history(where / "history")
        unchanged = next(merge for merge in merges if merge["expect"] == "same")
        slower = next(merge for merge in merges if merge["cause"] == "instructions")
        again = check(where, unchanged, None)
        first = check(where, slower, where / "first.json")
        shutil.rmtree(where / "home" / "store")
        check(where, slower, where / "second.json")
        assert first.built is not None
        assert first.instructions is not None
        print_result("check_unchanged", round(again.ended, 2), "s", "lower")
        print_result(
            "check_instructions", round(first.instructions - first.built, 2), "s after the build", "lower"
        )
        print_result("check_cycles", round(first.ended - first.built, 2), "s after the build", "lower")
        print_result("ipp_repeats", worst_difference(where), "relative difference", "lower")
    return 0


def make_history(to: Path) -> list[dict[str, str]]:
    script = ROOT / "reference-nf" / "demo" / "make_history.py"
    command = [sys.executable, str(script), "--from", str(ROOT / "reference-nf"), "--to", str(to)]
    merges: list[dict[str, str]] = json.loads(subprocess.check_output(command, text=True))
    return merges


def check(where: Path, merge: dict[str, str], report: Path | None) -> Check:
    """Runs `nalm check` on a merge and times its messages."""
    command = [str(NALM), "check", "--base", merge["parent"], "--head", merge["sha"], "--repo"]
    command += [str(where / "history"), *(["--json", str(report)] if report else [])]
    began = time.monotonic()
    built = instructions = None
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"NALM_HOME": str(where / "home"), "NO_COLOR": "1"},
    )
    assert process.stderr is not None
    for line in process.stderr:
        now = time.monotonic() - began
        if line.startswith(LAUNCHED):
            built = now
        elif line.startswith("instructions: ") and not COUNTING.search(line):
            instructions = instructions or now
    if process.wait() not in (0, 1):
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return Check(built, instructions, time.monotonic() - began)


def worst_difference(where: Path) -> float:
    """Largest relative difference of the same arm's instructions between the two counts."""
    first, second = (json.loads((where / f"{name}.json").read_text()) for name in ("first", "second"))
    totals = [
        {count["arm"]: sum(count["stages"].values()) / count["packets"] for count in report["instructions"]}
        for report in (first, second)
    ]
    return max(abs(totals[0][arm] / totals[1][arm] - 1) for arm in totals[0])


if __name__ == "__main__":
    sys.exit(main())
