# SPDX-License-Identifier: Apache-2.0
"""`nalm check` and `nalm bench`: choose the revisions, measure their scenarios, recall earlier runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from nalm_core.report.run_report import RunStatus
from nalm_core.report.trials.kinds import RunKind, history_name, split_name

from nalm_agent.build.host_limits import BUDGET_SECONDS, within_host
from nalm_agent.config.nalm_toml import Config
from nalm_agent.desk import last_run
from nalm_agent.desk.conclude import Failures
from nalm_agent.measure.request import Request, read_config
from nalm_agent.report.console import Terminal
from nalm_agent.report.progress import Progress
from nalm_agent.report.result import Result, judged
from nalm_agent.runtime.errors import ConfigError, GitError, UsageError
from nalm_agent.source.git import Repository, Revision
from nalm_agent.store.home import Home, WorkDir


@dataclass(frozen=True)
class Effort:
    """What a command sets in place of nalm.toml; None: nalm.toml's."""

    margin: float | None = None
    """Relative change of the chain's CPP that matters."""
    minutes: float | None = None
    """Time for the rounds; None with a margin: as planned."""
    layouts: int | None = None

    @property
    def options(self) -> list[str]:
        """The options that set something, as the command line has them."""
        given = {"--margin": self.margin, "--minutes": self.minutes, "--layouts": self.layouts}
        return [name for name, value in given.items() if value is not None]


@dataclass(frozen=True)
class Comparison:
    """Two revisions, and how the base was chosen."""

    base: Revision
    head: Revision
    why: str
    branch: str | None = None
    """The branch for which head is judged; None: unknown."""


def compared(repository: Repository, base: str | None, head: str, branch: str | None = None) -> Comparison:
    """The revisions that `nalm check` compares. branch: by whose thresholds; None: the current one."""
    found, branch = repository.resolve(head), branch or repository.branch()
    if base is not None:
        return Comparison(repository.resolve(base), found, "as given", branch)
    chosen = repository.choose_base(found)
    return Comparison(chosen.revision, found, chosen.why, branch)


def with_parent(repository: Repository, head: Revision) -> Comparison:
    """A commit and its first parent. Raises GitError for a root commit."""
    parent = repository.parent(head)
    if parent is None:
        raise GitError(f"{head.short} has no parent to compare with", hint="start with a later commit")
    return Comparison(parent, head, "its first parent", repository.branch())


def measure_scenarios(
    repository: Repository,
    comparison: Comparison,
    home: Home,
    work: WorkDir,
    progress: Progress,
    *,
    scenarios: Sequence[str] = (),
    rebuild: bool = False,
    force: bool = False,
    profile: bool = False,
    recall: bool = False,
    effort: Effort = Effort(),
    failures: Failures | None = None,
) -> Iterator[Result]:
    """Measures scenarios of head's nalm.toml one by one: the named ones, or all that are not `on_request`.
    NAME:rate and NAME:soak are runs under load, as an agent's jobs make them.

    recall: returns this host's earlier run of the same trees if that run was decided and is one of cycles.
    failures: keeps the error of a scenario, and the others are measured; None: it is raised.
    Raises UsageError if `effort` or `profile` is given, which are of cycles, for a run under load.
    """
    config = read_config(repository, comparison.head)
    if not scenarios and (gone := _gone(repository, comparison.base, config)):
        progress.say(f"not measured, since head's nalm.toml has no such scenario: {', '.join(gone)}")
    chosen = [split_name(name) for name in dict.fromkeys(scenarios or config.standing())]
    for name, kind in chosen:
        config.scenario(name)
        if kind is not RunKind.CYCLES:
            _require_of_cycles(history_name(name, kind), effort, profile=profile)

    def run(name: str, kind: RunKind) -> Result:
        request = Request(
            repository,
            comparison.base,
            comparison.head,
            name,
            rebuild=rebuild,
            force=force,
            profile=profile,
            branch=comparison.branch,
            margin=effort.margin,
            layouts=effort.layouts,
            budget_seconds=_seconds(home, config, name, effort, progress),
        )
        if kind is RunKind.CYCLES:
            return answered(request, home, work, progress, recall=recall)
        return _under_load(request, kind, home, work, progress)

    for name, kind in chosen:
        if failures is None:
            yield run(name, kind)
            continue
        result = None
        with failures.kept(history_name(name, kind), comparison.head.commit):
            result = run(name, kind)
        if result is not None:
            yield result


def _gone(repository: Repository, base: Revision, head: Config) -> list[str]:
    """Scenarios measured at base that head no longer has; none if base has no usable nalm.toml."""
    with suppress(ConfigError):
        return [name for name in read_config(repository, base).standing() if name not in head.scenarios]
    return []


def _require_of_cycles(name: str, effort: Effort, *, profile: bool) -> None:
    if given := [*effort.options, *(["--profile"] if profile else [])]:
        raise UsageError(
            f"{' and '.join(given)}: for runs of cycles only, and {name} is none",
            hint="[rates] and [[thresholds]] of nalm.toml set length and margins of runs under load",
        )


def _seconds(home: Home, config: Config, scenario: str, effort: Effort, progress: Progress) -> float | None:
    """Time for the rounds, up to this host's limit; None: nalm.toml's."""
    if effort.minutes is not None:
        seconds = within_host(60 * effort.minutes)
        if seconds != 60 * effort.minutes:
            progress.say(
                f"--minutes {effort.minutes:g} is more than this host's limit: measuring for {seconds:g} s "
                f"({BUDGET_SECONDS.setting})"
            )
        return seconds
    if effort.margin is None:
        return None
    from nalm_agent.desk.pools.fine import seconds_for

    by_toml = config.judge.budget_seconds
    return within_host(seconds_for(home, config.project.name, scenario, effort.margin, by_toml=by_toml))


def pair_runs(
    names: Sequence[str],
    repository: Repository,
    home: Home,
    work: WorkDir,
    *,
    scenarios: Sequence[str],
    force: bool = False,
    profile: bool = False,
) -> list[Result]:
    """Runs of two commits, or of one commit against its parent. Measures what this host has not measured."""
    with Terminal() as progress:
        pair = (
            with_parent(repository, repository.resolve(names[0]))
            if len(names) == 1
            else compared(repository, names[0], names[1])
        )
        progress.say(f"{pair.head.short} against {pair.base.short} ({pair.why})")
        runs = measure_scenarios(
            repository,
            pair,
            home,
            work,
            progress,
            scenarios=scenarios,
            force=force,
            profile=profile,
            recall=not force,
        )
        return list(runs)


def answered(request: Request, home: Home, work: WorkDir, progress: Progress, *, recall: bool) -> Result:
    """One run: with `recall` this host's earlier run of the same trees, else measured now. `nalm explain`
    then shows it as the last run. Raises ConfigError, HostError."""
    result = (_recalled(request, home, progress) if recall else None) or _measured(
        request, home, work, progress
    )
    last_run.remember(home, request, result.report)
    return result


def _recalled(request: Request, home: Home, progress: Progress) -> Result | None:
    from nalm_agent.desk import result_cache

    known = result_cache.recall(home, result_cache.result_address(request))
    if known is None:
        return None
    if known.status is not RunStatus.UNCHANGED:
        when = known.finished_at.astimezone().strftime("%Y-%m-%d %H:%M")
        progress.say(f"{request.scenario}: measured {when}, unchanged since; --force measures again")
    return Result(_title(request), known, judged(known))


def _measured(request: Request, home: Home, work: WorkDir, progress: Progress) -> Result:
    from nalm_agent.desk import result_cache
    from nalm_agent.desk.pools import stored
    from nalm_agent.measure.measure import measure

    with _mistakes_of(request.scenario):
        report = measure(request, home, work, progress)
    result = Result(_title(request), report, judged(report))
    outcome = result.verdict.outcome if result.verdict else "same"
    result_cache.keep(home, result_cache.result_address(request), report, outcome)
    stored.remember(home, request, report)
    return result


def _under_load(request: Request, kind: RunKind, home: Home, work: WorkDir, progress: Progress) -> Result:
    from nalm_agent.rates.rate_run import measure_under_load

    name = history_name(request.scenario, kind)
    with _mistakes_of(name):
        report = measure_under_load(request, kind, home, work, progress)
    return Result(f"{name} {request.head.short}", report, judged(report))


@contextmanager
def _mistakes_of(scenario: str) -> Iterator[None]:
    """A ConfigError within names the scenario."""
    try:
        yield
    except ConfigError as error:
        raise ConfigError(f"scenario {scenario}: {error.message}", hint=error.hint, log=error.log) from error


def _title(request: Request) -> str:
    return f"{request.scenario} {request.head.short}"
