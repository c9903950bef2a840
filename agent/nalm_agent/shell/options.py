# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from nalm_core.text.json_option import METAVAR, OPTION

from nalm_agent.runtime.errors import ExitCode, NalmError, refused_by_host
from nalm_agent.shell.completion import revision_names, scenario_names

_FILE = "FILE"


JUnitOption = Annotated[
    str | None,
    typer.Option("--junit", metavar=_FILE, help="Write JUnit XML to this file; - for standard output."),
]
SarifOption = Annotated[
    str | None,
    typer.Option("--sarif", metavar=_FILE, help="Write SARIF 2.1.0 to this file: one result per function."),
]
MarkdownOption = Annotated[
    str | None,
    typer.Option("--markdown", metavar=_FILE, help="Write a short summary in Markdown to this file."),
]
GithubOption = Annotated[
    bool, typer.Option("--github", help="In GitHub Actions: annotate lines and write the step's summary.")
]
ScenarioOption = Annotated[
    list[str] | None,
    typer.Option(
        "--scenario",
        metavar="NAME",
        help="Scenario of nalm.toml; repeatable. Default: all but `on_request` ones.",
        autocompletion=scenario_names,
    ),
]
MeasuredOption = Annotated[
    list[str] | None,
    typer.Option(
        "--scenario",
        metavar="NAME[:rate|:soak]",
        help="Scenario of nalm.toml; repeatable. Default: all but `on_request` ones. With :rate or :soak its "
        "rates, latency and loss, or a soak, as an agent measures them.",
        autocompletion=scenario_names,
    ),
]
BranchOption = Annotated[
    str | None,
    typer.Option(
        metavar="BRANCH",
        help="Branch whose thresholds in nalm.toml apply.",
        show_default="the branch that is checked out",
    ),
]
RepoOption = Annotated[
    Path,
    typer.Option(
        "--repo", metavar="DIR", help="The NF's git repository.", show_default="the working directory"
    ),
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print no progress.")]
NeverFailOption = Annotated[
    bool,
    typer.Option("--never-fail", help="Exit with 0 for every verdict and failure, but 2 for wrong usage."),
]
ServerOption = Annotated[
    str | None, typer.Option("--server", metavar="URL", envvar="NALM_SERVER", help="Address of nalm-server.")
]
TokenFileOption = Annotated[
    Path | None,
    typer.Option(
        "--token-file", metavar=_FILE, help="File with an upload token. Default: the token in NALM_TOKEN."
    ),
]
TimeoutOption = Annotated[
    float,
    typer.Option("--timeout", min=0, metavar="SECONDS", help="How long to wait for an unreachable server."),
]
TIMEOUT_SECONDS = 300.0
ProposedOption = Annotated[
    bool,
    typer.Option(
        "--proposed", help="Head is not on the default branch: it enters no history and raises no alert."
    ),
]
JsonOption = Annotated[
    str | None,
    typer.Option(OPTION, metavar=METAVAR, help="Write JSON to this file. Default: standard output."),
]
ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar=_FILE,
        help="nalm.toml to use for every commit in place of the commits' own, which need none.",
    ),
]
VerboseOption = Annotated[
    bool, typer.Option("--verbose", "-v", help="Also print the notes that are the same in every run.")
]
RebuildOption = Annotated[
    bool, typer.Option("--rebuild", help="Rebuild what failed before. Default: show the earlier failure.")
]
ReportsArgument = Annotated[
    list[str],
    typer.Argument(metavar="REPORT", help="Files that --json wrote, or patterns; - for standard input."),
]
RevisionArgument = Annotated[
    str, typer.Argument(metavar="REV", help="A commit, or the working tree.", autocompletion=revision_names)
]
OneScenarioOption = Annotated[
    str | None,
    typer.Option(
        "--scenario",
        metavar="NAME",
        help="Scenario of nalm.toml. Default: the first that is not `on_request`.",
        autocompletion=scenario_names,
    ),
]


def given(context: typer.Context) -> set[str]:
    """Parameters that the command line has."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return {name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"}


def spelled(name: str) -> str:
    """A parameter as the command line has it."""
    return f"--{name.replace('_', '-')}"


@contextmanager
def tolerating(never_fail: bool) -> Iterator[None]:
    """With --never-fail, prints errors of measuring and sending and exits with 0; raises errors of usage."""
    try:
        yield
    except (NalmError, OSError) as error:
        shown = refused_by_host(error) if isinstance(error, OSError) else error
        if not never_fail or shown is None or shown.exit_code == ExitCode.USAGE:
            raise
        from nalm_agent.report.console import show_error  # only an error needs a console

        show_error(shown)
        raise typer.Exit(ExitCode.OK) from error
