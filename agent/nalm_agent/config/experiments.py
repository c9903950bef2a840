# SPDX-License-Identifier: Apache-2.0
"""nalm.toml's [experiments] and [ablation]: comparisons within one commit."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Annotated

from nalm_core.experiments.design import DesignError, FeatureSpace
from nalm_core.report.cell import Tuning
from nalm_core.report.run_report import Name, PathName
from pydantic import BaseModel, ConfigDict, Field, field_validator

Mistake = tuple[list[str], str]
"""A path in nalm.toml, and the mistake there."""


class Described(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class FeaturesConfig(Described):
    """Features of one scenario: which may be on, and which pairs interact."""

    order: list[Name] = []
    """All features that can be on, in the order of the chain; empty: those of the scenario."""
    always: list[Name] = []
    """Features that are never turned off."""
    interactions: list[Annotated[list[Name], Field(min_length=2, max_length=2)]] = []
    """Pairs whose cost differs from the sum of the features' costs."""

    def space(self, reference: Sequence[str]) -> FeatureSpace:
        """reference: the scenario's own features."""
        return FeatureSpace(
            tuple(self.order or reference),
            tuple(reference),
            tuple(self.always),
            tuple((one, other) for one, other in self.interactions),
        )


class VariantPair(Described):
    """Two scenarios that differ only in the variant."""

    off: Name
    on: Name


class AblationConfig(Described):
    tuning: Tuning | None = None
    """The parameter that it tunes: f_t, f_a, f_s or f_i."""
    pairs: Annotated[list[VariantPair], Field(min_length=1)]
    """The first pair is the chain that the variant was made for; the others show its effect elsewhere."""


class ParallelOverhead(Described):
    """Two scenarios of a chain on one lcore, which differ by the overhead of running in parallel (f_s)."""

    plain: Name
    parallel: Name


class CoresConfig(Described):
    """One chain on several numbers of lcores."""

    lcores: Annotated[dict[Annotated[int, Field(ge=1, le=64)], Name], Field(min_length=1)]
    """Scenarios by the NF's lcores; the generator has a further one."""
    f_s: ParallelOverhead | None = None


VALUE = "{value}"


class Axis(Described):
    """A setting of the NF that a grid varies."""

    arguments: Annotated[list[str], Field(min_length=1)]
    """Appended to the command, with VALUE replaced."""
    values: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)]

    @field_validator("arguments")
    @classmethod
    def _has_value(cls, arguments: list[str]) -> list[str]:
        if not any(VALUE in argument for argument in arguments):
            raise ValueError(f"expected {VALUE} in one of the arguments")
        return arguments


class QueueConfig(Described):
    """A grid of batches, rings and frames."""

    scenario: Name
    """The generator has an lcore of its own."""
    batch: Axis
    """Most packets that the NF takes at once."""
    ring: Axis
    """Packets that wait before the NF."""
    frame: Axis | None = None
    """Bytes of a frame."""


class FlowsConfig(Described):
    """Designs whose first packets of flows are told from later ones."""

    scenarios: Annotated[dict[Name, Name], Field(min_length=1)]
    """By design. The others are compared with the first."""
    shares: Annotated[list[Annotated[float, Field(gt=0, le=1)]], Field(min_length=1)] | None = None
    """New flows per packet; None: nalm's."""


class RoleSplit(Described):
    """A scenario whose lcores are split between roles; the generator has a further one."""

    scenario: Name
    dispatch: Annotated[int, Field(ge=0, le=64)]
    """Lcores that receive, dispatch and send."""
    workers: Annotated[int, Field(ge=0, le=64)]
    databases: Annotated[int, Field(ge=0, le=64)] = 0


class RolesConfig(Described):
    """One chain whose lcores have roles."""

    run: Name
    """Scenario whose stages give the work of each role: the roles in turn on one lcore."""
    dispatch: list[str] = []
    """Stages of the role, shell patterns; with neither list: rx, dispatch and tx."""
    databases: list[str] = []
    """With neither list: the hand-overs. All other stages are the workers'."""
    splits: Annotated[list[RoleSplit], Field(min_length=1)]

    @property
    def stages(self) -> dict[str, list[str]]:
        """Patterns by role; empty: those of the model."""
        found = {"dispatch": self.dispatch, "databases": self.databases}
        return {role: patterns for role, patterns in found.items() if patterns}


class ExperimentsConfig(Described):
    features: dict[PathName, FeaturesConfig] = {}
    """By scenario."""
    cores: dict[PathName, CoresConfig] = {}
    """By chain."""
    queue: dict[PathName, QueueConfig] = {}
    flows: dict[PathName, FlowsConfig] = {}
    roles: dict[PathName, RolesConfig] = {}
    models: dict[PathName, Annotated[dict[Name, Name], Field(min_length=2)]] = {}
    """Scenarios by chain and execution model. The first of a chain is compared with the others."""


def mistakes(
    features_of: Mapping[str, Sequence[str]],
    experiments: ExperimentsConfig,
    ablation: Mapping[str, AblationConfig],
) -> Iterator[Mistake]:
    """Mistakes that span several tables. features_of: the features of each scenario."""
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
    for path, scenario in _named_scenarios(experiments):
        if scenario not in features_of:
            yield _no_scenario(path, scenario, features_of)
    for name, one in ablation.items():
        for scenario in (named for pair in one.pairs for named in (pair.off, pair.on)):
            if scenario not in features_of:
                yield _no_scenario(["ablation", name, "pairs"], scenario, features_of)


def _named_scenarios(experiments: ExperimentsConfig) -> Iterator[tuple[list[str], str]]:
    """Scenarios that tables of cores, queues, flows and roles name, each with its path."""
    for chain, cores in experiments.cores.items():
        path = ["experiments", "cores", chain]
        yield from (([*path, "lcores", str(count)], scenario) for count, scenario in cores.lcores.items())
        if cores.f_s is not None:
            yield [*path, "f_s", "plain"], cores.f_s.plain
            yield [*path, "f_s", "parallel"], cores.f_s.parallel
    for name, queue in experiments.queue.items():
        yield ["experiments", "queue", name, "scenario"], queue.scenario
    for name, flows in experiments.flows.items():
        path = ["experiments", "flows", name, "scenarios"]
        yield from (([*path, design], scenario) for design, scenario in flows.scenarios.items())
    for name, roles in experiments.roles.items():
        path = ["experiments", "roles", name]
        yield [*path, "run"], roles.run
        yield from (([*path, "splits"], split.scenario) for split in roles.splits)


def _no_scenario(path: list[str], name: str, known: Collection[str]) -> Mistake:
    return path, f"there is no scenario {name!r}; expected one of {', '.join(known)}"
