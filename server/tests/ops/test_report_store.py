# SPDX-License-Identifier: Apache-2.0
"""Reports outside the database: there before their row, gone after it, verified whenever they are read."""

from __future__ import annotations

import os
import threading
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import boto3
import pytest
import structlog
from moto.server import ThreadedMotoServer
from nalm_server.auth.tokens.principal import SYSTEM
from nalm_server.base.settings import Settings
from nalm_server.campaigns.experiments.models import CellRow
from nalm_server.db import migrate
from nalm_server.db.migrate import SchemaError
from nalm_server.db.reports.files import LEAVING, PARTIAL, FileStore
from nalm_server.db.reports.opening import open_store
from nalm_server.db.reports.packing import pack
from nalm_server.db.reports.s3 import ObjectStore
from nalm_server.db.reports.store import MissingError, ReportStore, StoreAwayError
from nalm_server.ops.backup import service as backups
from nalm_server.ops.report_store import moving, repository, tasks
from nalm_server.ops.report_store.checking import check
from nalm_server.ops.retention import sweep
from nalm_server.results import intake as runs
from nalm_server.results.models import ReportRow
from nalm_server_harness import Service
from nalm_server_reports import body_of, make_report
from nalm_server_seeded import add_judged
from sqlalchemy import func, select, update

DAY = 86_400.0
REPORT = make_report(1)
PACKED = pack(body_of(REPORT))
RUN = f"/runs/{REPORT.run_id}"
FUTURE = datetime.now(UTC) + timedelta(days=1)


@pytest.fixture(scope="module")
def bucket() -> Iterator[Settings]:
    """Of an S3 server that speaks HTTP."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    settings = Settings(
        report_store="s3://reports/nalm",
        s3_endpoint=f"http://{host}:{port}",
        s3_region="us-east-1",
        s3_key="key",
        s3_secret="secret",
    )
    yield settings
    server.stop()


@pytest.fixture(params=["files", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ReportStore:
    if request.param == "files":
        return FileStore(tmp_path / "reports")
    settings: Settings = request.getfixturevalue("bucket")
    made = open_store(settings)
    assert isinstance(made, ObjectStore)
    make_bucket(settings)
    return made


def make_bucket(settings: Settings) -> None:
    boto3.client(
        "s3",
        endpoint_url=settings.s3_endpoint,
        region_name=settings.s3_region,
        aws_access_key_id="key",
        aws_secret_access_key="secret",
    ).create_bucket(Bucket="reports")


def files_of(service: Service) -> list[Path]:
    root = service.context.settings.state_dir / "reports"
    return sorted(path for path in root.rglob("*") if path.is_file())


def test_what_is_put_is_read_listed_and_removed(store: ReportStore) -> None:
    other = pack(b"another")
    for one in (PACKED, PACKED, other):
        store.put(one.digest, one.compressed)
    assert store.get(PACKED.digest) == PACKED.compressed
    assert {(one.digest, one.bytes) for one in store.listed()} == {
        (one.digest, len(one.compressed)) for one in (PACKED, other)
    }
    assert not store.remove(PACKED.digest, datetime(2020, 1, 1, tzinfo=UTC))
    assert store.remove(PACKED.digest, FUTURE)
    assert store.remove(PACKED.digest, FUTURE)
    with pytest.raises(MissingError):
        store.get(PACKED.digest)
    assert [one.digest for one in store.listed()] == [other.digest]
    assert store.remove(other.digest, FUTURE)


def test_names_lead_nowhere_else(store: ReportStore) -> None:
    for name in ("../../secret.key", "A" * 64, "", "0" * 63):
        with pytest.raises(ValueError, match="SHA-256"):
            store.get(name)


def test_store_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "reports").write_bytes(b"no directory")
    with pytest.raises(StoreAwayError, match="reports"):
        FileStore(tmp_path / "reports").put(PACKED.digest, PACKED.compressed)
    away = Settings(s3_endpoint="http://127.0.0.1:1", s3_region="r", s3_key="k", s3_secret="s")
    with pytest.raises(StoreAwayError, match="s3://none"):
        ObjectStore("s3://none/x", away).get(PACKED.digest)


def test_only_the_servers_account_reads_files(service: Service) -> None:
    service.upload(body_of(REPORT))
    (path,) = files_of(service)
    assert path.name == PACKED.digest
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0


def test_what_was_removed_meanwhile_is_written_again(tmp_path: Path) -> None:
    """Writers and a remover of one report: after each `put` it is there, whatever the remover saw before."""
    store = FileStore(tmp_path)
    stop = threading.Event()

    def remove() -> None:
        while not stop.is_set():
            store.remove(PACKED.digest, datetime.now(UTC) - timedelta(seconds=2))

    remover = threading.Thread(target=remove)
    remover.start()
    try:
        for _ in range(200):
            old = store.put(PACKED.digest, PACKED.compressed)
            if old is not None:
                path = next(tmp_path.rglob(PACKED.digest), None)
                if path is not None:
                    os.utime(path, ns=(0, 0))
            store.put(PACKED.digest, PACKED.compressed)
            for _ in range(100):  # out of sight for a moment while the remover looks at it
                try:
                    found = store.get(PACKED.digest)
                    break
                except MissingError:
                    continue
            assert found == PACKED.compressed
    finally:
        stop.set()
        remover.join()


def test_what_a_killed_process_left_is_brought_to_an_end(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    store.put(PACKED.digest, PACKED.compressed)
    (report,) = tmp_path.rglob(PACKED.digest)
    partial, leaving = report.with_name(f"{PARTIAL}01"), report.with_name(f"{LEAVING}{PACKED.digest}-01")
    partial.write_bytes(b"half")
    report.rename(leaving)
    store.remove_leftovers(datetime.now(UTC) - timedelta(days=1))
    assert partial.exists() and leaving.exists()
    store.remove_leftovers(FUTURE)
    assert list(report.parent.iterdir()) == [report]
    leaving.write_bytes(b"written again since")
    store.remove_leftovers(FUTURE)
    assert list(report.parent.iterdir()) == [report]
    assert store.get(PACKED.digest) == PACKED.compressed


@pytest.mark.dialects
def test_report_is_one_file_and_no_bytes_of_the_database(service: Service) -> None:
    for _ in range(2):
        service.upload(body_of(REPORT), status=201 if not files_of(service) else 200)
    assert len(files_of(service)) == 1
    with service.context.read_sessions() as session:
        assert session.scalar(select(func.sum(func.length(ReportRow.compressed)))) == 0
        assert repository.total(session) == (1, len(PACKED.compressed))
    assert service.client.get(f"/api/v1{RUN}/report").content == body_of(REPORT)
    assert service.get(RUN)["report_bytes"] == len(body_of(REPORT))


def test_refused_report_leaves_no_file(service: Service) -> None:
    service.upload(body_of(make_report(1, project="other")), status=404)
    service.upload(body_of(REPORT), status=404, job_id=77)
    assert files_of(service) == []


def test_file_comes_before_its_row(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object, **__: object) -> None:
        assert len(files_of(service)) == 1
        raise RuntimeError("the process ends here")

    with monkeypatch.context() as patched:
        patched.setattr(runs, "_take", crash)
        with pytest.raises(RuntimeError, match="ends here"):
            runs.take_report(service.context, SYSTEM, body_of(REPORT), None, None)
    service.get(RUN, 404)
    assert tasks.remove_orphans(service.context) == 0
    service.clock.now = datetime.now(UTC) + timedelta(days=2)
    assert tasks.remove_orphans(service.context) == 1
    assert files_of(service) == []


def test_missing_and_damaged_files_are_named_and_healed_by_a_new_upload(service: Service) -> None:
    service.upload(body_of(REPORT))
    (path,) = files_of(service)
    whole = path.read_bytes()
    for content, why in ((None, "missing"), (whole[:-9], "damaged"), (zlib.compress(b"{}"), "damaged")):
        path.unlink()
        if content is not None:
            path.write_bytes(content)
        error = service.get(f"{RUN}/report", 500)["error"]
        assert error["name"] == "report_unreadable"
        assert PACKED.digest in error["message"]
        assert why in error["message"]
        (found,) = check(service.context)
        assert found.digest == PACKED.digest
        assert why in (found.trouble or "")
        assert service.get("/projects/demo/scenarios/sfc_a/history")["points"]
        service.upload(body_of(REPORT), status=200)
        assert path.read_bytes() == whole
        assert [one.trouble for one in check(service.context)] == [None]


@pytest.mark.dialects
def test_report_that_ages_out_leaves_the_store_a_day_later(service: Service) -> None:
    service.upload(body_of(REPORT))
    service.clock.pass_seconds(366 * DAY)
    sweep.drain(service.context)
    service.get(f"{RUN}/report", 410)
    tasks.drain(service.context)
    assert len(files_of(service)) == 1  # a backup that began before may still copy it
    service.clock.pass_seconds(1.1 * DAY)
    tasks.drain(service.context)
    assert files_of(service) == []
    assert list(check(service.context)) == []


def test_released_report_that_is_referred_to_again_stays(service: Service) -> None:
    service.upload(body_of(REPORT))
    with service.context.sessions() as session:
        repository.release(session, [PACKED.digest], service.clock())
        session.commit()
    service.clock.pass_seconds(400 * DAY)
    assert tasks.remove_released(service.context) == 0
    assert len(files_of(service)) == 1


@pytest.mark.dialects
def test_a_damaged_report_of_the_database_keeps_no_other_from_moving(service: Service) -> None:
    service.upload(body_of(REPORT))
    add_judged(service)
    assert sum(moving.into_database(service.context)) == 1
    with service.context.sessions() as session:
        session.execute(update(ReportRow).values(compressed=b"damaged"))
        session.commit()
    with structlog.testing.capture_logs() as logged:
        assert sum(moving.into_store(service.context)) == 2
    (warning,) = [one for one in logged if one["event"] == "damaged_report"]
    assert warning["table"] == ReportRow.__tablename__ and warning["number"] == 1
    assert sum(moving.into_store(service.context)) == 0


@pytest.mark.dialects
def test_reports_of_the_database_move_in_and_back(service: Service, database_url: str) -> None:
    """Of runs, experiments and trials: they answer the same before, in between and after."""
    service.upload(body_of(REPORT))
    add_judged(service)
    admin = {"Authorization": f"Bearer {service.tokens['admin']}"}
    paths = (
        f"{RUN}/report",
        "/experiments/1/cells/1/report",
        "/projects/demo/detection-quality/trials/1/report",
    )

    def answers() -> list[bytes]:
        found = [service.client.get(f"/api/v1{path}", headers=admin) for path in paths]
        assert [one.status_code for one in found] == [200] * len(paths)
        return [one.content for one in found]

    before = answers()
    assert sum(moving.into_database(service.context)) == 1
    assert answers() == before
    assert sum(moving.into_store(service.context)) == 3
    assert sum(moving.into_store(service.context)) == 0
    assert answers() == before
    with service.context.read_sessions() as session:
        assert session.scalar(select(func.length(CellRow.compressed))) == 0
    with pytest.raises(SchemaError, match="--into-database"):
        migrate.downgrade(database_url, "0020")
    migrate.upgrade(database_url)  # those after 0021 went back before it refused
    assert sum(moving.into_database(service.context)) == 3
    assert answers() == before


@pytest.fixture
def elsewhere(request: pytest.FixtureRequest, database_url: str, tmp_path: Path) -> Iterator[Settings]:
    state = tmp_path / "elsewhere"
    if database_url.startswith("sqlite"):
        yield Settings(state_dir=state, database_url=f"sqlite:///{state / 'nalm.db'}")
        return
    databases = request.getfixturevalue("databases")
    name, url = databases.create()
    yield Settings(state_dir=state, database_url=url)
    databases.drop(name)


def test_backup_has_what_ages_out_meanwhile(
    service: Service, elsewhere: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the copy of the database and that of the reports a sweep may run."""
    service.upload(body_of(REPORT))
    readable = backups._readable

    def swept_before(store: ReportStore, digests: list[str]) -> tuple[list[str], list[str]]:
        service.clock.pass_seconds(366 * DAY)
        sweep.drain(service.context)
        tasks.drain(service.context)
        return readable(store, digests)

    with monkeypatch.context() as patched:
        patched.setattr(backups, "_readable", swept_before)
        made = backups.backup(service.context.settings, tmp_path / "nalm.tar", with_key=False)
    assert (made.manifest.reports, made.unreadable) == (1, [])
    service.get(f"{RUN}/report", 410)
    backups.restore(elsewhere, tmp_path / "nalm.tar")
    assert open_store(elsewhere).get(PACKED.digest) == PACKED.compressed


def test_backup_goes_on_without_a_lost_report_and_says_so(service: Service, tmp_path: Path) -> None:
    service.upload(body_of(REPORT))
    service.upload(body_of(make_report(2)))
    next(path for path in files_of(service) if path.name == PACKED.digest).unlink()
    made = backups.backup(service.context.settings, tmp_path / "nalm.tar", with_key=False)
    assert (made.manifest.reports, made.unreadable) == (1, [PACKED.digest])
