# SPDX-License-Identifier: Apache-2.0
"""Histories on one scale: levels from comparisons between commits instead of values of separate runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import exp
from typing import TYPE_CHECKING, Any

import numpy as np
from nalm_core.history.environments import steps

from nalm_server.results.links.environments import Environments
from nalm_server.results.links.linked import (
    QUANTILE,
    LinkedFigures,
    Solution,
    figures,
    is_exact,
    solutions,
)
from nalm_server.views.history import functions

if TYPE_CHECKING:
    from nalm_server.views.history.scenario_data import ScenarioData
    from nalm_server.views.history.service import Line


def with_links(data: ScenarioData, line: Line, metric: str, stages: Sequence[str]) -> Line:
    """The line with levels of each series that has links. line: with values as measured."""
    runs, request = line.runs, data.request
    shas = [line.commits[number].sha for number in runs.commit_id]
    names = [(stage, name) for stage, name in map(functions.split, request.functions) if name is not None]
    graph, environments = data.graph, data.environments
    each = (figure for by_run in line.measured.values() for figure in by_run.values())
    if is_exact(each) and len({environments.of(number)[2] for number in runs.run_number}) < 2:
        return line
    found = solutions(
        data.session,
        data.scenario.id,
        data.host_class,
        metric,
        stages=[] if request.functions and not stages else stages or None,
        functions=names,
        reference=shas[-1],
        graph=graph,
    )
    if not found:
        return line
    line = replace(line, figures={}, same_features={}, linked=set(), environments=[])
    for solution in found:
        _add(line, solution, list(zip(runs.run_number, shas, strict=True)), environments)
    return line


def _add(line: Line, solution: Solution, runs: list[tuple[int, str]], environments: Environments) -> None:
    """A stage with several sources, such as loads, has the values of each where it measured. A run without a
    value, as of equal code, has the level of its commit."""
    name = solution.stage
    measured = line.measured.get(name, {})
    own = {
        number: figure for number, figure in measured.items() if figure[3] == solution.source or ">" in name
    }
    here = [one for one in runs if one[0] in own or one[0] not in measured]
    found = figures(solution, here, own, environments)
    if found is None:
        return
    line.linked.add(name)
    line.figures.setdefault(name, {}).update(found.figures)
    if found.same_features:
        line.same_features.setdefault(name, {}).update(found.same_features)
    line.environments.extend(_steps(name, here, found, environments, exact=is_exact(own.values())))


def _steps(
    name: str,
    runs: list[tuple[int, str]],
    found: LinkedFigures,
    environments: Environments,
    *,
    exact: bool,
) -> list[dict[str, Any]]:
    order = sorted(range(len(runs)), key=lambda place: runs[place][0])
    where = [environments.of(runs[place][0]) for place in order]
    shown = []
    for step in steps(found.apart[np.array(order, np.intp)], where, exact=exact):
        after, before = runs[order[step.at]], runs[order[step.before]]
        half = None if step.error is None else QUANTILE * step.error
        shown.append(
            {
                "sha": after[1],
                "stage": name,
                "changes": environments.changes(before[0], after[0]),
                "ratio": exp(step.ln_ratio),
                "low": None if half is None else exp(step.ln_ratio - half),
                "high": None if half is None else exp(step.ln_ratio + half),
            }
        )
    return shown
