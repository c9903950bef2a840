# SPDX-License-Identifier: Apache-2.0
"""`nalm explain`: shows where a change is, by function, source line and flame graph."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from nalm_core.profiles.cost_unit import By

from nalm_agent.report.output_file import STDOUT, require_place, write_file, write_json
from nalm_agent.runtime.errors import GitError, NalmError, UsageError
from nalm_agent.shell import options
from nalm_agent.shell.completion import commit_names, scenario_names
from nalm_agent.shell.examples import examples

if TYPE_CHECKING:
    from nalm_core.report.run_report import Arm, RunReport
    from nalm_core.verdict.verdict import Verdict

    from nalm_agent.build.side_source import SideSource
    from nalm_agent.desk.explanation import Explained
    from nalm_agent.source.git import Repository
    from nalm_agent.store.home import Home, WorkDir


def add_to(app: typer.Typer) -> None:
    """Adds the command to `nalm`."""
    app.command(
        epilog=examples(
            "nalm check; nalm explain  the last run, line by line",
            "nalm explain main~1 main --svg flame.svg",
            "nalm explain run.json --file src/nat.c",
        )
    )(explain)


def explain(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="WHAT",
            help="A saved report; a commit (against its parent); or two commits. Default: the last run here.",
            autocompletion=commit_names,
        ),
    ] = None,
    *,
    scenario: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Scenario, if there are several.", autocompletion=scenario_names),
    ] = None,
    by: Annotated[
        By, typer.Option(help="Exact instructions, or cycles estimated from samples.")
    ] = By.INSTRUCTIONS,
    svg: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write the differential flame graph to this file; - for standard output."
        ),
    ] = None,
    width: Annotated[
        str, typer.Option(metavar="base|head", help="The side whose costs are the widths of the flame graph.")
    ] = "head",
    file: Annotated[str | None, typer.Option(metavar="NAME", help="Show this source file in full.")] = None,
    config: options.ConfigOption = None,
    json_file: options.JsonOption = None,
    repo: options.RepoOption = Path(),
) -> None:
    """Show what a change costs: functions as judged, call paths, both sides' source lines, a flame graph.

    Its exit code does not depend on the verdict. Commits that are not measured yet are measured first.
    """
    from nalm_core.report.run_report import Arm

    from nalm_agent.build.side_source import SideSource
    from nalm_agent.config.location import repository_at
    from nalm_agent.report.saved import is_saved, read_results
    from nalm_agent.store.home import Home

    if width not in (Arm.BASE, Arm.HEAD):
        raise UsageError(f"--width {width} is not a side", hint="use --width base or --width head")
    if json_file == svg == STDOUT:
        raise UsageError("several outputs cannot go to standard output", hint="give --svg a file")
    require_place(svg, "--svg")
    require_place(json_file, "--json")
    home = Home.default()
    with home.work() as work:
        names = what or []
        runs: Runs
        if len(names) == 1 and is_saved(names[0]):
            repository, runs = _around(repo, work), ([one.report for one in read_results(names)], {})
        else:
            repository = repository_at(repo, work.fresh("git"), config)
            scenarios, sampled = [scenario] if scenario else [], by is By.CYCLES
            runs = _found(names, repository, home, work, scenarios=scenarios, profile=sampled)
        report, trees = _one(runs, scenario)
        forms = _Forms(by, svg, Arm(width), file, json_file)
        _show(SideSource(home, repository, report, trees), forms)


Runs = tuple[Sequence["RunReport"], Mapping["Arm", str]]


def _around(repo: Path, work: WorkDir) -> Repository | None:
    """The repository of a saved report, or None outside of one. Raises GitError if --repo names none."""
    from nalm_agent.source.git import Repository

    try:
        return Repository(repo.absolute(), work.fresh("git"))
    except GitError:
        if repo != Path():
            raise
        return None


def _found(
    what: Sequence[str],
    repository: Repository,
    home: Home,
    work: WorkDir,
    *,
    scenarios: Sequence[str],
    profile: bool,
) -> Runs:
    """The requested runs, with the git trees of both sides where they are known."""
    from nalm_agent.desk.check import pair_runs
    from nalm_agent.desk.last_run import last_run

    if len(what) > 2:
        raise UsageError(
            f"expected at most two commits, found {len(what)}", hint="use `nalm explain BASE HEAD`"
        )
    if what:
        pair_runs(what, repository, home, work, scenarios=scenarios, profile=profile)
    last = last_run(home, repository)
    if last is None:
        raise UsageError(
            f"this host has no run of {repository.root} yet",
            hint="run `nalm check`, or name two commits: `nalm explain BASE HEAD`",
        )
    return last.reports, last.trees


def _one(runs: Runs, scenario: str | None) -> tuple[RunReport, Mapping[Arm, str]]:
    reports, trees = runs
    names = [report.scenario.name for report in reports]
    found = [report for report in reports if scenario in (None, report.scenario.name)]
    if not found:
        raise UsageError(f"there is no run of {scenario}", hint=f"there are runs of {', '.join(names)}")
    if len(found) > 1:
        raise UsageError(f"there are runs of {', '.join(names)}", hint="name one with --scenario")
    return found[0], trees


@dataclass(frozen=True)
class _Forms:
    """What is shown, and in which forms."""

    by: By
    svg: str | None
    width: Arm
    file: str | None
    json_file: str | None

    @property
    def on_stdout(self) -> bool:
        """True if standard output has one of them, and nothing else."""
        return STDOUT in (self.json_file, self.svg)


def _show(source: SideSource, forms: _Forms) -> None:
    from nalm_core.profiles.flame import ROOT, Frame
    from nalm_core.verdict.verdict import judge
    from rich.markup import escape

    from nalm_agent.desk.explanation import Explained, explained
    from nalm_agent.desk.print_explanation import legend_line, print_explained, print_functions
    from nalm_agent.report.print_run import UNCHANGED_SUMMARY, console, say

    report, out, by, file = source.report, console(), forms.by, forms.file
    verdict = judge(report)
    if report.status == "unchanged":
        _write(report, verdict, Explained(by, Frame(ROOT, None, None, 0.0, 0.0), []), forms)
        if not forms.on_stdout:
            say(out, f"{report.scenario.name}: same  {UNCHANGED_SUMMARY}")
        return
    if report.failure:
        said, _, log = report.failure.partition("\n")
        raise NalmError(
            f"nothing was measured: {said}", log=log, hint="fix that, then run `nalm check` again"
        )
    found = explained(report, verdict, by, source)
    if found is None:
        raise UsageError(_missing(report, by), hint=_remedy(by))
    if file is not None and file not in [one.name for one in found.files]:
        known = ", ".join(one.name for one in found.files[:20])
        raise UsageError(f"no line of {file} has a cost", hint=f"files with costs: {known}")
    _write(report, verdict, found, forms)
    if not forms.on_stdout:
        say(out, f"{report.scenario.name}: {verdict.outcome}  {escape(verdict.summary)}")
        print_explained(out, found, file)
        if file is None:
            print_functions(out, verdict)
        say(out, f"\n{legend_line(by)}")


def _write(report: RunReport, verdict: Verdict, found: Explained, forms: _Forms) -> None:
    write_json(forms.json_file, json.dumps(_document(found, verdict)))
    if forms.svg is not None:
        _draw(report, found, forms.svg, forms.width)


def _draw(report: RunReport, found: Explained, svg: str, width: Arm) -> None:

    from nalm_core.render.flame_svg import Legend, flame_svg
    from nalm_core.report.run_report import Arm
    from nalm_core.text.commit_name import short

    from nalm_agent.desk.explanation import UNITS

    names = [report.arms[arm].build for arm in (Arm.BASE, Arm.HEAD)]
    base, head = (f"{short(one.commit)}{'+changes' if one.dirty else ''}" for one in names)
    legend = Legend(f"{report.project} {report.scenario.name}", UNITS[found.by], base, head, width)
    write_file(svg, flame_svg(found.flame, legend), "--svg")
    if svg != STDOUT:
        typer.echo(f"wrote {svg}", err=True)


def _document(found: Explained, verdict: Verdict) -> dict[str, object]:

    from nalm_core.profiles.flame import as_json

    from nalm_agent.desk.explanation import UNITS

    files = [asdict(one) for one in found.files]
    functions = [one.model_dump(mode="json") for one in verdict.function_changes]
    return {
        "by": found.by,
        "unit": UNITS[found.by],
        "functions": functions,
        "functions_judged": verdict.functions_judged,
        "flame": as_json(found.flame),
        "files": files,
    }


def _missing(report: RunReport, by: By) -> str:

    from nalm_core.report.run_report import Source

    if by is By.CYCLES:
        return "the run has no samples of both sides"
    reason = report.sources.get(Source.SIMULATED)
    return f"the run has no call paths of both sides: {reason or 'an older nalm wrote it'}"


def _remedy(by: By) -> str:
    if by is By.CYCLES:
        return "`nalm check --profile` samples functions and lines; `nalm doctor` shows whether this host can"
    return "measure again with `nalm check --force`"
