# SPDX-License-Identifier: Apache-2.0
"""Secrets that the server must read again, encrypted with a key that is created on first start."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken

from nalm_server.base.durable import private_file, sync_names
from nalm_server.base.errors import NalmError

KEY_NAME = "secret.key"


class SecretKeyError(NalmError):
    name = "secret_key"


class SecretBox:
    """Encrypts and decrypts with the state directory's key."""

    def __init__(self, key: bytes) -> None:
        self._fernet = Fernet(key)

    @classmethod
    def from_state_dir(cls, state_dir: Path) -> SecretBox:
        """Reads the key, or creates one that only its owner can read. Raises OSError if both fail."""
        state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = state_dir / KEY_NAME
        write_private(path, Fernet.generate_key())
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise SecretKeyError(f"{path} can be read by others: `chmod 600 {path}`, then start again.")
        try:
            return cls(path.read_bytes())
        except ValueError as error:
            raise SecretKeyError(
                f"{path} is not a key this server made: restore it from a backup."
            ) from error

    def seal(self, secret: str) -> bytes:
        return self._fernet.encrypt(secret.encode())

    def open(self, sealed: bytes) -> str:
        try:
            return self._fernet.decrypt(sealed).decode()
        except InvalidToken as error:
            raise SecretKeyError(
                f"A stored secret was made under another key: restore {KEY_NAME} of the state directory."
            ) from error


def write_private(path: Path, content: bytes) -> bool:
    """Creates a file that only its owner can read. Atomic. False: it exists already."""
    if path.exists():
        return False
    partial = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with private_file(partial) as file:
            file.write(content)
        os.link(partial, path)  # unlike a rename, fails if another process was first
    except FileExistsError:
        return False
    finally:
        partial.unlink(missing_ok=True)
    sync_names(path.parent)
    return True
