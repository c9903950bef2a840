# SPDX-License-Identifier: Apache-2.0
"""`nalm compare`: two saved runs, whatever their feature sets."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from nalm_agent.errors import UsageError


def add_to(app: typer.Typer) -> None:
    """Adds the command to the command `nalm`."""
    app.command(epilog="Example:\n\n    nalm compare release-1.json release-2.json")(compare)


def compare(
    base: Annotated[str, typer.Argument(metavar="BASE", help="A saved run report; its head is compared.")],
    head: Annotated[str, typer.Argument(metavar="HEAD", help="Another one.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the decomposition as JSON.")] = False,
) -> None:
    """Split the change of CPP between two saved runs into efficiency, mix, features and execution model.

    It shows and does not judge: the two were not measured side by side.
    """
    from nalm_core.compare import INCOMPARABLE, NOT_PAIRED
    from nalm_core.decompose_run import decompose_summaries
    from nalm_core.decomposition_text import one_line, stage_lines
    from nalm_core.host_match import comparable, differences, sentence
    from nalm_core.report import Arm
    from nalm_core.summary import summarise

    from nalm_agent.saved import read_one

    old, new = read_one(base), read_one(head)
    hosts = differences(old.host, new.host)
    if not comparable(hosts):
        raise UsageError(f"{sentence(hosts)} {INCOMPARABLE}", hint="measure both on one host")
    sides = [summarise(report, Arm.HEAD) if Arm.HEAD in report.arms else None for report in (old, new)]
    found = decompose_summaries(sides[0], sides[1]) if sides[0] and sides[1] else None
    if found is None:
        raise UsageError(
            f"{base} and {head} have not both cycles by stage", hint="`nalm show` says what was measured"
        )
    if as_json:
        sys.stdout.write(found.model_dump_json() + "\n")
        return
    typer.echo(one_line(found))
    for line in [*stage_lines(found), *(f"note: {note}" for note in (*found.notes, NOT_PAIRED))]:
        typer.echo(f"  {line}")
    if hosts:
        typer.echo(f"  note: {sentence(hosts)}")
