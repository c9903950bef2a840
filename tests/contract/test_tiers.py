# SPDX-License-Identifier: Apache-2.0
"""Every suite belongs to a tier, and the nightly tier runs the parts of a suite that `make test` skips."""

from __future__ import annotations

import re
import runpy
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RUNNER = runpy.run_path(str(ROOT / "tests" / "run_suites.py"))
TIERS: dict[str, tuple[str, ...]] = dict(RUNNER["TIERS"])
LEAVES_OUT = re.compile(
    r"not nightly|TEST_DATABASE=marked|DEMO_MERGES=|ONE_VIEW=|FEW_THREADS=|-m sanitised|--suite fast"
)
"""Parts of a target's command that make it run less than the whole suite."""


def command(target: str) -> str:
    done = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout


def test_every_suite_belongs_to_a_tier() -> None:
    assert set(RUNNER["SUITES"]) == {suite for tier in TIERS.values() for suite in tier}


@pytest.mark.parametrize("suite", TIERS["test"])
def test_what_the_day_leaves_out_runs_at_night(suite: str) -> None:
    if not LEAVES_OUT.search(command(suite)):
        return
    whole = f"{suite}-whole"
    assert whole in TIERS["nightly"]
    assert not LEAVES_OUT.search(command(whole))
