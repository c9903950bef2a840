# SPDX-License-Identifier: Apache-2.0
"""`nalm check --plan` and `--pool`: what a margin takes, and what all runs of a pair say together."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import typer
from nalm_core.pooling.pool import PairPool, in_words
from nalm_core.report.defaults import MARGIN
from nalm_core.report.outcome import Outcome
from nalm_core.text.percents import share_percent
from rich.markup import escape

from nalm_agent.config.nalm_toml import Config
from nalm_agent.config.thresholds import CPP
from nalm_agent.desk.check import Comparison
from nalm_agent.desk.pools import stored
from nalm_agent.desk.pools.fine import plan_lines, planned_for, pool_of
from nalm_agent.measure.request import read_config
from nalm_agent.report.output_file import write_json
from nalm_agent.report.print_run import console, say
from nalm_agent.runtime.errors import ExitCode
from nalm_agent.source.git import Repository
from nalm_agent.store.home import Home


@dataclass(frozen=True)
class Question:
    """What a command shows without measuring. margin: None: nalm.toml's; scenarios: empty: all standing
    ones."""

    repository: Repository
    comparison: Comparison
    margin: float | None
    scenarios: Sequence[str]
    json_file: str | None


def show_plans(home: Home, question: Question, hosts: int) -> NoReturn:
    """Prints a plan for each scenario. Exits with INCONCLUSIVE if one is not reachable or not known."""
    config = read_config(question.repository, question.comparison.head)
    names = _named(config, question.scenarios)
    plans = [
        planned_for(home, config.project.name, name, _margin(config, name, question), hosts) for name in names
    ]
    write_json(question.json_file, json.dumps([one.model_dump(mode="json") for one in plans]))
    if question.json_file != "-":
        out = console()
        for one in plans:
            for line in plan_lines(one):
                say(out, escape(line))
    raise typer.Exit(ExitCode.OK if all(one.reachable for one in plans) else ExitCode.INCONCLUSIVE)


def show_pools(home: Home, question: Question) -> NoReturn:
    """Prints what all runs of the pair on this host say together, by scenario. Exits with the worst code."""
    config = read_config(question.repository, question.comparison.head)
    names = _named(config, question.scenarios)
    found = dict[str, PairPool]()
    for name in names:
        ends = question.comparison.base, question.comparison.head
        pair = stored.pair_of(question.repository, config.project.name, name, *ends)
        limit = _margin(config, name, question)
        pooled = pool_of(home, config.project.name, name, pair, limit)
        if pooled is not None:
            found[name] = pooled
    write_json(
        question.json_file, json.dumps({name: one.model_dump(mode="json") for name, one in found.items()})
    )
    if question.json_file != "-":
        out = console()
        for name in names:
            for line in pool_lines(name, found.get(name)):
                say(out, escape(line))
    raise typer.Exit(_exit_code([found.get(name) for name in names]))


def pool_lines(scenario: str, found: PairPool | None) -> list[str]:
    """A pool for people."""
    if found is None:
        return [f"{scenario}: this host has no run of this pair; `nalm check` makes one"]
    shares = [
        f"  {one.level}: {share_percent(one.of_error, 0)} of the error's variance, from {one.groups}"
        for one in found.shares
    ]
    if found.turn_share is not None:
        shares.append(f"  turn: {share_percent(found.turn_share, 0)} of a launch's variance")
    placed = found.placement_text
    return [f"{scenario}: {in_words(found)}", *([f"  {placed}"] if placed else []), *shares]


def _exit_code(found: Sequence[PairPool | None]) -> ExitCode:
    outcomes = [None if one is None else one.outcome for one in found]
    if Outcome.REGRESSED in outcomes:
        return ExitCode.REGRESSION
    decided = all(one is not None and one != Outcome.INCONCLUSIVE for one in outcomes)
    return ExitCode.OK if decided else ExitCode.INCONCLUSIVE


def _named(config: Config, scenarios: Sequence[str]) -> Sequence[str]:
    for name in scenarios:
        config.scenario(name)
    return scenarios or config.standing()


def _margin(config: Config, scenario: str, question: Question) -> float:
    if question.margin is not None:
        return question.margin
    found = config.margins(scenario, question.comparison.branch)
    return next((one.margin for one in found if (one.metric, one.stage) == (CPP, None)), MARGIN)
