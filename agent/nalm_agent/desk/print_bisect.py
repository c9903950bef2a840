# SPDX-License-Identifier: Apache-2.0
"""Prints the outcome of a search, as text or JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from nalm_core.findings.bisection import Culprit, NoChange, Range, Step
from nalm_core.text.amounts import amount
from nalm_core.text.percents import change_percent

from nalm_agent.desk.bisect import Search


def outcome_lines(search: Search, step: Step) -> Iterator[str]:
    """The commit, or the range that remains, and then the cost of the search."""
    commits = search.commits
    match step:
        case Culprit(place):
            commit = commits[place]
            size = search.size(place)
            by = "" if size is None else f" by {change_percent(size)}"
            yield f"{commit.short} changed {_figure(search)}{by}"
            yield f"  {commit.subject}"
            yield f"  {search.repository.author(commit)}"
            yield f"  why: `nalm explain {commit.short}`"
        case Range(low, high):
            yield f"one of the {high - low} commits after {commits[low].short} up to {commits[high].short}:"
            for place in range(low + 1, high + 1):
                result = search.results.get(place)
                yield f"  {commits[place].short} {commits[place].subject}" + (
                    f" ({result.why})" if result else ""
                )
        case NoChange():
            yield f"{_figure(search)} is the same at both ends: there is no change to find"
        case _:
            why = search.results[len(commits) - 1].why
            yield f"whether {commits[-1].short} differs from {commits[0].short} is unknown: {why}"
    cost = search.cost()
    known, measured = amount(len(search.results), "commit"), amount(cost.measurements, "measurement")
    yield f"{known}, {measured}, {cost.seconds:.0f} s"


def document(search: Search, step: Step) -> dict[str, object]:
    """The outcome as JSON values."""
    found = {"outcome": type(step).__name__.lower(), "question": asdict(search.question)}
    places = {name: search.commits[at].commit for name, at in asdict(step).items()}
    size = search.size(step.place) if isinstance(step, Culprit) else None
    results = [
        {"sha": search.commits[at].commit, **asdict(one)} for at, one in sorted(search.results.items())
    ]
    former = {"asked": results}
    return {**found, **places, "size": size, "results": results, **former}


def _figure(search: Search) -> str:
    question = search.question
    return f"{question.stage or 'chain'} {question.metric} of {question.scenario}"
