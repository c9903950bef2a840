# SPDX-License-Identifier: Apache-2.0
"""nalm.toml's [experiments] and [ablation]: what can be compared within one commit."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Annotated

from nalm_core.experiments.design import DesignError, FeatureSpace
from nalm_core.report.cell import Tuning
from nalm_core.report.run_report import Name
from pydantic import BaseModel, ConfigDict, Field

Mistake = tuple[list[str], str]
"""Path in nalm.toml, and what is wrong there."""


class Described(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class FeaturesConfig(Described):
    """Of one scenario: which features may be on, and which of them cost something together."""

    order: list[Name] = []
    """All features that can be on, in the order of the chain; none: those of the scenario."""
    always: list[Name] = []
    """Never turned off."""
    interactions: list[Annotated[list[Name], Field(min_length=2, max_length=2)]] = []
    """Pairs that cost more or less together than each for itself."""

    def space(self, reference: Sequence[str]) -> FeatureSpace:
        """reference: the scenario's own features."""
        return FeatureSpace(
            tuple(self.order or reference),
            tuple(reference),
            tuple(self.always),
            tuple((one, other) for one, other in self.interactions),
        )


class VariantPair(Described):
    """Two scenarios that differ by the variant."""

    off: Name
    on: Name


class AblationConfig(Described):
    tuning: Tuning | None = None
    """What it tunes: f_t, f_a, f_s or f_i."""
    pairs: Annotated[list[VariantPair], Field(min_length=1)]
    """The first is the chain it was made for; the others show how far it reaches."""


class ExperimentsConfig(Described):
    features: dict[Name, FeaturesConfig] = {}
    """By scenario."""
    models: dict[Name, Annotated[dict[Name, Name], Field(min_length=2)]] = {}
    """By chain: scenarios by their execution model. The others are compared with the first."""


def mistakes(
    features_of: Mapping[str, Sequence[str]],
    experiments: ExperimentsConfig,
    ablation: Mapping[str, AblationConfig],
) -> Iterator[Mistake]:
    """What the tables alone cannot say. features_of: the features of each scenario."""
    for name, table in experiments.features.items():
        path = ["experiments", "features", name]
        if name not in features_of:
            yield _no_scenario(path, name, features_of)
            continue
        try:
            table.space(features_of[name]).require_sound()
        except DesignError as error:
            yield path, str(error)
    for chain, models in experiments.models.items():
        for model, scenario in models.items():
            if scenario not in features_of:
                yield _no_scenario(["experiments", "models", chain, model], scenario, features_of)
    for name, one in ablation.items():
        for scenario in (named for pair in one.pairs for named in (pair.off, pair.on)):
            if scenario not in features_of:
                yield _no_scenario(["ablation", name, "pairs"], scenario, features_of)


def _no_scenario(path: list[str], name: str, known: Collection[str]) -> Mistake:
    return path, f"there is no scenario {name!r}; expected one of {', '.join(known)}"
