# SPDX-License-Identifier: Apache-2.0
"""`nalm build`: builds a revision and tries it out, without measuring it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from nalm_core.report.run_report import Arm

from nalm_agent.build.build import Built, build, build_log
from nalm_agent.host.cores import choose, hold
from nalm_agent.host.fingerprint import fingerprint, require_huge_pages
from nalm_agent.measure.arm_runs import arm_run
from nalm_agent.measure.arms import Ready
from nalm_agent.measure.request import read_config
from nalm_agent.measure.rounds import ArmFailedError, TryOut, try_out
from nalm_agent.nf.run_plan import plan, traffic_file, traffic_identity
from nalm_agent.report.progress import Progress
from nalm_agent.runtime.process import stop_all
from nalm_agent.source.git import Repository, Revision
from nalm_agent.source.lfs import require_content
from nalm_agent.store.home import Home, WorkDir


@dataclass(frozen=True)
class Tried:
    """A scenario that was built, started, and ran for a turn."""

    scenario: str
    built: Built
    log: Path | None
    """None: the store has no log of the build any more."""
    found: TryOut


def built_and_tried(
    repository: Repository,
    revision: Revision,
    home: Home,
    work: WorkDir,
    progress: Progress,
    *,
    scenarios: Sequence[str],
    rebuild: bool,
) -> Iterator[Tried]:
    """Each scenario: the named ones, or all that are not `on_request`.

    Raises ConfigError, BuildError, HostError, and NfError for an NF that does not start, forward or end.
    """
    every = read_config(repository, revision)
    for name in scenarios:
        every.scenario(name)
    for name in scenarios or every.standing():
        config, scenario = every.for_scenario(name), every.scenario(name)
        identity = traffic_identity(repository, revision, scenario.traffic)
        run = plan(repository, revision, config, scenario, identity)
        what = f"{name} {revision.short}"
        progress.step("build", what, 0.0)

        def step(line: str, what: str = what) -> None:
            progress.step("build", f"{what}: {line}", 0.4)

        built = build(home, repository, revision, config, progress.say, rebuild=rebuild, step=step)
        progress.step("start", f"trying out {what}", 0.8)
        traffic = traffic_file(repository, built.source, scenario.traffic)
        if traffic is not None:
            require_content(traffic, str(scenario.traffic))
        huge_pages = fingerprint(home).huge_pages
        if huge_pages:
            require_huge_pages(scenario.memory_mb)
        cores = choose(scenario.lcores)
        with hold(cores, progress.say):
            try:
                start = arm_run(Arm.HEAD, Ready(built, run), traffic, cores, home, huge_pages=huge_pages)
                start = replace(start, how=replace(start.how, say=progress.say))
                found = try_out(start, work, config.judge.turn_ms)
            except ArmFailedError as failure:
                raise failure.error from failure
            finally:
                stop_all()
        yield Tried(name, built, build_log(home, built.build.tree), found)
