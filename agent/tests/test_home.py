# SPDX-License-Identifier: Apache-2.0
"""A command's work directory goes with it, whoever still writes there."""

from __future__ import annotations

import threading
from pathlib import Path

from nalm_agent.home import remove_tree

FILES = 300
LATE = 20


def test_what_is_written_during_the_removal_goes_too(tmp_path: Path) -> None:
    place = tmp_path / "run"
    place.mkdir()
    files = [place / str(n) for n in range(FILES)]
    for file in files:
        file.touch()
    written = []

    def write_late() -> None:
        while all(file.exists() for file in files):
            pass
        for n in range(LATE):
            late = place / f"late{n}"
            late.touch()
            written.append(late)

    writer = threading.Thread(target=write_late)
    writer.start()
    remove_tree(place)
    writer.join()
    assert written and not place.exists()
