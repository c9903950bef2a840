# SPDX-License-Identifier: Apache-2.0
"""What must survive a loss of power: a file's new name does only when its directory is on the disk."""

from __future__ import annotations

import os
from pathlib import Path


def sync_names(folder: Path) -> None:
    """Flushes a directory's entries to the disk."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
