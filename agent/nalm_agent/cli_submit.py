# SPDX-License-Identifier: Apache-2.0
"""`nalm submit` and `nalm show`: saved run reports to a server, and into other forms."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from nalm_core.text.plain_text import plain

from nalm_agent import cli_options as options
from nalm_agent.errors import ExitCode, UsageError
from nalm_agent.git import Revision
from nalm_agent.local import Result, worst
from nalm_agent.outputs import Outputs

if TYPE_CHECKING:
    from nalm_agent.upload import Uploader

ReportsArgument = Annotated[
    list[str],
    typer.Argument(metavar="REPORT", help="Files of `--json`, or patterns; - for standard input."),
]


def add_to(app: typer.Typer) -> None:
    """Adds both commands to `nalm`."""
    app.command(
        epilog="Examples:\n\n    nalm submit run.json --server https://nalm.example.org --token-file token"
        "\n\n    NALM_SERVER=... NALM_TOKEN=... nalm submit 'runs/*.json' --json"
    )(submit)
    app.command(
        epilog="Examples:\n\n    nalm show run.json\n\n"
        "    nalm show runs/*.json --junit nalm.xml --sarif nalm.sarif"
    )(show)


def submit(
    reports: ReportsArgument,
    *,
    server: options.ServerOption = None,
    token_file: options.TokenFileOption = None,
    timeout: options.TimeoutOption = options.TIMEOUT_SECONDS,
    as_json: Annotated[bool, typer.Option("--json", help="Print what the server says as JSON.")] = False,
    junit: options.JUnitOption = None,
    sarif: options.SarifOption = None,
    markdown: options.MarkdownOption = None,
    github: options.GithubOption = False,
    never_fail: options.NeverFailOption = False,
) -> None:
    """Upload run reports to a nalm server, once each, and answer with its verdicts."""
    from nalm_agent.saved import read_results

    outputs = Outputs(
        json="-" if as_json else None, junit=junit, sarif=sarif, markdown=markdown, github=github
    )
    with options.tolerating(never_fail):
        sending = Sending.prepared(server, token_file, timeout)
        results = sending.send(read_results(reports), quiet=outputs.on_stdout, as_json=as_json)
        Outputs(junit=junit, sarif=sarif, markdown=markdown, github=github).write(results, as_list=True)
        raise typer.Exit(ExitCode.OK if never_fail else worst(results))


def show(
    reports: ReportsArgument,
    *,
    junit: options.JUnitOption = None,
    sarif: options.SarifOption = None,
    markdown: options.MarkdownOption = None,
    github: options.GithubOption = False,
    never_fail: options.NeverFailOption = False,
) -> None:
    """Print the verdicts on saved run reports, or write them in another form."""
    from nalm_agent.report_out import print_run
    from nalm_agent.saved import read_results

    outputs = Outputs(junit=junit, sarif=sarif, markdown=markdown, github=github)
    results = read_results(reports)
    if not outputs.on_stdout:
        for result in results:
            print_run(result.report, result.verdict, result.title)
    outputs.write(results, as_list=True)
    raise typer.Exit(ExitCode.OK if never_fail else worst(results))


@dataclass(frozen=True)
class Sending:
    """Where results go, known to be complete before anything is measured."""

    server: str
    token: str
    timeout: float

    @staticmethod
    def prepared(server: str | None, token_file: Path | None, timeout: float) -> Sending:
        """From the options. Raises UsageError for what is missing."""
        from nalm_agent.submit import upload_token
        from nalm_agent.upload import require_address

        if not server:
            raise UsageError("which server?", hint="give its address with --server or in NALM_SERVER")
        return Sending(require_address(server), upload_token(token_file), timeout)

    @contextmanager
    def uploader(self) -> Iterator[Uploader]:
        """Connections to the server, closed afterwards."""
        from nalm_agent.upload import Uploader

        made = Uploader(self.server, self.token, self.timeout, _say)
        try:
            yield made
        finally:
            made.close()

    def send(self, results: Sequence[Result], *, quiet: bool, as_json: bool = False) -> list[Result]:
        """Uploads the results and prints what the server says. Raises UsageError, ServerError."""
        from nalm_agent.submit import submit_all

        with self.uploader() as uploader:
            answers = submit_all(results, uploader)
        if as_json:
            said = [taken.model_dump() | {"link": result.link} for result, taken in answers]
            sys.stdout.write(json.dumps(said) + "\n")
        elif not quiet:
            for result, taken in answers:
                known = "" if taken.new else " (it was there already)"
                typer.echo(plain(f"{result.title}: {taken.outcome}  {taken.summary}{known}\n  {result.link}"))
        return [result for result, _ in answers]


def require_commit(head: Revision) -> None:
    """Raises UsageError for a working tree with changes, before time is spent on it: no server takes it."""
    if head.dirty:
        raise UsageError(
            "a working tree with changes is no commit, so no server takes its report",
            hint="commit first, or leave out --submit",
        )


def _say(line: str) -> None:
    typer.echo(f"nalm: {line}", err=True)
