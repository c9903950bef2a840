# SPDX-License-Identifier: Apache-2.0
"""A work directory is removed with its command, even while another process writes there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from nalm_agent.store import home as of_home
from nalm_agent.store.home import SHARED_MEMORY, Home, remove_tree
from stamps import stamp_of_another


def test_what_is_written_during_the_removal_goes_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dying process writes its last file when all before it are gone and the directory is not yet."""
    place = tmp_path / "run"
    place.mkdir()
    late = [place / "log", place / "out"]
    rmdir = os.rmdir

    def rmdir_beside_a_writer(*arguments: Any, **options: Any) -> None:
        if late:
            late.pop().touch()
        rmdir(*arguments, **options)

    monkeypatch.setattr(os, "rmdir", rmdir_beside_a_writer)
    remove_tree(place)
    assert late == [] and not place.exists()


def test_another_users_leftover_is_not_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In /dev/shm it would cost each command LAST_WRITE_SECONDS."""
    left, tried = SHARED_MEMORY / stamp_of_another(2**22 + 1), list[Path]()
    monkeypatch.setattr(of_home, "remove_tree", tried.append)
    left.mkdir()
    try:
        with monkeypatch.context() as another:
            another.setattr(os, "geteuid", lambda: os.getuid() + 1)
            Home(tmp_path).remove_abandoned()
        assert left not in tried
        Home(tmp_path).remove_abandoned()
        assert left in tried
    finally:
        left.rmdir()
