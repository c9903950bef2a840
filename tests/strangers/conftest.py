# SPDX-License-Identifier: Apache-2.0
"""A directory for each stranger, and what the suite says of all of them at its end."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator

import pytest
from stranger import FOLDER, PROGRAMS, TRIED, Stranger, Tried
from transcript import Session, fresh_environment


@pytest.fixture
def stranger(request: pytest.FixtureRequest) -> Iterator[Stranger]:
    name = re.sub(r"[^a-z0-9]+", "-", request.node.name.removeprefix("test_").lower()).strip("-")
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "work").mkdir(parents=True)
    tried = Tried(name)
    TRIED.append(tried)
    environment = fresh_environment(folder / "home", PROGRAMS, NALM_HOME=str(folder / "nalm"))
    yield Stranger(tried, Session(folder / "work", environment))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Minutes and verdicts of each stranger."""
    for tried in TRIED:
        first = "" if tried.first_minutes is None else f"{tried.first_minutes:.1f} min to the first verdict"
        terminalreporter.write_line(f"{tried.name}: {first}")
        for what, result in tried.results.items():
            terminalreporter.write_line(f"    {what}: {result}")
