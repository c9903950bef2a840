# SPDX-License-Identifier: Apache-2.0
"""What a scenario needs, what a host has, and whether they match. Pure."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from nalm_server.base.schemas import NAME, Flag, Schema

UNITS = {
    "lcores": "lcores",
    "nics": "NICs",
    "hugepages_mb": "MiB in huge pages",
    "memory_mb": "MiB of memory",
}
FLAGS = {
    "pmu": "a PMU",
    "loads": "an agent that measures experiments under load",
    "flows": "an agent that measures experiments on flows",
    "rates": "an agent that measures rates and soaks",
    "parameters": "an agent that takes parameters of experiments, and measures those on roles",
}
GENERATORS = "generators"
Count = Annotated[int, Field(ge=0, le=2**31 - 1, strict=True)]
GeneratorName = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=NAME)]


class Needs(Schema):
    """0 and false: not needed."""

    lcores: Count = 0
    pmu: Flag = False
    nics: Count = 0
    hugepages_mb: Count = 0
    memory_mb: Count = 0
    loads: Flag = False
    """An agent that measures experiments under load: core counts and queues."""
    flows: Flag = False
    """An agent that measures experiments on flows."""
    rates: Flag = False
    """An agent that measures rates and soaks."""
    parameters: Flag = False
    """An agent that takes the parameters of an experiment, and measures experiments on roles."""
    generators: Annotated[list[GeneratorName], Field(max_length=1)] | None = None
    """The generator outside of the NF, by its name in nalm.toml; null: none."""

    def text(self) -> str:
        """Canonical text without unneeded fields; short enough for its column."""
        return " ".join(
            f"{name}={','.join(value) if name == GENERATORS else int(value)}"
            for name in sorted(Needs.model_fields)
            if (value := getattr(self, name))
        )

    @staticmethod
    def parse(text: str) -> Needs:
        """Reads what `text` wrote."""
        return Needs.model_validate(dict(_value(*part.split("=")) for part in text.split()))


def _value(name: str, text: str) -> tuple[str, bool | int | list[str]]:
    if name == GENERATORS:
        return name, text.split(",")
    return name, bool(int(text)) if name in FLAGS else int(text)


class Capabilities(Needs):
    """What a host has for measuring, in the fields of Needs."""

    experiments: Flag = False
    """The agent can measure cells of experiments."""
    configurations: Flag = False
    """The agent measures commits by a project's configuration on the server."""
    isolated: Flag = False
    """Builds are isolated (bubblewrap)."""
    isolated_cpus: Count = 0
    """Number of CPUs isolated from the kernel's scheduler."""
    cpu_model: Annotated[str, Field(max_length=200)] | None = None
    generators: Annotated[list[GeneratorName], Field(max_length=100)] | None = None
    """The generators that the host reaches; null: it does not say, and may take any job."""


def missing(needs: Needs, has: Capabilities | None) -> list[str]:
    """What the host lacks, in words; empty if it has all, or has not reported what it has."""
    if has is None:
        return []
    lacks = [
        f"{getattr(needs, name)} {unit} (it has {getattr(has, name)})"
        for name, unit in UNITS.items()
        if getattr(needs, name) > getattr(has, name)
    ]
    lacks += [text for name, text in FLAGS.items() if getattr(needs, name) > getattr(has, name)]
    if has.generators is None:
        return lacks
    reaches = f"it reaches {', '.join(has.generators) or 'none'}"
    return lacks + [
        f"generator {name} ({reaches})" for name in needs.generators or [] if name not in has.generators
    ]
