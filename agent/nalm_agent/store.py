# SPDX-License-Identifier: Apache-2.0
"""Content-addressed store: builds, sources and instruction counts, each entry published by one rename.

An entry is seen whole or not at all. A killed process leaves at most a directory named `.new-*`, removed by
the next process that holds the entry's lock.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

KEPT_ENTRIES = 200
KEPT_SECONDS = 24 * 3600
"""An entry used this recently is never removed: a running measurement may need it."""


def address(*parts: object) -> str:
    """Digest of a sequence of JSON values: the key of what they determine."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Store:
    root: Path

    def directory(self, kind: str, key: str) -> Path | None:
        """A published directory, None if there is none."""
        path = self._path(kind, key)
        if not path.is_dir():
            return None
        os.utime(path)
        return path

    def make_directory(self, kind: str, key: str, fill: Callable[[Path], None]) -> Path:
        """The directory of that key, made by `fill` in a place of its own if it is not there yet."""
        with FileLock(f"{self._path(kind, key)}.lock"):
            found = self.directory(kind, key)
            if found is not None:
                return found
            new = self._path(kind, f".new-{key}")
            shutil.rmtree(new, ignore_errors=True)
            new.mkdir(parents=True)
            try:
                fill(new)
                new.rename(self._path(kind, key))
            finally:
                shutil.rmtree(new, ignore_errors=True)
            self._remove_old(kind)
            return self._path(kind, key)

    def document(self, kind: str, key: str) -> Any | None:
        """A published JSON document, None if there is none."""
        try:
            return json.loads(self._path(kind, f"{key}.json").read_bytes())
        except FileNotFoundError:
            return None

    def put_document(self, kind: str, key: str, document: object) -> None:
        """Publishes a JSON document; the last of several writers stays."""
        path = self._path(kind, f"{key}.json")
        new = path.with_name(f".new-{os.getpid()}-{path.name}")
        new.write_text(json.dumps(document))
        new.replace(path)

    def _path(self, kind: str, name: str) -> Path:
        folder = self.root / kind
        folder.mkdir(parents=True, exist_ok=True)
        return folder / name

    def _remove_old(self, kind: str) -> None:
        entries = [path for path in (self.root / kind).iterdir() if path.is_dir() and path.name[0] != "."]
        entries.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        for path in entries[KEPT_ENTRIES:]:
            if time.time() - path.stat().st_mtime > KEPT_SECONDS:
                shutil.rmtree(path, ignore_errors=True)
                path.with_name(f"{path.name}.lock").unlink(missing_ok=True)
