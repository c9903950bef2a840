# SPDX-License-Identifier: Apache-2.0
"""Keeps failed builds and their logs, so that the same sources are not built again.

A failure that may be the host's fault (time, disk, memory, sandbox) keeps its log and is retried.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from nalm_agent.runtime.errors import BuildError, HostError, UnrepeatableError
from nalm_agent.runtime.process import tail
from nalm_agent.store.store import Store

FAILED = "failed"
_LOG, _FAILURE = "build.log", "failure.json"


def remember_failure(
    store: Store, key: str, log: Path, error: BuildError | HostError, memory_mb: int
) -> None:
    """Keeps a failed build's log, and its error if the build would fail again. Completes the error's hint."""
    if not log.exists() or not isinstance(error, BuildError):
        return
    lasting = not isinstance(error, UnrepeatableError)
    document = {"message": error.message, "hint": error.hint, "lasting": lasting, "memory_mb": memory_mb}

    def fill(new: Path) -> None:
        shutil.copyfile(log, new / _LOG)
        (new / _FAILURE).write_text(json.dumps(document))

    entry = store.make_directory(FAILED, key, fill, again=True)
    error.hint = _with_log(error.hint, entry)


def raise_known_failure(store: Store, key: str, memory_mb: int) -> None:
    """Raises the earlier BuildError if another build of this address would fail in the same way."""
    entry = store.directory(FAILED, key)
    if entry is None:
        return
    known = json.loads((entry / _FAILURE).read_text())
    if not known["lasting"] or known["memory_mb"] != memory_mb:
        return
    hint = f"{_with_log(known['hint'], entry)}; seen in an earlier build, --rebuild tries again"
    raise BuildError(known["message"], hint=hint, log=tail(entry / _LOG))


def forget_failure(store: Store, key: str) -> None:
    """Removes the record of a failure after a successful build."""
    store.discard(FAILED, key)


def _with_log(hint: str | None, entry: Path) -> str:
    kept = f"{entry / _LOG} has the whole log"
    return f"{hint}; {kept}" if hint else kept
