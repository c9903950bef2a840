# SPDX-License-Identifier: Apache-2.0
"""The commands of the CI templates, taken out of their files, and run as each CI runs them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
TEMPLATES = ROOT / "ci-templates"
BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c")
TOOLS = Path(sys.executable).parent


def github() -> dict[str, Any]:
    job: dict[str, Any] = github_workflow()["jobs"]["check"]
    return job


def github_workflow() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((TEMPLATES / "github" / "nalm.yml").read_text())
    return found


def gitlab() -> dict[str, Any]:
    job: dict[str, Any] = gitlab_jobs()["nalm"]
    return job


def gitlab_jobs() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((TEMPLATES / "gitlab" / "nalm.gitlab-ci.yml").read_text())
    return found


def jenkins() -> dict[str, str]:
    """Shell scripts by label. In Groovy's strings a backslash at a line's end joins the lines."""
    text = (TEMPLATES / "jenkins" / "Jenkinsfile").read_text()
    blocks = re.findall(r"sh\(label: '([^']+)',[^']*script: (?:'''(.*?)'''|'([^']*)')\)", text, re.DOTALL)
    return {label: (long or short).replace("\\\n", "") for label, long, short in blocks}


def steps(ci: str) -> dict[str, tuple[tuple[str, ...], str]]:
    """doctor, noise, judge and submit of a CI: the shell as that CI calls it, and the script."""
    if ci == "github":
        runs = {step["name"]: step["run"] for step in github()["steps"] if "run" in step}
        return {kind: (BASH, runs[name]) for kind, name in NAMES.items()}
    if ci == "gitlab":
        job = gitlab()
        doctor, noise = job["before_script"]
        lines = ([doctor], [noise], job["script"], gitlab_jobs()["nalm-submit"]["script"])
        return {kind: (BASH, "\n".join(of)) for kind, of in zip(NAMES, lines, strict=True)}
    if ci == "jenkins":
        found = jenkins()
        found["Judge"] = found["Fetch"] + found["Judge"]
        names = NAMES | {"clear": "Clear"}
        return {kind: (("sh", "-xec"), found[name]) for kind, name in names.items()}
    vote = str(TEMPLATES / "gerrit" / "nalm-vote.sh")
    return {"judge": (("bash", vote), "")}


NAMES = {
    "doctor": "What this host can see",
    "noise": "What size of change this host shows",
    "judge": "Judge",
    "submit": "Submit",
}


@dataclass
class Workspace:
    """A clone in which a CI's commands run."""

    path: Path
    home: Path
    """$NALM_HOME and $HOME."""
    tools: list[Path] = field(default_factory=list)
    """Directories before the real `nalm` in PATH."""

    def run(self, ci: str, kind: str, given: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        shell, script = steps(ci)[kind]
        return self._run([*shell, *([script] if script else [])], given)

    def nalm(self, *arguments: str, **given: str) -> subprocess.CompletedProcess[str]:
        return self._run(["nalm", *arguments], given)

    def _run(self, command: list[str], given: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        path = ":".join(map(str, [*self.tools, TOOLS, os.environ["PATH"]]))
        keep = {name: os.environ[name] for name in ("PYTHONPATH", "LANG", "NALM_LOCKS") if name in os.environ}
        env = (
            keep | {"PATH": path, "HOME": str(self.home), "NALM_HOME": str(self.home / "nalm")} | dict(given)
        )
        return subprocess.run(command, cwd=self.path, env=env, capture_output=True, text=True, check=False)

    def git(self, *arguments: str, **env: str) -> str:
        identity = ["-c", "user.name=Mona", "-c", "user.email=mona@example.org"]
        done = subprocess.run(
            ["git", *identity, *arguments],
            cwd=self.path,
            env=os.environ | env,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()
