# SPDX-License-Identifier: Apache-2.0
"""Opens the store of the settings, and binds it to database sessions."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from sqlalchemy.orm import Session, sessionmaker

from nalm_server.base.errors import NalmError
from nalm_server.base.settings import Settings
from nalm_server.db.reports.files import FileStore
from nalm_server.db.reports.store import ReportStore

KEY = "report_store"


class StoreSettingsError(NalmError):
    """NALM_REPORT_STORE needs a package that is not installed."""

    name = "report_store"


def open_store(settings: Settings) -> ReportStore:
    """Raises StoreSettingsError."""
    named = settings.report_store
    if named is None:
        return FileStore(settings.state_dir.resolve() / "reports")
    if not named.startswith("s3://"):
        return FileStore(Path(named))
    try:
        from nalm_server.db.reports.s3 import ObjectStore
    except ImportError as error:
        raise StoreSettingsError(
            f"NALM_REPORT_STORE={named} needs the extra s3: install nalm-server[s3]."
        ) from error
    try:
        return ObjectStore(named, settings)
    except ValueError as error:
        raise StoreSettingsError(f"NALM_REPORT_STORE={named}: {error}") from error


def bind(sessions: sessionmaker[Session], store: ReportStore) -> None:
    """New sessions read reports from this store."""
    sessions.configure(info={KEY: store})


def store_of(session: Session) -> ReportStore:
    return cast(ReportStore, session.info[KEY])
