# SPDX-License-Identifier: Apache-2.0
"""Prints, uploads and writes the results of a command, and exits with their code."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import typer
from nalm_core.render.unmeasured import Unmeasured

from nalm_agent.report.console import Terminal, show_error
from nalm_agent.report.output_file import discard_output
from nalm_agent.report.outputs import Outputs
from nalm_agent.report.print_run import print_run
from nalm_agent.report.result import Result, worst
from nalm_agent.runtime.errors import ExitCode, NalmError, OutputError, refused_by_host

if TYPE_CHECKING:
    from nalm_agent.desk.sending import Sending


KEPT = "decided runs are kept: `nalm check` of the same two commits shows them without measuring again"


class Failures:
    """What could not be measured: scenarios and commits. The results of others stay."""

    def __init__(self, progress: Terminal) -> None:
        self.errors = list[NalmError]()
        self.unmeasured = list[Unmeasured]()
        """What each error is about, for outputs."""
        self.unprinted: OutputError | None = None
        """Standard output could not be written, and the results went elsewhere."""
        self._progress = progress

    @contextmanager
    def kept(self, about: str, head: str | None = None) -> Iterator[None]:
        """Prints and keeps an error within, so that the command goes on.

        about: the scenario that is measured, or the commit. head: the commit of a scenario.
        """
        try:
            yield
        except (NalmError, OSError) as error:
            known = refused_by_host(error) if isinstance(error, OSError) else error
            if known is None or isinstance(known, OutputError):
                raise
            with self._progress.aside():
                show_error(known, about)
            self.errors.append(known)
            now, host = datetime.now(UTC), socket.gethostname()
            self.unmeasured.append(Unmeasured(about, head, known.message, known.full_text(), now, host))


@contextmanager
def kept_runs_named() -> Iterator[None]:
    """An error of standard output says how to see the runs again."""
    try:
        yield
    except OSError as error:
        known = refused_by_host(error)
        if not isinstance(known, OutputError):
            raise
        raise OutputError(known.message, hint=KEPT) from error


def shown(
    results: Iterable[Result],
    progress: Terminal,
    failures: Failures,
    *,
    quiet: bool,
    unread_too: bool,
    verbose: bool = False,
) -> list[Result]:
    """Prints each result as soon as it arrives, unless `quiet`, and returns all results.

    unread_too: go on if the output cannot be written, for the results are also wanted elsewhere.
    A failure that several scenarios have in common, such as that of a build, is printed in full once.
    """
    kept: list[Result] = []
    for result in results:
        known = result.report.failure in {one.report.failure for one in kept}
        if not quiet:
            try:
                with kept_runs_named(), progress.aside():
                    print_run(
                        result.report, result.verdict, result.title, verbose=verbose, without_failure=known
                    )
            except (BrokenPipeError, OutputError) as error:
                if not unread_too:
                    raise
                if isinstance(error, OutputError):
                    failures.unprinted = error
                discard_output()
                quiet = True
        kept.append(result)
    return kept


def finish(
    results: Sequence[Result],
    outputs: Outputs,
    sending: Sending | None,
    failures: Failures,
    *,
    as_list: bool,
    never_fail: bool,
) -> None:
    """Uploads the reports, if there are any, writes the outputs, and exits with the worst exit code."""
    try:
        if sending is not None and results:
            results = sending.send(results, quiet=outputs.on_stdout)
    finally:
        with kept_runs_named():
            outputs.write(results, failures.unmeasured, as_list=as_list)
    unprinted = [] if failures.unprinted is None else [failures.unprinted]
    for error in unprinted:
        show_error(error)
    code = worst(results, [*failures.errors, *unprinted])
    if never_fail:
        misused = any(one.exit_code is ExitCode.USAGE for one in failures.errors)
        code = ExitCode.USAGE if misused else ExitCode.OK
    raise typer.Exit(code)
