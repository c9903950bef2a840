# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from nalm_agent.report.console import show_error
from nalm_agent.runtime.errors import ExitCode, NalmError
from nalm_agent.shell.completion import revision_names, scenario_names

_FILE = "FILE"


JUnitOption = Annotated[
    str | None, typer.Option("--junit", metavar=_FILE, help="Write JUnit XML here; - for standard output.")
]
SarifOption = Annotated[
    str | None, typer.Option("--sarif", metavar=_FILE, help="Write SARIF 2.1.0 here: a result per function.")
]
MarkdownOption = Annotated[
    str | None, typer.Option("--markdown", metavar=_FILE, help="Write a screenful of Markdown here.")
]
GithubOption = Annotated[
    bool, typer.Option("--github", help="In GitHub Actions: annotate lines, and fill the step's summary.")
]
ScenarioOption = Annotated[
    list[str] | None,
    typer.Option(
        "--scenario",
        help="Scenario of nalm.toml; repeatable. Default: all but those on request.",
        autocompletion=scenario_names,
    ),
]
RepoOption = Annotated[Path, typer.Option("--repo", help="The NF's git repository.", show_default="here")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]
NeverFailOption = Annotated[
    bool, typer.Option("--never-fail", help="Exit with 0 whatever the verdict; 2 for wrong usage remains.")
]
ServerOption = Annotated[
    str | None, typer.Option("--server", envvar="NALM_SERVER", help="Address of nalm-server.")
]
TokenFileOption = Annotated[
    Path | None,
    typer.Option(
        "--token-file", metavar=_FILE, help="File that holds an upload token. Default: what NALM_TOKEN holds."
    ),
]
TimeoutOption = Annotated[
    float,
    typer.Option("--timeout", min=0, metavar="SECONDS", help="How long to wait for a server that is away."),
]
TIMEOUT_SECONDS = 300.0
ReportsFileOption = Annotated[
    str | None,
    typer.Option("--json", metavar="FILE", help="Write the run report here; - for standard output."),
]
RebuildOption = Annotated[
    bool, typer.Option("--rebuild", help="Build again what failed before; else the earlier failure is shown.")
]
ReportsArgument = Annotated[
    list[str],
    typer.Argument(metavar="REPORT", help="Files of `--json`, or patterns; - for standard input."),
]
RevisionArgument = Annotated[
    str, typer.Argument(metavar="REV", help="Commit, or the working tree.", autocompletion=revision_names)
]
OneScenarioOption = Annotated[
    str | None,
    typer.Option(
        "--scenario",
        help="Scenario of nalm.toml. Default: its first standing one.",
        autocompletion=scenario_names,
    ),
]


@contextmanager
def tolerating(never_fail: bool) -> Iterator[None]:
    """With --never-fail, what could not be measured or sent is told and no failure; a mistake in usage is."""
    try:
        yield
    except NalmError as error:
        if not never_fail or error.exit_code == ExitCode.USAGE:
            raise
        show_error(error)
        raise typer.Exit(ExitCode.OK) from error
