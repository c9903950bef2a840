# SPDX-License-Identifier: Apache-2.0
"""`nalm submit`: uploads saved run reports to a server."""

from __future__ import annotations

import typer

from nalm_agent.runtime.errors import ExitCode
from nalm_agent.shell import options
from nalm_agent.shell.examples import examples


def add_to(app: typer.Typer) -> None:
    """Adds the command to `nalm`."""
    app.command(
        epilog=examples(
            "nalm submit run.json --server https://nalm.example.org --token-file token",
            "NALM_SERVER=... NALM_TOKEN=... nalm submit 'runs/*.json' --json",
        )
    )(submit)


def submit(
    reports: options.ReportsArgument,
    *,
    server: options.ServerOption = None,
    token_file: options.TokenFileOption = None,
    timeout: options.TimeoutOption = options.TIMEOUT_SECONDS,
    proposed: options.ProposedOption = False,
    json_file: options.JsonOption = None,
    junit: options.JUnitOption = None,
    sarif: options.SarifOption = None,
    markdown: options.MarkdownOption = None,
    github: options.GithubOption = False,
    never_fail: options.NeverFailOption = False,
) -> None:
    """Upload run reports to a nalm server and print its verdicts; each report is stored once."""
    from nalm_agent.desk.sending import Sending
    from nalm_agent.report.outputs import Outputs
    from nalm_agent.report.result import worst
    from nalm_agent.report.saved import read_results

    outputs = Outputs(json_file, junit, sarif, markdown, github)
    with options.tolerating(never_fail):
        sending = Sending.prepared(server, token_file, timeout, proposed=proposed)
        results = sending.send(read_results(reports), quiet=outputs.on_stdout, json_file=json_file)
        Outputs(junit=junit, sarif=sarif, markdown=markdown, github=github).write(results, as_list=True)
        raise typer.Exit(ExitCode.OK if never_fail else worst(results))
