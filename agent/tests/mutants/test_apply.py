# SPDX-License-Identifier: Apache-2.0
"""The reference NF's mutants say what they plant, and apply to the NF as it stands."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from nalm_agent.mutants.read import read_patch

NF = Path(__file__).parents[3] / "reference-nf"
MUTANTS = sorted((NF / "mutants").glob("*/*.patch"))


@pytest.fixture(scope="module")
def nf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The NF's tracked files at the root of a repository, as mutants see it."""
    root = tmp_path_factory.mktemp("nf")
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=NF, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    for name in filter(None, listed):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes((NF / name).read_bytes())
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return root


def test_there_are_enough_of_both_kinds() -> None:
    by_folder = {
        kind: [path for path in MUTANTS if path.parent.name == kind] for kind in ("planted", "equal")
    }
    assert len(by_folder["planted"]) >= 40 and len(by_folder["equal"]) >= 20


@pytest.mark.parametrize("path", MUTANTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_it_is_described_and_applies(path: Path, nf: Path) -> None:
    patch = read_patch(path)
    assert patch.expect in ("regressed", "improved", "broken") or path.parent.name == "equal"
    done = subprocess.run(
        ["git", "apply", "--check", path], cwd=nf, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
