# SPDX-License-Identifier: Apache-2.0
"""What a scenario needs, what a host has, and whether they match. Pure."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from nalm_server.base.schemas import Flag, Schema

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
Count = Annotated[int, Field(ge=0, le=2**31 - 1, strict=True)]


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

    def text(self) -> str:
        """Canonical text without unneeded fields; short enough for its column."""
        return " ".join(
            f"{name}={int(value)}" for name in sorted(Needs.model_fields) if (value := getattr(self, name))
        )

    @staticmethod
    def parse(text: str) -> Needs:
        """Reads what `text` wrote."""
        pairs = (part.split("=") for part in text.split())
        return Needs(**{name: bool(int(value)) if name in FLAGS else int(value) for name, value in pairs})


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


def missing(needs: Needs, has: Capabilities | None) -> list[str]:
    """What the host lacks, in words; empty if it has all, or has not reported what it has."""
    if has is None:
        return []
    lacks = [
        f"{getattr(needs, name)} {unit} (it has {getattr(has, name)})"
        for name, unit in UNITS.items()
        if getattr(needs, name) > getattr(has, name)
    ]
    return lacks + [text for name, text in FLAGS.items() if getattr(needs, name) > getattr(has, name)]
