# SPDX-License-Identifier: Apache-2.0
"""`nalm agent --ping` checks the agent process, not its server."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from nalm_agent.daemon.liveness import LONGEST_SECONDS, SIGN, SilentError, require_sign, sign
from nalm_agent.shell.app import app
from nalm_agent.store.home import Home
from typer.testing import CliRunner


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("NALM_HOME", str(tmp_path))
    return Home.default()


def test_no_agent_has_ever_served(home: Home) -> None:
    with pytest.raises(SilentError, match="no agent has served"):
        require_sign(home)


def test_an_agent_that_works(home: Home) -> None:
    sign(home)
    assert require_sign(home) < LONGEST_SECONDS
    done = CliRunner().invoke(app, ["agent", "--ping"])
    assert (done.exit_code, "the agent works" in done.stdout) == (0, True)


def test_an_agent_that_fell_silent(home: Home) -> None:
    sign(home)
    path = home.root / SIGN
    before = path.stat().st_mtime - LONGEST_SECONDS - 1
    os.utime(path, (before, before))
    with pytest.raises(SilentError, match="silent for 30"):
        require_sign(home)


def test_a_clock_that_was_set_back_is_no_silence(home: Home) -> None:
    sign(home)
    path = home.root / SIGN
    after = path.stat().st_mtime + 3600
    os.utime(path, (after, after))
    assert require_sign(home) == 0.0
