# SPDX-License-Identifier: Apache-2.0
"""Output for other programs: run reports, JUnit, SARIF, Markdown, GitHub's workflow commands."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nalm_core.report.serialization import dump_report

from nalm_agent.report.output_file import STDOUT, require_place, write_file
from nalm_agent.report.result import Result
from nalm_agent.runtime.errors import UsageError

if TYPE_CHECKING:
    from nalm_core.render.unmeasured import Unmeasured
    from nalm_core.verdict.judged import Judged

STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
"""Variable with the name of the file whose Markdown GitHub shows with a job."""


@dataclass(frozen=True)
class Outputs:
    """Names of output files, as options give them; None if an option is absent."""

    json: str | None = None
    junit: str | None = None
    sarif: str | None = None
    markdown: str | None = None
    github: bool = False
    """Whether to print GitHub's workflow commands and write Markdown to the step's summary."""

    def __post_init__(self) -> None:
        for option, name in self._files().items():
            require_place(name, f"--{option}")
        files = [name for name in self._files().values() if name is not None]
        for name in files:
            if files.count(name) > 1:
                where = "standard output" if name == STDOUT else name
                raise UsageError(f"several outputs cannot go to {where}", hint="give each a file of its own")

    def _files(self) -> dict[str, str | None]:
        return {"json": self.json, "junit": self.junit, "sarif": self.sarif, "markdown": self.markdown}

    @property
    def on_stdout(self) -> bool:
        """True if an output goes to standard output, where nothing else may then be printed."""
        return STDOUT in self._files().values()

    @property
    def in_files(self) -> bool:
        """True if an output goes to a file."""
        return any(name not in (None, STDOUT) for name in self._files().values())

    def write(
        self, results: Sequence[Result], unmeasured: Sequence[Unmeasured] = (), *, as_list: bool
    ) -> None:
        """Writes all outputs; as_list: the run reports as a JSON list, which is not written without a report.
        Raises UsageError."""
        if self.json is not None and results:
            write_file(self.json, _reports(results, as_list=as_list), "--json")
        if not (self.junit or self.sarif or self.markdown or self.github):
            return
        runs = [judged_fully(result) for result in results]
        if self.junit is not None:
            from nalm_core.render.junit import junit

            write_file(self.junit, junit(runs, unmeasured), "--junit")
        if self.sarif is not None:
            from nalm_core.render.sarif import sarif

            write_file(self.sarif, sarif(runs, unmeasured), "--sarif")
        if self.markdown is not None:
            from nalm_core.render.markdown import markdown

            write_file(self.markdown, markdown(runs, unmeasured), "--markdown")
        if self.github:
            self._write_github(runs, unmeasured)

    def _write_github(self, runs: Sequence[Judged], unmeasured: Sequence[Unmeasured]) -> None:
        """Writes for GitHub, whose runner reads commands on stdout and stderr."""
        from nalm_core.render.annotations import workflow_commands
        from nalm_core.render.markdown import markdown

        stream = sys.stderr if self.on_stdout else sys.stdout
        stream.write(workflow_commands(runs, unmeasured))
        stream.flush()
        if summary := os.environ.get(STEP_SUMMARY):
            with Path(summary).open("a", encoding="utf-8") as file:
                file.write(markdown(runs, unmeasured))


def judged_fully(result: Result) -> Judged:
    """The run with its verdict, which is computed now if it is missing."""
    from nalm_core.verdict.judged import Judged
    from nalm_core.verdict.verdict import judge

    return Judged(result.report, result.verdict or judge(result.report), result.link)


def _reports(results: Sequence[Result], *, as_list: bool) -> str:
    documents = [json.loads(dump_report(result.report)) for result in results]
    return json.dumps(documents if as_list else documents[0]) + "\n"
