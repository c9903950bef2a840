# SPDX-License-Identifier: Apache-2.0
"""A backup's file: a tar with a manifest first, then what the manifest has the digests of."""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ValidationError

from nalm_server.errors import NalmError

FORMAT: Final = "nalm.backup/1"
MANIFEST = "manifest.json"
DATABASE = "database"
KEY = "secret.key"
CHUNK = 1 << 20


class BackupError(NalmError):
    name = "backup"


class Part(BaseModel):
    bytes: int
    sha256: str


class Manifest(BaseModel):
    format: Literal["nalm.backup/1"] = FORMAT
    made_at: datetime
    nalm_version: str
    database: Literal["sqlite", "postgresql"]
    revision: str
    parts: dict[Literal["database", "secret.key"], Part]


def part_of(path: Path) -> Part:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return Part(bytes=path.stat().st_size, sha256=digest.hexdigest())


def write(target: Path, manifest: Manifest, files: dict[str, Path]) -> None:
    """All or nothing: the name appears when everything is on the disk. Only its owner can read it."""
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar:
                text = manifest.model_dump_json(indent=1).encode()
                head = tarfile.TarInfo(MANIFEST)
                head.size, head.mode = len(text), 0o600
                tar.addfile(head, io.BytesIO(text))
                for name, path in files.items():
                    tar.add(path, arcname=name, filter=_anonymous)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def _anonymous(info: tarfile.TarInfo) -> tarfile.TarInfo:
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    info.mode = 0o600
    return info


def read(source: Path, into: Path) -> Manifest:
    """Unpacks the parts into the directory. Raises BackupError unless each is whole and as it was."""
    try:
        with tarfile.open(source, "r:") as tar:
            manifest = _manifest(source, tar)
            for name, part in manifest.parts.items():
                _unpack(tar, name, part, into / name)
    except (tarfile.TarError, EOFError, KeyError) as error:
        raise BackupError(
            f"{source} is no whole backup of nalm ({error}): it was cut short or is something else. "
            "Take another copy of it, or an older backup."
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


def _unpack(tar: tarfile.TarFile, name: str, part: Part, path: Path) -> None:
    file = tar.extractfile(name)
    if file is None:
        raise KeyError(f"{name} is no file in it")
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
        while chunk := file.read(CHUNK):
            out.write(chunk)
        out.flush()
        os.fsync(out.fileno())
    if part_of(path) != part:
        raise BackupError(f"{name} in the backup is not what was put in: the file is damaged, take another.")
