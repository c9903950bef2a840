# SPDX-License-Identifier: Apache-2.0
"""The store publishes whole entries and removes what killed commands left."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from nalm_agent.store import atomic_file
from nalm_agent.store import store as store_module
from nalm_agent.store.home import SHARED_MEMORY, Home
from nalm_agent.store.store import Store, address
from stamps import stamp_of_another


def test_directory_is_made_once_and_seen_whole(tmp_path: Path) -> None:
    store, made = Store(tmp_path), list[Path]()

    def fill(new: Path) -> None:
        assert store.directory("builds", "k") is None
        (new / "file").write_text("whole")
        made.append(new)

    first = store.make_directory("builds", "k", fill)
    assert store.make_directory("builds", "k", fill) == first == store.directory("builds", "k")
    assert (first / "file").read_text() == "whole"
    assert len(made) == 1


def test_a_failed_fill_leaves_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path)

    def fail(new: Path) -> None:
        (new / "half").write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        store.make_directory("builds", "k", fail)
    assert store.directory("builds", "k") is None
    assert [path.name for path in (tmp_path / "builds").iterdir() if path.is_dir()] == []


def test_leftovers_of_a_killed_fill_are_replaced(tmp_path: Path) -> None:
    store = Store(tmp_path)
    (tmp_path / "builds" / ".new-k").mkdir(parents=True)
    (tmp_path / "builds" / ".new-k" / "half").write_text("half")
    entry = store.make_directory("builds", "k", lambda new: (new / "file").touch())
    assert [path.name for path in entry.iterdir()] == ["file"]


def test_documents(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert store.document("counts", "k") is None
    store.put_document("counts", "k", {"a": 1})
    assert store.document("counts", "k") == {"a": 1}
    assert [path.name for path in (tmp_path / "counts").iterdir()] == ["k.json"]


def test_what_gets_its_name_is_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a host that loses power finds files without content under it."""
    happened = list[str]()
    sync_tree, fsync, rename, replace = atomic_file.sync_tree, os.fsync, Path.rename, Path.replace

    def noted(name: str, function: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object) -> object:
            happened.append(name)
            return function(*arguments)

        return call

    monkeypatch.setattr(store_module, "sync_tree", noted("written", sync_tree))
    monkeypatch.setattr(os, "fsync", noted("written", fsync))
    monkeypatch.setattr(Path, "rename", noted("named", rename))
    monkeypatch.setattr(Path, "replace", noted("named", replace))
    store = Store(tmp_path)
    store.make_directory("builds", "k", lambda new: (new / "file").touch())
    assert happened == ["written", "named"]
    store.put_document("counts", "k", {"a": 1})
    assert happened[2:4] == ["written", "named"]


def test_address_depends_on_every_part() -> None:
    assert address("a", ["b"]) == address("a", ["b"])
    assert len({address("a", ["b"]), address("a", ["c"]), address("ab"), address("a", "b", None)}) == 4


def test_work_of_a_dead_process_is_removed_and_of_a_living_one_kept(tmp_path: Path) -> None:
    home = Home(tmp_path)
    ended = subprocess.Popen(["true"])
    ended.wait()
    gone = stamp_of_another(ended.pid)
    dead = [
        home.folder("work") / gone,
        SHARED_MEMORY / gone,
        home.folder("work") / stamp_of_another(os.getpid()),  # a pid given out again
        tmp_path / f".{gone}",
        home.folder("native") / f".{gone}",
        home.store().path("counts", f".{gone}"),
    ]
    for path in dead:
        if path.name.startswith("."):
            path.touch()
        else:
            path.mkdir()
    with home.work() as living:
        assert not any(path.exists() for path in dead)
        home.remove_abandoned()
        assert living.disk.exists()
        assert living.memory.exists()
    assert not living.disk.exists()
    assert not living.memory.exists()
