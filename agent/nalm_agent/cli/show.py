# SPDX-License-Identifier: Apache-2.0
"""`nalm show`: prints the verdicts on saved run reports, or converts the reports."""

from __future__ import annotations

import typer

from nalm_agent.runtime.errors import ExitCode
from nalm_agent.shell import options
from nalm_agent.shell.examples import examples


def add_to(app: typer.Typer) -> None:
    """Adds the command to `nalm`."""
    app.command(
        epilog=examples("nalm show run.json", "nalm show runs/*.json --junit nalm.xml --sarif nalm.sarif")
    )(show)


def show(
    reports: options.ReportsArgument,
    *,
    junit: options.JUnitOption = None,
    sarif: options.SarifOption = None,
    markdown: options.MarkdownOption = None,
    github: options.GithubOption = False,
    verbose: options.VerboseOption = False,
    never_fail: options.NeverFailOption = False,
) -> None:
    """Print the verdicts on saved run reports, or write them in another format."""
    from nalm_agent.report.outputs import Outputs
    from nalm_agent.report.print_run import print_run
    from nalm_agent.report.result import worst
    from nalm_agent.report.saved import read_results

    outputs = Outputs(junit=junit, sarif=sarif, markdown=markdown, github=github)
    results = read_results(reports)
    outputs.write(results, as_list=True)
    if not outputs.on_stdout:
        for result in results:
            print_run(result.report, result.verdict, result.title, verbose=verbose)
    raise typer.Exit(ExitCode.OK if never_fail else worst(results))
