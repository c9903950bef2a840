# SPDX-License-Identifier: Apache-2.0
"""`nalm store`: shows and prunes the store of builds."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from nalm_agent.report.output_file import STDOUT, require_place, write_json
from nalm_agent.shell import options
from nalm_agent.shell.examples import examples
from nalm_agent.store.home import Home
from nalm_agent.store.store_limit import entries, in_use, limit_bytes, parse_bytes
from nalm_agent.store.store_limit import prune as remove


def add_to(app: typer.Typer) -> None:
    """Adds the command to `nalm`."""
    app.command(epilog=examples("nalm store", "nalm store --prune", "nalm store --prune --limit 2G"))(store)


def store(
    prune: Annotated[
        bool, typer.Option("--prune", help="Remove the least recently used entries until the limit holds.")
    ] = False,
    limit: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE", help="Limit for this call, such as 500M or 2G. Default: $NALM_STORE_LIMIT."
        ),
    ] = None,
    json_file: options.JsonOption = None,
) -> None:
    """Show the store of builds and instruction counts, or remove entries from it."""

    require_place(json_file, "--json")
    found = Home.default().store()
    allowed = parse_bytes(limit) if limit is not None else limit_bytes(found)
    removed = remove(found, allowed) if prune else []
    there = entries(found)
    total = sum(entry.size for entry in there)
    if json_file is not None:
        kept = [asdict(entry) | {"in_use": in_use(found, entry)} for entry in there]
        gone = [asdict(entry) for entry in removed]
        said = {"limit": allowed, "size": total, "entries": kept, "removed": gone}
        write_json(json_file, json.dumps(said))
    if json_file == STDOUT:
        return
    for kind in sorted({entry.kind for entry in there}):
        of_kind = [entry for entry in there if entry.kind == kind]
        used = sum(in_use(found, entry) for entry in of_kind)
        size = sum(entry.size for entry in of_kind)
        typer.echo(
            f"{kind:<10} {len(of_kind):>6}  {_readable(size):>9}" + (f"  {used} in use" if used else "")
        )
    typer.echo(f"{'total':<10} {len(there):>6}  {_readable(total):>9}  of {_readable(allowed)}, {found.root}")
    if prune:
        typer.echo(f"removed {len(removed)}, {_readable(sum(entry.size for entry in removed))}")


def _readable(size: int) -> str:
    from pydantic import ByteSize

    return ByteSize(size).human_readable(separator=" ")
