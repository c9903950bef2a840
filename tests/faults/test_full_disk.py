# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL's disk fills up amid 200 commits: what writes is refused, and nothing needs repair."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from commits import COMMITS, amid, queue, require_each_once, wait
from farm import Farm
from processes import Postgres

SIZE = "size=192m"
PIECE = bytes(1 << 20)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small file system of its own; as root."""
    folder = tmp_path / "disk"
    folder.mkdir(mode=0o755)
    subprocess.run(["mount", "-t", "tmpfs", "-o", SIZE, "none", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def small_farm(tmp_path: Path, disk: Path) -> Iterator[Farm]:
    for parent in (tmp_path, *tmp_path.parents[:2]):
        parent.chmod(0o755)  # PostgreSQL's user passes through
    made = Farm(tmp_path, Postgres(tmp_path, disk))
    try:
        made.start()
        yield made
    finally:
        made.stop()


@pytest.mark.timeout(1800)
def test_full_disk_of_the_database(small_farm: Farm, disk: Path, commits: tuple[Path, list[str]]) -> None:
    queue(small_farm, commits)
    small_farm.work()
    amid(small_farm, COMMITS // 4)
    filler = disk / "filler"
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(PIECE)
    log = small_farm.parts["server"].log
    try:
        wait(lambda: "status=503" in log.read_text(), lambda: "something refused with 503")
    finally:
        filler.unlink()
        small_farm.postgres.start()  # it may have given up
    require_each_once(small_farm, commits)
