# SPDX-License-Identifier: Apache-2.0
"""Reports in a bucket of an S3-compatible object store, by obstore (the extra `nalm-server[s3]`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import obstore
from obstore.exceptions import BaseError
from obstore.store import S3Store

from nalm_server.base.settings import Settings
from nalm_server.db.reports.store import MissingError, StoreAwayError, Stored, path_of

TIMEOUT = timedelta(seconds=30)
RETRY: Any = {"max_retries": 3, "retry_timeout": TIMEOUT}


class ObjectStore:
    def __init__(self, url: str, settings: Settings) -> None:
        """url: s3://BUCKET/PREFIX. AWS's own variables or role supply what the settings leave out."""
        given: dict[str, Any] = {
            "endpoint": settings.s3_endpoint,
            "region": settings.s3_region,
            "access_key_id": settings.s3_key,
            "secret_access_key": settings.s3_secret and settings.s3_secret.get_secret_value(),
        }
        config: Any = {name: value for name, value in given.items() if value is not None}
        plain = (settings.s3_endpoint or "").startswith("http://")
        self._url = url
        self._store = S3Store.from_url(
            url, config=config, client_options={"allow_http": plain, "timeout": TIMEOUT}, retry_config=RETRY
        )

    @property
    def place(self) -> str:
        return self._url

    def put(self, digest: str, compressed: bytes) -> int | None:
        """Overwrites an existing one, which renews its time; only the sweep removes unreferenced ones."""
        with self._reachable():
            obstore.put(self._store, path_of(digest), compressed)
        return None

    def take_back(self, digest: str, stamp: int) -> None:
        """Does nothing: `put` returns no stamp."""

    def get(self, digest: str) -> bytes:
        with self._reachable():
            try:
                return bytes(obstore.get(self._store, path_of(digest)).bytes())
            except FileNotFoundError as error:
                raise MissingError(digest) from error

    def remove(self, digest: str, before: datetime) -> bool:
        with self._reachable():
            try:
                if obstore.head(self._store, path_of(digest))["last_modified"] >= before:
                    return False
                obstore.delete(self._store, path_of(digest))
            except FileNotFoundError:
                pass
        return True

    def remove_leftovers(self, before: datetime) -> None:
        """Nothing: the object store has only whole objects."""

    def listed(self) -> Iterator[Stored]:
        with self._reachable():
            for page in obstore.list(self._store):
                for one in page:
                    yield Stored(one["path"].rpartition("/")[2], one["size"], one["last_modified"])

    @contextmanager
    def _reachable(self) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError:
            raise
        except (BaseError, OSError) as error:
            why = str(error).splitlines()[0][:200]
            raise StoreAwayError(f"The report store {self._url} gave no valid answer: {why}") from error
