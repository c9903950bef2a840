# SPDX-License-Identifier: Apache-2.0
"""`nalm check --margin`: how long to measure, and what all runs of the pair say together."""

from __future__ import annotations

from nalm_core.pooling.constants import PLAN_RUNS
from nalm_core.pooling.plan import MarginPlan, plan
from nalm_core.pooling.pool import PairPool, pool
from nalm_core.report.defaults import BUDGET_SECONDS, MARGIN
from nalm_core.text.percents import margin_percent, share_percent

from nalm_agent.desk.pools import stored
from nalm_agent.store.home import Home

LONGEST_SECONDS = 1800.0
"""Most time for the rounds of one run, unless `--minutes` or nalm.toml gives more: a margin that takes longer
takes several runs, best in different hours."""
SPARE = 1.3
"""Time of a run as a multiple of the planned one."""


def seconds_for(home: Home, project: str, scenario: str, margin: float, *, by_toml: float) -> float | None:
    """Time for the rounds of a run at a margin below the default's, at least nalm.toml's; None: nalm.toml's.
    by_toml: nalm.toml's."""
    if margin >= MARGIN:
        return None
    planned = planned_for(home, project, scenario, margin, by_stage=False)
    guess = BUDGET_SECONDS * (MARGIN / margin) ** 2
    seconds = guess if planned.effort is None else 60 * planned.effort.minutes * SPARE
    return max(min(seconds, LONGEST_SECONDS), by_toml)


def planned_for(
    home: Home, project: str, scenario: str, margin: float, hosts: int = 1, *, by_stage: bool = True
) -> MarginPlan:
    """The plan from this host's newest runs of a scenario. by_stage: for each stage, too."""
    runs = stored.runs(home, project, scenario)[-PLAN_RUNS:]
    return plan(runs, margin, scenario, hosts=hosts, by_stage=by_stage)


def pool_of(home: Home, project: str, scenario: str, pair: str, margin: float) -> PairPool | None:
    """What all runs of a pair on this host say together; None without a run."""
    known = stored.runs(home, project, scenario)
    own = [one for one in known if one.pair == pair]
    others = [one for one in known if one.pair != pair][-PLAN_RUNS:]
    return pool(own, margin, others=others)


def plan_lines(found: MarginPlan) -> list[str]:
    """A plan for people."""
    head = f"{found.scenario}, margin {margin_percent(found.margin)}"
    if found.effort is None:
        lines = [f"{head}: not reachable: {found.reason}" if found.runs else f"{head}: {found.reason}"]
        return lines + _by_stage(found) + ([f"run: {found.run}"] if found.run else [])
    effort, low, high = found.effort, found.low, found.high
    spread = ""
    if low is not None:
        up = "not reachable" if high is None else f"{high.minutes:g}"
        spread = f" [{low.minutes:g} .. {up}]"
    layouts = "" if effort.layouts == 1 else f" in {effort.layouts} layouts of each build"
    hours = "" if effort.hours == 1 else f", in {effort.hours} different hours"
    hosts = "1 host" if effort.hosts == 1 else f"{effort.hosts} hosts"
    lines = [
        f"{head}: {effort.minutes:g} min{spread}: {effort.launches} launches{layouts} on {hosts}{hours}"
        + (f", {found.turns} turns of each arm in a launch" if found.turns else ""),
        f"because {found.reason}",
    ]
    lines += _by_stage(found)
    lines += [
        f"  {one.level}: {share_percent(one.spread, 3)} between {one.groups}, "
        f"{share_percent(one.of_launch, 0)} of a launch's variance"
        for one in found.shares
    ]
    if found.curve:
        points = ", ".join(
            f"±{share_percent(one.half_width, 3)} after {one.minutes:g} min" for one in found.curve
        )
        lines.append(f"  half width of the 95 % interval: {points}")
    lines.append(f"  from {found.launches} launches of {found.runs} runs on this host")
    return lines + ([f"run: {found.run}"] if found.run else [])


def _by_stage(found: MarginPlan) -> list[str]:
    """What changed code in one stage alone takes."""
    times = [
        f"{one.stage} {'not reachable' if one.minutes is None else f'{one.minutes:g} min'}"
        for one in found.stages
    ]
    return [f"  changed code in one stage alone: {', '.join(times)}"] if times else []
