# SPDX-License-Identifier: Apache-2.0
"""Why the server cannot start, for people."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DatabaseError

from nalm_server.base.errors import NalmError

EXIT_COULD_NOT = 4


class StartError(Exception):
    """What is wrong, where, and what to do next."""


@contextmanager
def explained(state_dir: Path) -> Iterator[None]:
    """Turns system errors about the state directory or the database into a StartError."""
    try:
        yield
    except NalmError as error:
        raise StartError(error.message) from error
    except OSError as error:
        raise StartError(_os_reason(error, state_dir)) from error
    except DatabaseError as error:
        raise StartError(_database_reason(str(error.orig), state_dir)) from error


def _os_reason(error: OSError, state_dir: Path) -> str:
    where = error.filename or state_dir
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"The disk of {state_dir} is full: free some space, or choose another place with --state."
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"{where} cannot be written: make it yours, or choose another place with --state."
    if error.errno in (errno.ENOTDIR, errno.EEXIST):
        return f"{where} is no directory: choose another place with --state."
    return f"{where}: {error.strerror or error}."


def _database_reason(said: str, state_dir: Path) -> str:
    if "full" in said:
        return f"The disk of {state_dir} is full: free some space, or choose another place with --state."
    if "readonly" in said or "unable to open" in said:
        return f"The database in {state_dir} cannot be written: make it yours, or choose another --state."
    if "malformed" in said or "not a database" in said:
        return f"The database in {state_dir} is damaged ({said}): restore nalm.db from a backup."
    return f"The database cannot be used: {said.strip()}. Check NALM_DATABASE_URL."
