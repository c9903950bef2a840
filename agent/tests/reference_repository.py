# SPDX-License-Identifier: Apache-2.0
"""The reference NF in a repository of its own."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from tiny import NfRepository

NF = Path(__file__).resolve().parents[2] / "reference-nf"


def reference_repository(to: Path, config: Callable[[str], str] = str) -> NfRepository:
    """config: changes nalm.toml."""
    listed = subprocess.check_output(["git", "-C", str(NF), "ls-files", "-z"], text=True)
    for name in filter(None, listed.split("\0")):
        if not name.startswith(("mutants/", "demo/")):
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(NF / name, to / name)
    file = to / "nalm.toml"
    file.write_text(config(file.read_text()))
    made = NfRepository(to)
    made.git("init", "-q", "-b", "main")
    made.commit("reference NF")
    return made
