# SPDX-License-Identifier: BSD-3-Clause
"""Makes the demo's programs importable, and its history once for all tests."""

import json
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
for folder in (HERE, HERE.parent):
    sys.path.insert(0, str(folder))

from made_history import Demo, run_make_history  # noqa: E402


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """The demo's history, made from this checkout."""
    folder = tmp_path_factory.mktemp("demo") / "nf.git"
    done = run_make_history(folder)
    assert done.returncode == 0, done.stderr
    return Demo(folder, json.loads(done.stdout))
