# SPDX-License-Identifier: Apache-2.0
"""Adds the commit of which a wheel is made to its metadata, for `--version`."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent.parent
ARCHIVED = re.compile(r"^node: ([0-9a-f]{12})", re.MULTILINE)


def commit() -> str | None:
    """From NALM_COMMIT, git, or what `git archive` wrote; None if none of them knows it."""
    if given := os.environ.get("NALM_COMMIT"):
        return given[:12]
    if (ROOT / ".git").exists():
        command = ["git", "describe", "--always", "--dirty", "--exclude=*", "--abbrev=12"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        return done.stdout.strip() or None
    archived = ROOT / ".git_archival.txt"
    found = ARCHIVED.search(archived.read_text()) if archived.exists() else None
    return found[1] if found else None


class CommitHook(BuildHookInterface[Any]):
    """Writes `extra_metadata/commit` into a wheel; an editable installation asks git instead."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """`version` is `standard` or `editable`."""
        if version != "standard" or self.target_name != "wheel" or (found := commit()) is None:
            return
        file = Path(self.directory) / "commit"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{found}\n")
        build_data["extra_metadata"][str(file)] = "commit"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Removes the file that `initialize` made."""
        (Path(self.directory) / "commit").unlink(missing_ok=True)
