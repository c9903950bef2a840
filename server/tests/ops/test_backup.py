# SPDX-License-Identifier: Apache-2.0
"""Backup and restore: a round trip while the server runs, and every way it must refuse."""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from nalm_server.app.application import make_app
from nalm_server.app.context import make_context
from nalm_server.base.settings import Settings
from nalm_server.ops.backup import service as backups
from nalm_server.ops.backup.archive import BackupError
from nalm_server.ops.backup.scratch import LOCK, scratch
from nalm_server_harness import AppClient, Service
from nalm_server_reports import body_of, make_report

RUN = f"/api/v1/runs/{1:032x}/report"


@pytest.fixture
def elsewhere(request: pytest.FixtureRequest, database_url: str, tmp_path: Path) -> Iterator[Settings]:
    """Settings of an empty state of the same kind of database."""
    state = tmp_path / "elsewhere"
    if database_url.startswith("sqlite"):
        yield Settings(state_dir=state, database_url=f"sqlite:///{state / 'nalm.db'}", static_dir=tmp_path)
        return
    databases = request.getfixturevalue("databases")
    name, url = databases.create()
    yield Settings(state_dir=state, database_url=url, static_dir=tmp_path)
    databases.drop(name)


@pytest.fixture
def saved(service: Service, tmp_path: Path) -> Path:
    """A backup with the key, made beside a running server, and written to afterwards."""
    service.upload(body_of(make_report(1)))
    target = tmp_path / "nalm.tar"
    backups.backup(service.context.settings, target, with_key=True)
    service.upload(body_of(make_report(2)))
    return target


def test_round_trip(service: Service, saved: Path, elsewhere: Settings) -> None:
    assert saved.stat().st_mode & 0o077 == 0
    backups.restore(elsewhere, saved)
    context = make_context(elsewhere)
    client = AppClient(make_app(context), headers={"Authorization": f"Bearer {service.tokens['admin']}"})
    assert client.get(RUN).content == body_of(make_report(1))
    assert client.get(f"/api/v1/runs/{2:032x}").status_code == 404
    assert client.get("/api/v1/projects/demo/scenarios/sfc_a/history").json()["points"]
    # The restored one goes on: new rows find their numbers, stored secrets their key.
    headers = {"Authorization": f"Bearer {service.tokens['upload']}"}
    assert client.post("/api/v1/reports", content=body_of(make_report(3)), headers=headers).status_code == 201
    assert (elsewhere.state_dir / "secret.key").read_bytes() == (
        service.context.settings.state_dir / "secret.key"
    ).read_bytes()
    context.engine.dispose()


def test_key_is_in_it_only_when_requested(service: Service, tmp_path: Path) -> None:
    backups.backup(service.context.settings, tmp_path / "plain.tar", with_key=False)
    with tarfile.open(tmp_path / "plain.tar") as tar:
        assert tar.getnames() == ["manifest.json", "database"]


def test_only_into_an_empty_state(service: Service, saved: Path) -> None:
    with pytest.raises(BackupError, match="empty"):
        backups.restore(service.context.settings, saved)
    assert service.client.get(f"/api/v1/runs/{2:032x}").status_code in (200, 404)


def test_file_is_never_written_over(service: Service, saved: Path) -> None:
    before = saved.read_bytes()
    with pytest.raises(BackupError, match="already"):
        backups.backup(service.context.settings, saved, with_key=False)
    assert saved.read_bytes() == before


def test_file_of_a_backup_made_meanwhile_is_not_written_over(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, write = tmp_path / "nalm.tar", backups.archive.write

    def another_is_first(*given: Any) -> None:
        write(*given)
        target.write_bytes(b"another backup")

    monkeypatch.setattr(backups.archive, "write", another_is_first)
    with pytest.raises(BackupError, match="already"):
        backups.backup(service.context.settings, target, with_key=False)
    assert target.read_bytes() == b"another backup"


def test_backup_on_a_file_system_without_hard_links(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, elsewhere: Settings
) -> None:
    def refused(*given: Any) -> None:
        raise PermissionError

    with monkeypatch.context() as without:
        without.setattr(os, "link", refused)
        backups.backup(service.context.settings, tmp_path / "nalm.tar", with_key=True)
    backups.restore(elsewhere, tmp_path / "nalm.tar")


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip_a_byte(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)


def of_a_newer_program(path: Path) -> None:
    content = path.read_bytes()
    with tarfile.open(path) as tar:
        manifest = tar.extractfile("manifest.json")
        assert manifest is not None
        text = manifest.read()
    marked = text[text.index(b'"revision"') :].split(b",")[0]
    path.write_bytes(content.replace(marked, b'"revision": "9999"' + b" " * (len(marked) - 18), 1))


def something_else(path: Path) -> None:
    path.write_bytes(b"no tar at all" * 100)


@pytest.mark.parametrize("damage", [cut_short, flip_a_byte, of_a_newer_program, something_else])
def test_damaged_backup_changes_nothing(
    saved: Path, elsewhere: Settings, damage: Callable[[Path], None]
) -> None:
    whole = saved.read_bytes()
    damage(saved)
    with pytest.raises(BackupError):
        backups.restore(elsewhere, saved)
    assert list(elsewhere.state_dir.iterdir()) == []
    saved.write_bytes(whole)
    backups.restore(elsewhere, saved)  # the state was left empty, database included


def test_the_parts_of_a_killed_backup_are_removed_by_the_next(service: Service, tmp_path: Path) -> None:
    """And not those of a backup that another process makes."""
    with scratch(tmp_path, ".nalm-backup-") as living:
        killed = tmp_path / ".nalm-backup-killed"
        killed.mkdir()
        (killed / "database").write_bytes(b"as large as the database")
        backups.backup(service.context.settings, tmp_path / "nalm.tar", with_key=False)
        assert living.exists() and not killed.exists()
    assert [path.name for path in tmp_path.glob("*nalm*tar*")] == ["nalm.tar"]


PREFIX = ".nalm-backup-"


def cleaned_before_its_lock_is_made(monkeypatch: pytest.MonkeyPatch, clean: Callable[[], None]) -> None:
    make = tempfile.mkdtemp

    def made(**given: Any) -> str:
        path = make(**given)
        clean()
        return path

    monkeypatch.setattr(tempfile, "mkdtemp", made)


def cleaned_before_its_lock_is_held(monkeypatch: pytest.MonkeyPatch, clean: Callable[[], None]) -> None:
    hold = fcntl.flock

    def held(file: Any, how: int) -> None:
        if how == fcntl.LOCK_EX:
            clean()
        hold(file, how)

    monkeypatch.setattr(fcntl, "flock", held)


@pytest.mark.parametrize("cleaned", [cleaned_before_its_lock_is_made, cleaned_before_its_lock_is_held])
def test_a_backup_that_begins_while_another_one_cleans(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    cleaned: Callable[[pytest.MonkeyPatch, Callable[[], None]], None],
) -> None:
    """It has a directory that nobody removes, and so has the other one."""
    cleanings = []

    def clean() -> None:
        if cleanings:
            return
        cleanings.append(1)
        with scratch(tmp_path, PREFIX) as other:
            (other / "database").write_bytes(b"other")

    cleaned(monkeypatch, clean)
    with scratch(tmp_path, PREFIX) as work:
        with scratch(tmp_path, PREFIX) as other:
            assert work != other
        (work / "database").write_bytes(b"whole")
    assert cleanings and list(tmp_path.iterdir()) == []


def test_a_backup_that_ends_while_another_one_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock is there again after it was removed. The backup is whole all the same, and nothing stays."""
    remove = os.rmdir

    def looked_at(path: Any, **given: Any) -> None:
        monkeypatch.setattr(os, "rmdir", remove)
        (work / LOCK).touch()
        remove(path, **given)

    with scratch(tmp_path, PREFIX) as work:
        monkeypatch.setattr(os, "rmdir", looked_at)
    with scratch(tmp_path, PREFIX):
        assert not work.exists()


def test_a_killed_restore_leaves_no_database_without_its_key(
    saved: Path, elsewhere: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its first start would make another key, with which no stored secret can be read."""

    def after_the_key(*given: Any) -> None:
        assert (elsewhere.state_dir / "secret.key").exists()
        raise BackupError("refused")

    with monkeypatch.context() as refusing:
        refusing.setattr(backups.sqlite, "put", after_the_key)
        refusing.setattr(backups.postgresql, "restore", after_the_key)
        with pytest.raises(BackupError, match="refused"):
            backups.restore(elsewhere, saved)
    assert not (elsewhere.state_dir / "secret.key").exists()
    backups.restore(elsewhere, saved)


def test_one_restore_at_a_time(saved: Path, elsewhere: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two, one that fails would remove the key that the other stored."""
    read = backups.archive.read

    def beside_another(*given: Any) -> Any:
        with pytest.raises(BackupError, match=r"Another restore into .* is under way"):
            backups.restore(elsewhere, saved)
        return read(*given)

    with monkeypatch.context() as slower:
        slower.setattr(backups.archive, "read", beside_another)
        backups.restore(elsewhere, saved)
    assert (elsewhere.state_dir / "secret.key").exists()


FULL_DISK = """
import sys
from pathlib import Path
from nalm_server.ops.backup import service as backups
from nalm_server.base.settings import Settings
of_state, of_elsewhere = (
    Settings(state_dir=Path(state), database_url=url) for state, url in (sys.argv[1:3], sys.argv[3:5])
)
for do in (
    lambda: backups.backup(of_state, Path(sys.argv[5]), with_key=False),
    lambda: backups.restore(of_elsewhere, Path(sys.argv[6])),
):
    try:
        do()
        print("done")
    except Exception:
        print("failed")
"""


@pytest.mark.nightly
def test_full_disk_leaves_nothing_behind(
    service: Service, saved: Path, elsewhere: Settings, tmp_path: Path
) -> None:
    target = tmp_path / "room" / "new.tar"
    target.parent.mkdir()

    def little_room() -> None:
        """No file grows beyond 64 kB: as a full disk, an error of the write."""
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 10, 64 << 10))

    ends = [(str(one.state_dir), one.resolved_database_url) for one in (service.context.settings, elsewhere)]
    command = [sys.executable, "-c", FULL_DISK, *ends[0], *ends[1], str(target), str(saved)]
    done = subprocess.run(command, preexec_fn=little_room, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["failed", "failed"], done.stderr
    assert list(target.parent.iterdir()) == []
    assert list(elsewhere.state_dir.iterdir()) == []
    backups.restore(elsewhere, saved)
