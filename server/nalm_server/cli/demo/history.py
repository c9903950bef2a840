# SPDX-License-Identifier: Apache-2.0
"""The demo's git repository, made by the reference NF's own script."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from nalm_core.report.trials.kinds import RunKind, split_name

from nalm_server.cli.demo.errors import DemoError

SCRIPT = Path("demo") / "make_history.py"


@dataclass(frozen=True)
class Merge:
    """One merge of the demo and its planted change."""

    sha: str
    parent: str
    subject: str
    expect: str
    stage: str | None
    cause: str | None
    scenario: str = "sfc_a"
    """The history in which it shows."""
    metric: str | None = None
    """The metric that it changes; None: cycles per packet at full load."""

    @property
    def at_load(self) -> bool:
        """It shows in runs of rates."""
        return split_name(self.scenario)[1] is not RunKind.CYCLES


def make_history(source: Path, to: Path, merges: str | None = None) -> list[Merge]:
    """Creates, completes or recognises the repository at `to`, with these merges or all; always with the same
    commits.

    Raises DemoError with the script's own error.
    """
    script = source / SCRIPT
    if not script.is_file():
        raise DemoError(
            f"{script} is not there: `nalm-server demo` needs the reference NF's sources. "
            "Run it in a clone of nalm, or give their directory with --source."
        )
    command = [sys.executable, str(script), "--from", str(source), "--to", str(to)]
    if merges is not None:
        command += ["--merges", merges]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise DemoError(f"the demo's history could not be made in {to}:\n{done.stderr.strip()[-2000:]}")
    return [
        Merge(
            sha=merge["sha"],
            parent=merge["parent"],
            subject=merge["subject"],
            expect=merge["expect"],
            stage=merge.get("stage"),
            cause=merge.get("cause"),
            scenario=merge["scenario"],
            metric=merge.get("metric"),
        )
        for merge in json.loads(done.stdout)
    ]
