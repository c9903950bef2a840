# SPDX-License-Identifier: Apache-2.0
"""Each command of a CI template is run as CI would run it, on a real repository of a small NF."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from nalm_core.report_io import parse_report

ROOT = Path(__file__).parents[2]
TEMPLATE = ROOT / "ci-templates" / "github" / "nalm.yml"
NALM_TOML = """version = 1
[project]
name = "tiny"
[build]
commands = [["gcc", "-O2", "-I{source}", "-o", "{build}/tiny_nf", "{source}/tiny_nf.c"]]
artifacts = ["tiny_nf"]
paths = ["tiny_nf.c", "nalm_probe.h"]
[run]
command = ["{build}/tiny_nf", "--features", "{features}", "--traffic", "{traffic}"]
[scenarios.tiny]
features = ["alpha", "beta"]
traffic = "capture.bin"
packets = 20000
"""


@pytest.fixture(scope="module")
def workflow() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(TEMPLATE.read_text())
    return found


def commands(workflow: dict[str, Any]) -> dict[str, str]:
    """By the step's name."""
    steps = workflow["jobs"]["check"]["steps"]
    return {step["name"]: step["run"] for step in steps if "run" in step}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two commits of the tiny NF; the second changes its documentation."""
    path = tmp_path / "nf"
    path.mkdir()
    (path / "tiny_nf.c").write_bytes((ROOT / "agent/tests/nf/tiny_nf.c").read_bytes())
    (path / "nalm_probe.h").write_bytes((ROOT / "reference-nf/probe/nalm_probe.h").read_bytes())
    (path / "nalm.toml").write_text(NALM_TOML)
    (path / "capture.bin").write_text("packets")
    git(path, "init", "-q", "-b", "main")
    commit(path, "nf: begin")
    (path / "README").write_text("words\n")
    commit(path, "docs: say more")
    return path


def git(path: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=Mona", "-c", "user.email=mona@example.org"]
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=path, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def commit(path: Path, subject: str) -> None:
    git(path, "add", "-A")
    git(path, "commit", "-q", "-m", subject)


def run_step(script: str, repository: Path) -> subprocess.CompletedProcess[str]:
    """As GitHub's runner does: `bash -e` with the job's environment."""
    base, head = git(repository, "rev-parse", "HEAD~", "HEAD").split()
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    given = {"BASE": base, "HEAD": head, "NALM_HOME": str(repository.parent / "home"), "PATH": path}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=repository,
        env=os.environ | given,
        capture_output=True,
        text=True,
        check=False,
    )


def test_steps_call_only_nalm_and_git(workflow: dict[str, Any]) -> None:
    found = commands(workflow)
    assert list(found) == ["What this host can see", "Judge"]
    assert found["What this host can see"] == "nalm doctor"


def test_doctor_step(workflow: dict[str, Any], repository: Path) -> None:
    done = run_step(commands(workflow)["What this host can see"], repository)
    assert done.returncode in (0, 4), done.stderr
    assert done.stdout.strip()


def test_judge_step_passes_what_cannot_be_slower(workflow: dict[str, Any], repository: Path) -> None:
    done = run_step(commands(workflow)["Judge"], repository)
    assert done.returncode == 0, done.stdout + done.stderr
    report = parse_report((repository / "nalm-run.json").read_bytes())
    assert report.status == "unchanged"


@pytest.mark.parametrize(
    ("code", "expected", "said"),
    [(0, 0, ""), (1, 1, ""), (3, 0, "::warning::"), (4, 4, "")],
)
def test_judge_step_hands_the_exit_code_on_but_for_inconclusive(
    workflow: dict[str, Any], repository: Path, code: int, expected: int, said: str
) -> None:
    """The same script around a `nalm` of a given exit code."""
    script = f"nalm() {{ return {code}; }}\n" + commands(workflow)["Judge"]
    done = run_step(script, repository)
    assert done.returncode == expected
    assert said in done.stdout


def test_judge_step_fails_on_a_mistake_in_nalm_toml(workflow: dict[str, Any], repository: Path) -> None:
    (repository / "nalm.toml").write_text(NALM_TOML + "\nsurprise = 1\n")
    commit(repository, "nf: break nalm.toml")
    done = run_step(commands(workflow)["Judge"], repository)
    assert done.returncode not in (0, 1, 3)
    assert "nalm.toml" in done.stderr
