# SPDX-License-Identifier: Apache-2.0
"""A command of nalm that another one runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from nalm_agent.runtime.own_command import own_command


def test_it_imports_nothing_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is often the measured repository, whose files may have the names of Python's modules."""
    (tmp_path / "json.py").write_text("raise ValueError('imported')\n")
    monkeypatch.chdir(tmp_path)
    with own_command(["config"]) as process:
        assert process.wait() == 2, "there is no nalm.toml"
