# SPDX-License-Identifier: Apache-2.0
"""The store removes the least recently used entries and none in use; `nalm store` shows and removes them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from nalm_agent.runtime.errors import UsageError
from nalm_agent.store import file_lock
from nalm_agent.store.home import Home
from nalm_agent.store.store import Store
from nalm_agent.store.store_limit import LIMIT, entries, in_use, limit_bytes, parse_bytes, prune
from tiny import Nalm

SIZE = 100_000
LEASING = """
import sys
from pathlib import Path
from nalm_agent.store.store import Store
Store(Path(sys.argv[1])).directory("builds", sys.argv[2])
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Three builds of SIZE bytes, a oldest, and a small document older than all."""
    found = Store(tmp_path / "store")
    found.put_document("counts", "old", {"packets": 1})
    for age, key in enumerate("cba"):
        made = found.make_directory(
            "builds", key, lambda new: (new / "nf").write_bytes(os.urandom(SIZE)) and None
        )
        os.utime(made, (1000 - age, 1000 - age))
    os.utime(found.path("counts", "old.json"), (10, 10))
    file_lock.release_all()
    yield found
    file_lock.release_all()


def names(store: Store) -> list[str]:
    return [entry.name for entry in entries(store)]


def test_least_recently_used_goes_first(store: Store) -> None:
    assert names(store) == ["old.json", "a", "b", "c"]
    assert [entry.size >= SIZE for entry in entries(store)] == [False, True, True, True]
    assert prune(store, 10 * SIZE) == []
    assert [entry.name for entry in prune(store, 2 * SIZE + 50_000)] == ["old.json", "a"]
    store.directory("builds", "b")
    file_lock.release_all()
    assert names(store) == ["c", "b"]
    assert [entry.name for entry in prune(store, 0)] == ["c", "b"]
    assert [path.name for path in store.root.rglob("*")] in (["builds", "counts"], ["counts", "builds"])


def test_what_this_process_uses_stays(store: Store) -> None:
    assert store.directory("builds", "a") is not None
    assert [in_use(store, entry) for entry in entries(store) if entry.name in "ab"] == [False, True]
    prune(store, 0)
    assert names(store) == ["a"]
    file_lock.release_all()
    prune(store, 0)
    assert names(store) == []


def test_what_another_process_uses_stays_until_it_ends(store: Store) -> None:
    command = [sys.executable, "-c", LEASING, str(store.root), "a"]
    user = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert user.stdout is not None
    assert user.stdout.readline() == b"held\n"
    prune(store, 0)
    assert names(store) == ["a"]
    user.kill()
    user.communicate()
    prune(store, 0)
    assert names(store) == []


def test_use_ends_with_the_command(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with home.work():
        home.store().make_directory("builds", "a", lambda new: (new / "nf").touch())
        assert prune(home.store(), -1) == []
    assert [entry.name for entry in prune(home.store(), -1)] == ["a"]


def test_what_was_removed_is_made_again(store: Store) -> None:
    prune(store, 0)
    made = store.make_directory("builds", "a", lambda new: (new / "nf").write_text("again"))
    assert (made / "nf").read_text() == "again"


def test_half_written_entries_go_with_the_next_command(tmp_path: Path) -> None:
    home = Home(tmp_path)
    store = home.store()
    ended = subprocess.Popen(["true"])
    ended.wait()
    left = [store.path("builds", ".new-k"), store.path("builds", ".new-j.gone")]
    for path in left:
        path.mkdir()
    store.path("builds", "k.lock").touch()
    document = store.path("counts", f".new-nalm-{ended.pid}-1-abcd0123")
    document.write_text("{")

    def fill(new: Path) -> None:
        with home.work():
            assert new.exists()  # this process is still at it
        (new / "nf").touch()

    store.make_directory("builds", "made", fill)
    assert not any(path.exists() for path in [*left, document])
    assert sorted(path.name for path in (tmp_path / "store" / "builds").iterdir()) == ["made", "made.lock"]


@pytest.mark.parametrize(
    ("text", "size"), [("0", 0), ("123", 123), ("2K", 2048), ("1.5G", 3 << 29), ("20 GiB", 20 << 30)]
)
def test_sizes(text: str, size: int) -> None:
    assert parse_bytes(text) == size


def test_limit(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    assert 0 < limit_bytes(store) <= 20 << 30
    monkeypatch.setenv(LIMIT, "3M")
    assert limit_bytes(store) == 3 << 20
    monkeypatch.setenv(LIMIT, "much")
    with pytest.raises(UsageError, match="'much' is not a size"):
        limit_bytes(store)


def test_command(store: Store, tmp_path: Path) -> None:
    nalm = Nalm(tmp_path)
    shown = nalm.run("store", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert [line.split()[:2] for line in shown.stdout.splitlines()] == [
        ["builds", "3"],
        ["counts", "1"],
        ["total", "4"],
    ]
    pruned = nalm.run("store", "--prune", "--limit", "150K", "--json", cwd=tmp_path)
    document = json.loads(pruned.stdout)
    assert [entry["name"] for entry in document["entries"]] == ["c"]
    assert [entry["name"] for entry in document["removed"]] == ["old.json", "a", "b"]
    for text in ("much", "9" * 400, f"{'9' * 400}G"):
        assert nalm.run("store", "--limit", text, cwd=tmp_path).returncode == 2
