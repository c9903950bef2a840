# SPDX-License-Identifier: Apache-2.0
"""Prints, uploads and writes the results of a command, and exits with their code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import typer

from nalm_agent.report.console import Terminal
from nalm_agent.report.outputs import Outputs
from nalm_agent.report.print_run import print_run
from nalm_agent.report.result import Result, worst
from nalm_agent.runtime.errors import ExitCode

if TYPE_CHECKING:
    from nalm_agent.desk.sending import Sending


def shown(
    results: Iterable[Result], progress: Terminal, *, quiet: bool, verbose: bool = False
) -> list[Result]:
    """Prints each result as soon as it arrives, unless `quiet`, and returns all results.

    A failure that several scenarios have in common, such as that of a build, is printed in full once.
    """
    kept: list[Result] = []
    for result in results:
        known = result.report.failure in {one.report.failure for one in kept}
        if not quiet:
            with progress.aside():
                print_run(result.report, result.verdict, result.title, verbose=verbose, without_failure=known)
        kept.append(result)
    return kept


def finish(
    results: Sequence[Result],
    outputs: Outputs,
    sending: Sending | None,
    *,
    as_list: bool,
    never_fail: bool,
) -> None:
    """Uploads and writes the reports, and exits with the worst exit code."""
    try:
        if sending is not None:
            results = sending.send(results, quiet=outputs.on_stdout)
    finally:
        outputs.write(results, as_list=as_list)
    raise typer.Exit(ExitCode.OK if never_fail else worst(results))
