# SPDX-License-Identifier: Apache-2.0
"""The command `nalm-mutants`: tests nalm with changes of known effect."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from nalm_core.text.json_option import METAVAR, OPTION, STDOUT

from nalm_agent.desk.sending import Sending
from nalm_agent.mutants.read import (
    DEFAULT_SCENARIO,
    FINE,
    KINDS,
    Patch,
    PatchError,
    fine_patches,
    lone_patches,
    sample,
)
from nalm_agent.mutants.record import Journal, Record, read_records
from nalm_agent.report.console import Terminal
from nalm_agent.runtime.errors import ExitCode, UsageError
from nalm_agent.shell import options
from nalm_agent.shell.app import run_app
from nalm_agent.shell.commands import JsonCommand
from nalm_agent.shell.examples import examples
from nalm_agent.store.home import Home

DEFAULT_PROJECT = "nalm-reference-nf"
ProjectOption = Annotated[str, typer.Option(metavar="NAME", help="The server's project.")]

app = typer.Typer(
    help="Measures nalm: performance mutants of the reference NF, and A/A comparisons.\n\n"
    "Exit codes: 0 all as their headers expect, 1 something fell short, 2 usage, 4 could not measure.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)


@app.command(
    cls=JsonCommand,
    epilog=examples(
        "nalm-mutants run --json all.jsonl",
        "nalm-mutants run --only 'equal/*'",
        "nalm-mutants run --only none --aa 200 --json aa.jsonl --resume",
    ),
)
def run(
    *,
    nf: Annotated[Path, typer.Option(help="The NF's folder, with mutants/, in a git checkout.")] = Path(
        "reference-nf"
    ),
    only: Annotated[
        str,
        typer.Option(
            metavar="GLOB", help="Mutants by name: planted/NN-name, equal/NN-name, fine/NN-name; none."
        ),
    ] = "*",
    kind: Annotated[list[str] | None, typer.Option(help="Mutants of this kind; repeatable.")] = None,
    sample_size: Annotated[
        int | None,
        typer.Option(
            "--sample", min=1, metavar="N", help="N of them, spread over the kinds; always the same."
        ),
    ] = None,
    aa: Annotated[
        int, typer.Option(min=0, metavar="N", help="And N comparisons of the base with itself.")
    ] = 0,
    aa_scenario: Annotated[str, typer.Option(help="Scenario of these.")] = DEFAULT_SCENARIO,
    budget: Annotated[
        float | None,
        typer.Option(min=1, help="Seconds for the rounds of one comparison; default: nalm.toml's."),
    ] = None,
    json_file: Annotated[
        str | None,
        typer.Option(
            OPTION, metavar=METAVAR, help="Write a line for each comparison to this file. Default: stdout."
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Append; do not measure again what FILE has of the same sources.")
    ] = False,
    reports: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep each run report, whole, in this folder.")
    ] = None,
    cpu: Annotated[
        int | None, typer.Option(help="Use this CPU only, beside another nalm-mutants on another.")
    ] = None,
    quiet: options.QuietOption = False,
    upload: Annotated[bool, typer.Option("--upload", help="Upload the results to a server.")] = False,
    server: options.ServerOption = None,
    project: ProjectOption = DEFAULT_PROJECT,
    token_file: options.TokenFileOption = None,
    timeout: options.TimeoutOption = options.TIMEOUT_SECONDS,
) -> None:
    """Measures each mutant against its base as `nalm check` does, and prints the results."""
    from nalm_agent.mutants.report import print_report, record_line
    from nalm_agent.mutants.run import Campaign, aa_tasks, mutant_tasks
    from nalm_agent.mutants.scratch import Scratch

    printed = json_file == STDOUT
    if resume and (json_file is None or printed):
        raise UsageError("--resume needs a file to continue", hint="name it with --json FILE")
    patches = chosen(nf, only, kind or [], sample_size)
    tasks = mutant_tasks(patches) + aa_tasks(aa, aa_scenario)
    if not tasks:
        raise UsageError(f"no mutant of {nf}/mutants is called {only}", hint="`ls` of its folders names them")
    sending = Sending.prepared(server, token_file, timeout) if upload else None
    if cpu is not None:
        _keep_to(cpu)
    journal = Journal(None if json_file is None else Path(json_file), resume=resume)
    home, records = Home.default(), []
    with home.work() as work, Terminal(quiet=quiet) as progress:
        scratch = Scratch(nf.absolute(), work.fresh("mutants"), budget)
        for record in Campaign(scratch, home, work, reports).run(tasks, journal, progress):
            progress.say(record_line(record))
            records.append(record)
    if sending is not None:
        _send(sending, project, records, on_stderr=printed)
    _conclude(print_report(records, on_stderr=printed))


@app.command(epilog=examples("nalm-mutants show all.jsonl aa.jsonl"))
def show(files: Annotated[list[Path], typer.Argument(metavar="FILE", help="File of run --json.")]) -> None:
    """Prints the tables of earlier campaigns."""
    from nalm_agent.mutants.report import print_report

    records = [record for path in files for record in read_records(path)]
    _conclude(print_report(records))


@app.command(epilog=examples("nalm-mutants upload all.jsonl --server https://nalm.example.org"))
def upload(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="File of run --json.")],
    *,
    server: options.ServerOption = None,
    project: ProjectOption = DEFAULT_PROJECT,
    token_file: options.TokenFileOption = None,
    timeout: options.TimeoutOption = options.TIMEOUT_SECONDS,
) -> None:
    """Uploads earlier campaigns to a server, which shows the quality of detection."""
    sending = Sending.prepared(server, token_file, timeout)
    _send(sending, project, [record for path in files for record in read_records(path)])


def _conclude(as_expected: bool) -> NoReturn:
    raise typer.Exit(ExitCode.OK if as_expected else ExitCode.REGRESSION)


def _send(sending: Sending, project: str, records: list[Record], *, on_stderr: bool = False) -> None:
    from nalm_agent.mutants.send import send

    typer.echo(send(sending, project, records), err=on_stderr)


def chosen(nf: Path, only: str, kinds: list[str], size: int | None) -> dict[str, Patch]:
    """The requested mutants. Raises UsageError for a kind without mutants, or a wrong header."""
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        raise UsageError(f"no kind is called {unknown[0]}", hint=f"there are: {', '.join(KINDS)}")
    folder = nf / "mutants"
    if not folder.is_dir():
        raise UsageError(
            f"{folder} is not there", hint="call it in a clone of nalm, or name the NF with --nf"
        )
    try:
        found = fine_patches(folder) if only.startswith(FINE) else lone_patches(folder)
    except PatchError as error:
        raise UsageError(str(error), hint=f"{folder}/README.md explains the keys") from error
    found = {
        name: patch
        for name, patch in found.items()
        if fnmatchcase(name, only) and (not kinds or patch.kind in kinds)
    }
    return found if size is None else sample(found, size)


def _keep_to(cpu: int) -> None:
    allowed = os.sched_getaffinity(0)
    if cpu not in allowed:
        numbers = ", ".join(map(str, sorted(allowed)))
        raise UsageError(f"CPU {cpu} is not one nalm may use", hint=f"there are: {numbers}")
    os.sched_setaffinity(0, {cpu})


def main() -> None:
    """Entry point."""
    run_app(app)
