# SPDX-License-Identifier: Apache-2.0
"""`nalm build`: builds a revision and tries it out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from nalm_agent.report.output_file import STDOUT, require_place, write_json
from nalm_agent.shell import options
from nalm_agent.shell.completion import WORKTREE
from nalm_agent.shell.examples import examples

if TYPE_CHECKING:
    from nalm_agent.measure.tried_build import Tried


def add_to(app: typer.Typer) -> None:
    """Adds the command to `nalm`."""
    app.command(
        epilog=examples(
            "nalm build",
            "nalm build v1.0 --config ../nalm.toml --scenario sfc_a",
            "nalm build --rebuild && nalm log",
        )
    )(build)


def build(
    revision: options.RevisionArgument = WORKTREE,
    *,
    scenario: options.ScenarioOption = None,
    config: options.ConfigOption = None,
    json_file: options.JsonOption = None,
    repo: options.RepoOption = Path(),
    rebuild: options.RebuildOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Build a revision and try it out, without measuring it.

    Each scenario is started once and forwards for one turn. The store keeps the build for `nalm check`.
    """
    from nalm_core.text.plain_text import plain

    from nalm_agent.config.location import repository_at
    from nalm_agent.measure.tried_build import built_and_tried
    from nalm_agent.report.console import Terminal
    from nalm_agent.store.home import Home

    require_place(json_file, "--json")
    home, documents = Home.default(), []
    with home.work() as work, Terminal(quiet=quiet) as progress:
        repository = repository_at(repo, work.fresh("git"), config)
        found = repository.resolve(revision)
        runs = built_and_tried(
            repository, found, home, work, progress, scenarios=scenario or (), rebuild=rebuild
        )
        for one in runs:
            documents.append(_document(one))
            if json_file != STDOUT:
                with progress.aside():
                    for line in _lines(one, found.short):
                        typer.echo(plain(line))
    write_json(json_file, json.dumps(documents))


def _lines(one: Tried, revision: str) -> list[str]:
    seconds = one.built.build.build_seconds
    made = "was built before" if seconds is None else f"built in {seconds:.1f} s"
    stages = ", ".join(stage.name for stage in one.found.stages if not stage.apart)
    lines = [f"{one.scenario} {revision}: {made}; starts in {one.found.ready_seconds:.1f} s and forwards"]
    lines.append(f"  programs: {', '.join(one.built.contents.artifacts)}")
    lines.append(f"  stages: {stages}")
    if one.found.note is not None:
        lines.append(f"  note: {one.found.note}")
    return [*lines, f"  log: {one.log}"] if one.log is not None else lines


def _document(one: Tried) -> dict[str, object]:
    build = one.built.build
    return {
        "scenario": one.scenario,
        "commit": build.commit,
        "dirty": build.dirty,
        "build_seconds": build.build_seconds,
        "directory": str(one.built.directory),
        "log": None if one.log is None else str(one.log),
        "programs": list(one.built.contents.artifacts),
        "stages": [stage.name for stage in one.found.stages],
        "ready_seconds": one.found.ready_seconds,
        "note": one.found.note,
    }
