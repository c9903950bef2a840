# SPDX-License-Identifier: Apache-2.0
"""What `.ci/install` prints where it cannot install."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from installed_systems import ROOT

HAD = ("bash", "dirname", "uname", "mkdir", "tail", "sed", "awk", "cat")


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder of programs, among which no package is installed, nobody is root and sudo is missing."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in HAD:
        found = shutil.which(name)
        assert found
        (folder / name).symlink_to(found)
    for name, line in (("id", "echo 1000"), ("dpkg-query", "exit 1"), ("apt-get", "exit 0")):
        (folder / name).write_text(f"#!/bin/sh\n{line}\n")
        (folder / name).chmod(0o755)
    return folder


def test_without_root_and_sudo_the_whole_command_is_printed(programs: Path, tmp_path: Path) -> None:
    script = tmp_path / ".ci" / "install"
    script.parent.mkdir()
    shutil.copy(ROOT / ".ci" / "install", script)
    done = subprocess.run(
        [programs / "bash", script, "run"],
        env={"PATH": str(programs)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 4
    assert "not root, and there is no sudo" in done.stderr, done
    command = done.stderr.splitlines()[-1]
    assert command.startswith("apt-get update && apt-get install -y --no-install-recommends git ")
    assert {"libdpdk-dev", "valgrind", "python3-venv"} <= set(command.split())
