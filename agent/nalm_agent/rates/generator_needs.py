# SPDX-License-Identifier: Apache-2.0
"""Whether a generator outside of the NF can do what a command or a job needs, before anything is built."""

from __future__ import annotations

from dataclasses import dataclass

from nalm_agent.generators.outside import OutsideGenerator
from nalm_agent.runtime.errors import UsageError


@dataclass(frozen=True)
class Need:
    by: str
    """What needs it: an option, a key of nalm.toml, or a kind of measurement."""
    instead: str
    """What to do without another generator."""


INSIDE_INSTEAD = "leave out --generator: the one inside the NF keeps any rate"


def require_able(
    generator: OutsideGenerator | None,
    *,
    rate: Need | None = None,
    latency: Need | None = None,
    error: type[UsageError] = UsageError,
) -> None:
    """Raises `error` if a generator outside keeps no rate, or measures no latency, and something needs it."""
    if generator is None:
        return
    limits, name = generator.limits, f"generator {generator.name} ({generator.config.kind})"
    if rate is not None and not limits.paced:
        raise error(
            f"{name} sends at its greatest rate only, and {rate.by} needs other rates",
            hint=f"{rate.instead}, or name a generator of kind trex or pktgen (docs/generators.md)",
        )
    if latency is not None and not limits.latency:
        raise error(
            f"{name} measures no latency, which {latency.by} needs",
            hint=f"{latency.instead}, or name a generator of kind trex with latency_pps (docs/generators.md)",
        )
