# SPDX-License-Identifier: Apache-2.0
"""Prices of features by commit, from three sources: one line for each.

Experiments are exact and rare, merges have one price each, and the feature's stage has one at every commit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy.orm import Session

from nalm_server.features import price_repository, repository
from nalm_server.features.price_repository import StageCost
from nalm_server.features.schemas import PriceSource
from nalm_server.results.cost_models import repository as cost_models
from nalm_server.results.cost_models.fits import fit_of


class Key(NamedTuple):
    feature: str
    scenario: str
    host_class: str
    source: PriceSource


class PricePoint(NamedTuple):
    """A price at one commit, cycles per packet."""

    commit_id: int
    position: int
    run_id: str | None
    cycles: float
    low: float | None
    high: float | None
    pps: float | None
    stages: Mapping[str, float]
    series_id: int | None


Lines = dict[Key, list[PricePoint]]
"""Oldest first."""


def by_experiments(session: Session, project_id: int) -> Lines:
    lines: Lines = defaultdict(list)
    for model, commit in cost_models.models(session, project_id):
        for price in fit_of(model).prices:
            key = Key(price.feature, model.scenario, model.host_class, PriceSource.EXPERIMENT)
            figures = (price.cycles, price.low, price.high, price.pps)
            lines[key].append(PricePoint(commit.id, commit.position, None, *figures, price.stages, None))
    return lines


def by_merges(session: Session, project_id: int) -> Lines:
    """Commits that added or removed one feature alone: the prices of several cannot be separated."""
    lines: Lines = defaultdict(list)
    found = repository.merges(session, project_id)
    numbers = price_repository.run_numbers(session, [one.run_id for one in found])
    chains = price_repository.chains(session, list(numbers.values()))
    for one in found:
        if len(one.added) + len(one.removed) != 1:
            continue
        (feature,) = one.added or one.removed
        sign = 1.0 if one.added else -1.0
        rate = rate_change(chains.get(numbers[one.run_id], {}), one.price)
        key = Key(feature, one.scenario, one.host_class, PriceSource.MERGE)
        low, high = sorted(sign * end for end in one.interval) if one.interval else (None, None)
        figures = (sign * one.price, low, high, None if rate is None else sign * rate)
        lines[key].append(PricePoint(one.commit_id, one.position, one.run_id, *figures, {}, None))
    return lines


def by_stages(session: Session, costs: Sequence[StageCost], names: Iterable[str]) -> Lines:
    """Stages with the name of a feature."""
    lines: Lines = defaultdict(list)
    features = set(names)
    mine = [one for one in costs if one.stage in features]
    chains = price_repository.chains(session, [one.run_number for one in mine])
    for one in mine:
        key = Key(one.stage, one.scenario, one.host_class, PriceSource.STAGE)
        rate = rate_change(chains.get(one.run_number, {}), one.value)
        figures = (one.value, one.low, one.high, rate)
        stages = {one.stage: one.value}
        lines[key].append(
            PricePoint(one.commit_id, one.position, one.run_id, *figures, stages, one.series_id)
        )
    return lines


def rate_change(chain: Mapping[str, float], cycles: float) -> float | None:
    """Packets per second gained by these cycles of the chain; negative for a price.

    By Eq. 6, pps times CPP is the cycles of the cores: without these cycles the chain would forward the
    result.
    """
    cpp, pps = chain.get("cpp"), chain.get("pps")
    if cpp is None or pps is None or cpp <= cycles:
        return None
    return pps - pps * cpp / (cpp - cycles)
