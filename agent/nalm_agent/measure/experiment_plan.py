# SPDX-License-Identifier: Apache-2.0
"""Plans the cells of an experiment in nalm.toml. The same seed gives the same cells."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from nalm_core.experiments.design import DesignError, FeatureSpace, Row, feature_design
from nalm_core.report.cell import CellKind, ExperimentCell, Kind, Use

from nalm_agent.config.experiments import FeaturesConfig
from nalm_agent.config.nalm_toml import FILE_NAME, Config, ScenarioConfig
from nalm_agent.runtime.errors import ConfigError

LONGEST_NAME = 64


@dataclass(frozen=True)
class ArmChoice:
    """How an arm runs: a scenario, with its own features or the given ones."""

    scenario: str
    features: tuple[str, ...] | None = None

    def config(self, config: Config) -> ScenarioConfig:
        """Raises ConfigError if there is no such scenario."""
        found = config.scenario(self.scenario)
        return found if self.features is None else found.model_copy(update={"features": list(self.features)})


@dataclass(frozen=True)
class Cell:
    """Two run definitions of one commit."""

    about: ExperimentCell
    base: ArmChoice
    head: ArmChoice


def plan_cells(config: Config, kind: CellKind, chosen: Sequence[str], seed: int) -> list[Cell]:
    """All cells in the order of their measurement.

    chosen: scenarios whose features vary, ablations, or chains; none: all that have a table in nalm.toml.
    Raises ConfigError.
    """
    match kind:
        case Kind.FEATURES:
            cells = [
                cell for name in _chosen_features(config, chosen) for cell in _features(config, name, seed)
            ]
        case Kind.ABLATION:
            names = _chosen("[ablation]", config.ablation, chosen)
            cells = _shuffled([cell for name in names for cell in _ablation(config, name)], seed)
        case Kind.MODELS:
            names = _chosen("[experiments.models]", config.experiments.models, chosen)
            cells = _shuffled([cell for name in names for cell in _models(config, name)], seed)
    all_names = [cell.about.name for cell in cells]
    return [replace(cell, about=cell.about.model_copy(update={"cells": all_names})) for cell in cells]


def _chosen(table: str, known: Collection[str], chosen: Sequence[str]) -> list[str]:
    if strange := [name for name in chosen if name not in known]:
        raise ConfigError(
            f"{FILE_NAME} has no {', '.join(strange)} in {table}; there are: {', '.join(known) or 'none'}",
            hint="docs/experiments.md describes the tables",
        )
    if not known:
        raise ConfigError(
            f"{FILE_NAME} has no {table}: there is nothing to compare",
            hint="docs/experiments.md describes the tables",
        )
    return list(chosen or known)


def _chosen_features(config: Config, chosen: Sequence[str]) -> list[str]:
    """Scenarios to vary. A named scenario needs no table: each of its features is then turned off in turn."""
    for name in chosen:
        config.scenario(name)
    return list(chosen) or _chosen("[experiments.features]", config.experiments.features, ())


def _features(config: Config, scenario: str, seed: int) -> Iterator[Cell]:
    reference = config.scenario(scenario).features
    space = config.experiments.features.get(scenario, FeaturesConfig()).space(reference)
    try:
        rows = feature_design(space, seed)
    except DesignError as error:
        raise ConfigError(
            f"scenario {scenario}: {error}",
            hint=f"correct [experiments.features.{scenario}]; docs/experiments.md describes it",
        ) from error
    for number, row in enumerate(rows, start=1):
        yield Cell(
            _about(
                kind=Kind.FEATURES,
                name=_feature_name(scenario, space, row, number),
                use=row.use,
                subject=scenario,
                base_variant=scenario,
                head_variant=scenario,
                terms=space.terms(),
            ),
            ArmChoice(scenario),
            ArmChoice(scenario, row.features),
        )


def _feature_name(scenario: str, space: FeatureSpace, row: Row, number: int) -> str:
    turned = [f"{'-' if name in space.reference else '+'}{name}" for name in space.order]
    moved = {*row.features} ^ {*space.reference}
    said = "".join(sign for name, sign in zip(space.order, turned, strict=True) if name in moved)
    full = f"{scenario}:{said or f'reference-{number}'}"
    return full if len(full) <= LONGEST_NAME else f"{scenario[:40]}:set-{number}"


def _ablation(config: Config, name: str) -> Iterator[Cell]:
    table = config.ablation[name]
    for pair in table.pairs:
        yield _variants(
            pair.off,
            pair.on,
            kind=Kind.ABLATION,
            name=_short(f"{name}:{pair.off}"),
            subject=name,
            base_variant=pair.off,
            head_variant=pair.on,
            tuning=table.tuning,
        )


def _models(config: Config, chain: str) -> Iterator[Cell]:
    (first, reference), *others = config.experiments.models[chain].items()
    for model, scenario in others:
        yield _variants(
            reference,
            scenario,
            kind=Kind.MODELS,
            name=_short(f"{chain}:{model}"),
            subject=chain,
            base_variant=first,
            head_variant=model,
        )


def _variants(base: str, head: str, **fields: Any) -> Cell:
    return Cell(_about(use=Use.VARIANT, **fields), ArmChoice(base), ArmChoice(head))


def _about(**fields: Any) -> ExperimentCell:
    return ExperimentCell(cells=[], **fields)


def _short(name: str) -> str:
    if len(name) > LONGEST_NAME:
        raise ConfigError(
            f"the cell's name {name!r} has more than {LONGEST_NAME} characters",
            hint="shorten the names of tables and scenarios",
        )
    return name


def _shuffled(cells: list[Cell], seed: int) -> list[Cell]:
    Random(seed).shuffle(cells)
    return cells
