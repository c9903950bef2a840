# SPDX-License-Identifier: Apache-2.0
"""A backup's file: a tar with a manifest, then the parts whose digests the manifest has."""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ValidationError

from nalm_server.base.durable import private_file
from nalm_server.base.errors import NalmError
from nalm_server.db.reports.packing import unpack
from nalm_server.db.reports.store import path_of

FORMAT: Final = "nalm.backup/2"
MANIFEST = "manifest.json"
DATABASE = "database"
KEY = "secret.key"
REPORTS = "reports"
"""Directory of reports of the report store, each named by its SHA-256."""
CHUNK = 1 << 20


class BackupError(NalmError):
    name = "backup"


class Part(BaseModel):
    bytes: int
    sha256: str


class Manifest(BaseModel):
    format: Literal["nalm.backup/1", "nalm.backup/2"] = FORMAT
    """Version 1 had no reports, only the database."""
    made_at: datetime
    nalm_version: str
    database: Literal["sqlite", "postgresql"]
    revision: str
    parts: dict[Literal["database", "secret.key"], Part]
    reports: int = 0
    """Number of reports after the parts."""


def part_of(path: Path) -> Part:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return Part(bytes=path.stat().st_size, sha256=digest.hexdigest())


def write(
    target: Path, manifest: Manifest, files: dict[str, Path], reports: Iterable[tuple[str, bytes]]
) -> None:
    """The file is on the disk when this returns. Only its owner can read it.

    reports: (digest, compressed report), one in memory at a time, as many as in the manifest.
    """
    with (
        private_file(target) as file,
        tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        _add(tar, MANIFEST, manifest.model_dump_json(indent=1).encode())
        for name, path in files.items():
            tar.add(path, arcname=name, filter=_anonymous)
        for digest, compressed in reports:
            _add(tar, f"{REPORTS}/{digest}", compressed)


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    head = tarfile.TarInfo(name)
    head.size, head.mode = len(content), 0o600
    tar.addfile(head, io.BytesIO(content))


def _anonymous(info: tarfile.TarInfo) -> tarfile.TarInfo:
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    info.mode = 0o600
    return info


def read(source: Path, into: Path) -> Manifest:
    """Unpacks the parts into the directory. Raises BackupError unless each matches its digest."""
    try:
        with tarfile.open(source, "r:") as tar:
            manifest = _manifest(source, tar)
            for name, part in manifest.parts.items():
                _unpack(tar, name, part, into / name)
            _unpack_reports(source, tar, manifest.reports, into / REPORTS)
    except (tarfile.TarError, EOFError, KeyError) as error:
        raise BackupError(
            f"{source} is no complete backup of nalm ({error}): it is truncated or another kind of file. "
            "Use another copy of it, or an older backup."
        ) from error
    return manifest


def _manifest(source: Path, tar: tarfile.TarFile) -> Manifest:
    file = tar.extractfile(MANIFEST)
    try:
        return Manifest.model_validate_json(file.read() if file else b"")
    except ValidationError as error:
        raise BackupError(
            f"{source} is no backup of the format {FORMAT}: a newer nalm may read it."
        ) from error


def _unpack_reports(source: Path, tar: tarfile.TarFile, number: int, into: Path) -> None:
    """Each report must match the digest in its name."""
    into.mkdir(mode=0o700)
    found = 0
    for member in tar:
        folder, _, digest = member.name.partition("/")
        file = tar.extractfile(member) if folder == REPORTS else None
        if file is None:
            continue
        content = file.read()
        try:
            path_of(digest)
            unpack(digest, content)
        except ValueError as error:
            raise BackupError(
                f"{member.name} in {source} is {error}: use another copy, or an older backup."
            ) from error
        (into / digest).write_bytes(content)
        found += 1
    if found != number:
        raise BackupError(
            f"{source} has {found} of {number} reports: it is truncated, use another copy of it."
        )


def _unpack(tar: tarfile.TarFile, name: str, part: Part, path: Path) -> None:
    file = tar.extractfile(name)
    if file is None:
        raise KeyError(f"{name} is no file in it")
    with private_file(path) as out:
        while chunk := file.read(CHUNK):
            out.write(chunk)
    if part_of(path) != part:
        raise BackupError(
            f"{name} in the backup does not match its checksum: the file is damaged, use another."
        )
