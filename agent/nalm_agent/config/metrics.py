# SPDX-License-Identifier: Apache-2.0
"""nalm.toml's own metrics: what else matters, and where its number comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from nalm_core.report.catalogue import METRICS
from nalm_core.report.own_metrics import Every, MetricSource, Unit
from pydantic import BaseModel, ConfigDict, Field, model_validator

from nalm_agent.config.placeholders import check_placeholders

OUTPUT = "{output}"
"""In place of a file: what the NF printed."""
METRIC_PLACEHOLDERS = frozenset({"source", "build", "run_dir", "pid"})
BUILD_METRIC_PLACEHOLDERS = frozenset({"source", "build"})
FILE_PLACEHOLDERS = frozenset({"run_dir", "output"})


class MetricConfig(BaseModel):
    """One metric. It has exactly one source."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    unit: Unit
    better: Literal["lower", "higher"]
    every: Every = "launch"
    """How often it is read: once for a build, or at the end of every launch beside the NF."""
    command: Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)] | None = None
    """Prints the number in its last line, or a JSON document that has it under `key`."""
    telemetry: Annotated[str, Field(pattern=r"^/[!-~]+$")] | None = None
    """A command of rte_telemetry, which the NF answers."""
    file: Annotated[str, Field(min_length=1)] | None = None
    """A JSON document that the NF writes, or OUTPUT."""
    key: Annotated[str, Field(min_length=1)] | None = None
    """The path to the number in a JSON document, with dots between keys and places."""

    @model_validator(mode="after")
    def _one_source(self) -> MetricConfig:
        given = [name for name in ("command", "telemetry", "file") if getattr(self, name) is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none of them"
            raise ValueError(f"a metric has one source: command, telemetry or file; found {found}")
        if self.command is None and self.every == "build":
            raise ValueError(f'{given[0]} needs a running NF; every = "build" has a command')
        if self.command is None and self.key is None:
            raise ValueError(f"{given[0]} needs the key of the number")
        return self

    @model_validator(mode="after")
    def _placeholders(self) -> MetricConfig:
        known = BUILD_METRIC_PLACEHOLDERS if self.every == "build" else METRIC_PLACEHOLDERS
        check_placeholders(self.command or [], known)
        check_placeholders([] if self.file is None else [self.file], FILE_PLACEHOLDERS)
        return self

    @property
    def source(self) -> MetricSource:
        if self.command is not None:
            return "command"
        return "telemetry" if self.telemetry is not None else "file"


def name_mistakes(metrics: Mapping[str, MetricConfig]) -> Iterator[tuple[list[str], str]]:
    """Names that nalm's own metrics have, each with its path."""
    for name in metrics:
        if name in METRICS:
            yield (
                ["metrics", name],
                f"nalm measures {name} itself; choose another name, or give it a margin with [[thresholds]]",
            )
