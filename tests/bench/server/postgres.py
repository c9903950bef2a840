# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL cluster for benchmarks, with the settings of a small server."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SETTINGS = {"listen_addresses": "''", "shared_buffers": "512MB", "max_wal_size": "4GB"}


@contextmanager
def cluster(kept: Path | None = None) -> Iterator[str]:
    """Address of its database, which is empty; with `kept`, the one in that directory, created at first
    use."""
    home = kept or Path(tempfile.mkdtemp(prefix="nalm-bench-pg-", dir="/tmp"))
    home.mkdir(parents=True, exist_ok=True)
    if os.geteuid() == 0:
        shutil.chown(home, "postgres", "postgres")
    bin_dir = max(Path("/usr/lib/postgresql").glob("*/bin"))
    data = home / "data"
    options = " ".join(f"-c {name}={value}" for name, value in SETTINGS.items())
    if not data.exists():
        _run(home, bin_dir / "initdb", "-D", data, "-U", "app", "-A", "trust", "-E", "UTF8")
    _run(home, bin_dir / "pg_ctl", "-D", data, "-w", "-o", f"{options} -k {home}", "start")
    try:
        yield f"postgresql+psycopg://app@/postgres?host={home}"
    finally:
        _run(home, bin_dir / "pg_ctl", "-D", data, "-m", "fast", "-w", "stop")
        if kept is None:
            shutil.rmtree(home, ignore_errors=True)


def _run(home: Path, *command: str | Path) -> None:
    as_user = (
        ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
    )
    with (home / "log").open("ab") as log:
        done = subprocess.run([*as_user, *command], stdout=log, stderr=log, check=False, cwd=home)
    if done.returncode != 0:
        raise RuntimeError((home / "log").read_text(errors="replace"))
