# SPDX-License-Identifier: Apache-2.0
"""nalm.toml's margins: from the general one to that of a metric, scenario, stage and branch.

Of the rules that apply, the one that names a branch comes before one that names a stage, then scenario, then
metric; of equal ones the last.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Annotated

from nalm_core.report.catalogue import FUNCTION_IPP, GROWTH, NEVER_JUDGED, SHIPPED, UNDER_LOAD
from nalm_core.report.defaults import SHIPPED_MARGIN
from pydantic import BaseModel, ConfigDict, Field, model_validator

from nalm_agent.config.lines import line_of

CPP = "cpp"
OF_PACKETS = (CPP, "ipp", FUNCTION_IPP)
"""Metrics of packets that can have a margin, of the chain and of each stage."""
JUDGED_LATENCY = "latency_p99_9_ns"
"""The rarest packets that are judged."""
Pattern = Annotated[str, Field(min_length=1, max_length=128)]
_HEADER = re.compile(r"^\s*\[\[\s*thresholds\s*\]\]", re.MULTILINE)


class ThresholdConfig(BaseModel):
    """One rule: a margin, and what it is for. Names of scenarios and branches may be shell patterns."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    margin: Annotated[float, Field(gt=0)]
    """Relative change that matters; of a metric of GROWTH in its unit over a soak."""
    metric: str | None = None
    """None: CPP and all metrics of nalm.toml."""
    scenario: Pattern | None = None
    stage: str | None = None
    """A stage of the scenario; None: the chain."""
    branch: Pattern | None = None

    @model_validator(mode="after")
    def _is_special(self) -> ThresholdConfig:
        if not any((self.metric, self.scenario, self.stage, self.branch)):
            raise ValueError(
                "it names no metric, scenario, stage or branch; the general margin is judge.margin"
            )
        if self.margin >= 1 and self.metric not in GROWTH:
            raise ValueError(
                f"margin {self.margin:g} is no relative change: expected less than 1; "
                f"{' and '.join(GROWTH)} have one in bytes and buffers"
            )
        if self.stage is not None and self.scenario is None:
            raise ValueError(f"stage {self.stage!r} needs the scenario to which it belongs")
        if self.stage is not None and self.metric not in (None, *OF_PACKETS):
            raise ValueError(
                f"{self.metric} is of the whole NF; a stage has margins of {', '.join(OF_PACKETS)}"
            )
        return self

    @property
    def order(self) -> tuple[bool, bool, bool, bool]:
        """The largest of two rules counts."""
        return (
            self.branch is not None,
            self.stage is not None,
            self.scenario is not None,
            self.metric is not None,
        )

    def applies(self, scenario: str, branch: str | None) -> bool:
        """Whether it is for this scenario of a commit of this branch; None: of no known branch."""
        if self.scenario is not None and not fnmatchcase(scenario, self.scenario):
            return False
        return self.branch is None or (branch is not None and fnmatchcase(branch, self.branch))

    def fits(self, metric: str) -> bool:
        """Whether it is for this metric. A metric that is only shown must be named."""
        return (
            metric == self.metric
            if self.metric is not None
            else metric not in (*SHIPPED, *UNDER_LOAD, "ipp", FUNCTION_IPP)
        )


@dataclass(frozen=True)
class Effective:
    """A margin that is in force."""

    metric: str
    stage: str | None
    """None: the chain, or the whole NF."""
    margin: float
    rule: int | None
    """Place of its rule in `thresholds`; None: a general margin."""

    @property
    def judged(self) -> bool:
        """False for a shipped metric without a rule: it is only shown."""
        return self.metric not in SHIPPED or self.rule is not None


def effective(
    rules: Sequence[ThresholdConfig],
    defined: Collection[str],
    general: float,
    scenario: str,
    branch: str | None,
) -> list[Effective]:
    """All margins of a scenario: of CPP, of each metric, and of what only rules name. defined: metrics of
    nalm.toml; general: judge.margin."""
    numbered = [(place, rule) for place, rule in enumerate(rules) if rule.applies(scenario, branch)]
    stages = dict.fromkeys(rule.stage for _, rule in numbered if rule.stage is not None)
    kinds: list[tuple[str, str | None, float | None]] = [
        (CPP, None, general),
        *((CPP, stage, None) for stage in stages),
        *((metric, stage, None) for metric in ("ipp", FUNCTION_IPP) for stage in (None, *stages)),
        *((name, None, general) for name in defined),
        *((name, None, SHIPPED_MARGIN) for name in SHIPPED),
        *((name, None, None) for name in UNDER_LOAD),
    ]
    found = []
    for metric, stage, otherwise in kinds:
        fitting = [
            (rule.order, place, rule)
            for place, rule in numbered
            if rule.fits(metric) and rule.stage in (None, stage)
        ]
        # a stage is judged only if a rule names it
        if fitting and (stage is None or any(rule.stage == stage for _, _, rule in fitting)):
            _, place, rule = max(fitting, key=lambda one: one[:2])
            found.append(Effective(metric, stage, rule.margin, place))
        elif otherwise is not None:
            found.append(Effective(metric, stage, otherwise, None))
    return found


def given_margins(found: Sequence[Effective]) -> dict[str, float]:
    """Those that rules give, by metric, of the chain and the whole NF."""
    return {one.metric: one.margin for one in found if one.stage is None and one.rule is not None}


def threshold_mistakes(
    rules: Sequence[ThresholdConfig], scenarios: Collection[str], metrics: Collection[str]
) -> Iterator[tuple[int, str]]:
    """Rules that name what does not exist, each with its place. metrics: those of nalm.toml."""
    of_load = [one for one in UNDER_LOAD if one not in NEVER_JUDGED]
    known = (*OF_PACKETS, *metrics, *SHIPPED, *of_load)
    for place, rule in enumerate(rules):
        if rule.metric in NEVER_JUDGED:
            yield (
                place,
                f"{rule.metric} belongs to single packets: it is shown and never judged, so a margin has no "
                f"effect; give one to {JUDGED_LATENCY}, or remove the rule",
            )
        elif rule.metric is not None and rule.metric not in known:
            yield (
                place,
                f"there is no metric {rule.metric!r} with a margin; expected one of {', '.join(known)}",
            )
        if rule.scenario is not None and not any(fnmatchcase(name, rule.scenario) for name in scenarios):
            yield place, f"there is no scenario {rule.scenario!r}; expected one of {', '.join(scenarios)}"


def unknown_stages(
    rules: Sequence[ThresholdConfig], margins: Sequence[Effective], stages: Collection[str]
) -> list[str]:
    """Mistakes of rules in force whose stage a scenario lacks. stages: those of the running NF."""
    return [
        f"thresholds[{one.rule}]: scenario {rules[one.rule].scenario!r} has no stage {one.stage!r}; "
        f"its stages are {', '.join(stages)}"
        for one in margins
        if one.rule is not None and one.stage is not None and one.stage not in stages
    ]


def threshold_line(text: str, place: int) -> int:
    """Line (from 1) of one rule."""
    found = threshold_lines(text, len(_HEADER.findall(text)))
    return found[place] if place < len(found) else line_of(text, ["thresholds"])


def threshold_lines(text: str, count: int) -> list[int]:
    """Line (from 1) of each rule in TOML text: its table, or the array that has it."""
    found = [number for number, line in enumerate(text.splitlines(), start=1) if _HEADER.match(line)]
    return found if len(found) == count else [line_of(text, ["thresholds"])] * count


def as_rule(rule: ThresholdConfig) -> str:
    """What a rule is for: `scenario sfc_a, branch release/*`."""
    named: Mapping[str, str | None] = {
        "metric": rule.metric,
        "scenario": rule.scenario,
        "stage": rule.stage,
        "branch": rule.branch,
    }
    return ", ".join(f"{name} {value}" for name, value in named.items() if value is not None)
