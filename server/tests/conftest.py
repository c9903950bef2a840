# SPDX-License-Identifier: Apache-2.0
"""A server on SQLite and on PostgreSQL, each test on a fresh copy of a migrated, empty database."""

from __future__ import annotations

import fcntl
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
import structlog
from argon2 import PasswordHasher
from argon2.profiles import CHEAPEST
from nalm_server.auth.accounts import passwords
from nalm_server.base.settings import Settings
from nalm_server.db import engine, migrate
from sqlalchemy import Dialect, Engine, event

sys.path.insert(0, str(Path(__file__).parent / "support"))
from nalm_server_harness import Clock, Prepared, Scenes, Service, make_service, prepare

POSTGRES = Path("/usr/lib/postgresql")
MEMORY, ROOM_BYTES = Path("/dev/shm"), 2 << 30
"""A database is copied for each test: in memory, where it has this room, that takes a tenth of the time."""
STATEMENTS = 10_000
"""More than the suite has."""
NUMBERS = itertools.count(1)
TEMPLATE = "migrated"
"""Name of PostgreSQL's migrated, empty database."""


def as_postgres_user() -> list[str]:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]


@pytest.fixture(autouse=True)
def log_as_it_was() -> Iterator[None]:
    """A command called in a test sends the log to that test's standard error, which ends with it."""
    before = structlog.get_config()
    yield
    structlog.configure(**before)


@pytest.fixture(scope="session", autouse=True)
def statements_compiled_once() -> Iterator[None]:
    """Engines of one kind of database share its dialect and the compiled statements, as all requests of one
    server do: to compile them again for each test takes longer than to execute them."""
    create = engine.create_engine
    shared: dict[str, tuple[Dialect, Any]] = {}

    def create_sharing(*args: Any, **given: Any) -> Engine:
        made = create(*args, **given, query_cache_size=STATEMENTS)
        if made.name in shared:
            made.dialect, made._compiled_cache = shared[made.name]
            return made

        @event.listens_for(made, "connect")
        def share(*_: object) -> None:  # only now the dialect knows the database's version
            shared.setdefault(made.name, (made.dialect, made._compiled_cache))

        return made

    engine.create_engine = create_sharing
    yield
    engine.create_engine = create


@pytest.fixture(scope="session", autouse=True)
def production_hasher() -> Iterator[PasswordHasher]:
    """The server's own hasher of passwords, which a cheap one replaces during the tests."""
    production, passwords.HASHER = passwords.HASHER, PasswordHasher.from_parameters(CHEAPEST)
    yield production
    passwords.HASHER = production


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for all processes of this test run."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def made_once(path: Path, make: Callable[[Path], None]) -> Path:
    """`make` writes it in the first process that needs it, while others wait."""
    with path.with_name(f"{path.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            new = path.with_name(f"{path.name}.new")
            make(new)
            new.rename(path)
    return path


class Cluster:
    """A PostgreSQL server in a directory of its own."""

    def __init__(self, home: Path) -> None:
        found = sorted(POSTGRES.glob("*/bin/pg_ctl"))
        assert found, "PostgreSQL is missing: `apt-get install postgresql` (make test does it)"
        self._bin, self._home, self.data = found[-1].parent, home, home / "data"
        self.maintenance = f"postgresql+psycopg://app@/postgres?host={home}"
        """Address of the maintenance database."""

    def make(self, kept: Path) -> None:
        """With the migrated database TEMPLATE; leaves a copy."""
        self._run("initdb", "-D", self.data, "-U", "app", "-A", "trust", "-E", "UTF8", "--no-sync")
        self.start()
        migrate.upgrade(Postgres(self.maintenance).create(name=TEMPLATE)[1])
        self.stop("fast")
        subprocess.run(["cp", "-a", self.data, kept], check=True)

    def start(self) -> None:
        options = (
            f"-c listen_addresses='' -c fsync=off -c autovacuum=off -c unix_socket_directories={self._home}"
        )
        self._run("pg_ctl", "-D", self.data, "-w", "-o", options, "start")

    def stop(self, mode: str) -> None:
        self._run("pg_ctl", "-D", self.data, "-m", mode, "-w", "stop")

    def _run(self, program: str, *arguments: str | Path) -> None:
        # Not captured through a pipe: the server inherits it and would keep it open.
        command = [*as_postgres_user(), self._bin / program, *arguments]
        with (self._home / "log").open("ab") as log:
            done = subprocess.run(command, stdout=log, stderr=log, check=False, cwd=self._home)
        assert done.returncode == 0, (self._home / "log").read_text(errors="replace")


@pytest.fixture(scope="session")
def postgres(shared: Path) -> Iterator[str]:
    """Address of the maintenance database of this process's cluster. One process makes the cluster's files,
    and others copy them."""
    in_memory = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free >= ROOM_BYTES
    home = Path(tempfile.mkdtemp(prefix="nalm-pg-", dir=MEMORY if in_memory else "/tmp"))
    if os.geteuid() == 0:
        shutil.chown(home, "postgres", "postgres")
    cluster = Cluster(home)
    kept = made_once(shared / "postgres", cluster.make)
    if not cluster.data.exists():
        subprocess.run(["cp", "-a", kept, cluster.data], check=True)
    cluster.start()
    try:
        yield cluster.maintenance
    finally:
        cluster.stop("immediate")
        shutil.rmtree(home, ignore_errors=True)


@dataclass(frozen=True)
class Postgres:
    """Makes databases; copies of a template take milliseconds."""

    maintenance: str

    def create(self, template: str | None = None, name: str | None = None) -> tuple[str, str]:
        """(name, SQLAlchemy address) of a new database."""
        name = name or f"t{next(NUMBERS)}"
        self._copy(template or "template1", name)
        return name, self.maintenance.replace("/postgres?", f"/{name}?")

    def keep(self, name: str) -> Callable[[], None]:
        """Puts a database aside; what is returned puts it back."""
        kept, _ = self.create(name)

        def restore() -> None:
            self.drop(name)
            self._copy(kept, name)

        return restore

    def _copy(self, template: str, name: str) -> None:
        with psycopg.connect(self.maintenance.replace("+psycopg", ""), autocommit=True) as connection:
            # By default PostgreSQL writes the copy to its log, too, which takes twice as long.
            by_files = "strategy file_copy" if connection.info.server_version >= 150_000 else ""
            connection.execute(f'create database "{name}" template "{template}" {by_files}')

    def drop(self, name: str) -> None:
        with psycopg.connect(self.maintenance.replace("+psycopg", ""), autocommit=True) as connection:
            connection.execute(f'drop database "{name}" with (force)')


@pytest.fixture(scope="session")
def databases(postgres: str) -> Postgres:
    return Postgres(postgres)


@pytest.fixture(scope="session")
def postgres_template() -> str:
    return TEMPLATE


@pytest.fixture(scope="session")
def sqlite_template(shared: Path) -> Path:
    return made_once(shared / "nalm.db", lambda new: migrate.upgrade(f"sqlite:///{new}"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """TEST_DATABASE=sqlite: all runs on SQLite; =marked: tests marked `dialects` run on PostgreSQL, each with
    the first of its other parameters, and all else on SQLite."""
    choice = os.environ.get("TEST_DATABASE")
    if choice is None:
        return
    assert choice in ("sqlite", "marked"), choice
    left: set[pytest.Item] = set()
    tried: set[str] = set()
    by_id = {item.nodeid: item for item in items}
    for item in (item for item in items if _on_postgresql(item)):
        test = item.nodeid.partition("[")[0]
        if choice == "sqlite" or not _is_marked(item) or test in tried:
            left.add(item)
        else:
            tried.add(test)
            twin = by_id.get(item.nodeid.replace("postgresql", "sqlite"))
            left.update([twin] if twin else [])
    config.hook.pytest_deselected(items=list(left))
    items[:] = [item for item in items if item not in left]


def _is_marked(item: pytest.Item) -> bool:
    return item.get_closest_marker("dialects") is not None


def _on_postgresql(item: pytest.Item) -> bool:
    call = getattr(item, "callspec", None)
    return call is not None and "postgresql" in call.params.values()


@pytest.fixture(scope="session")
def sqlite_prepared(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    home = tmp_path_factory.mktemp("prepared")
    path = shutil.copy(sqlite_template, home / "nalm.db")
    settings = Settings(state_dir=home, database_url=f"sqlite:///{path}", static_dir=home / "static")
    return prepare(settings, str(path))


@pytest.fixture(scope="session")
def postgres_prepared(
    databases: Postgres, postgres_template: str, tmp_path_factory: pytest.TempPathFactory
) -> Prepared:
    home = tmp_path_factory.mktemp("prepared")
    name, url = databases.create(postgres_template)
    return prepare(Settings(state_dir=home, database_url=url, static_dir=home / "static"), name)


@pytest.fixture
def prepared(request: pytest.FixtureRequest, database_url: str) -> Prepared:
    """What a test with a service has in its database."""
    name = "sqlite_prepared" if database_url.startswith("sqlite") else "postgres_prepared"
    found: Prepared = request.getfixturevalue(name)
    return found


@pytest.fixture
def sqlite_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A migrated database: prepared for a test with a service, else empty."""
    if "service" in request.fixturenames:
        template = request.getfixturevalue("sqlite_prepared").template
    else:
        template = request.getfixturevalue("sqlite_template")
    return f"sqlite:///{shutil.copy(template, tmp_path / 'nalm.db')}"


@pytest.fixture
def postgres_url(request: pytest.FixtureRequest, databases: Postgres) -> Iterator[str]:
    """As `sqlite_url`."""
    if "service" in request.fixturenames:
        template = request.getfixturevalue("postgres_prepared").template
    else:
        template = request.getfixturevalue("postgres_template")
    name, url = databases.create(template)
    yield url
    databases.drop(name)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    url: str = request.getfixturevalue("sqlite_url" if request.param == "sqlite" else "postgres_url")
    return url


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def default_settings() -> Settings:
    return Settings()


@pytest.fixture
def make_settings(database_url: str, tmp_path: Path, default_settings: Settings) -> Callable[..., Settings]:
    def make(**given: Any) -> Settings:
        own = {
            "state_dir": tmp_path / "state",
            "database_url": database_url,
            "static_dir": tmp_path / "static",
        }
        if given:
            return Settings(**own, **given)
        return default_settings.model_copy(update=own)  # reading all settings takes as long as a request

    return make


@pytest.fixture(scope="module")
def scenes(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Scenes:
    def replace(name: str, by: str | None) -> str:
        databases: Postgres = request.getfixturevalue("databases")
        if by is None:
            return databases.create(name)[0]
        databases.drop(name)
        return databases.create(by, name)[0]

    return Scenes(tmp_path_factory.mktemp("scenes"), replace)


@pytest.fixture
def service(make_settings: Callable[..., Settings], clock: Clock, prepared: Prepared) -> Iterator[Service]:
    made = make_service(make_settings(), clock, prepared)
    yield made
    made.context.engine.dispose()
