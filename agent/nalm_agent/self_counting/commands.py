# SPDX-License-Identifier: Apache-2.0
"""Commands that show the own figures of an NF without a probe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from nalm_agent.config.nalm_toml import RunConfig
from nalm_agent.self_counting.formats import OWN_FIGURES
from nalm_agent.self_counting.reported import OwnFigures


@dataclass(frozen=True)
class CounterCommands:
    """The commands, and the format of their output."""

    clear: tuple[str, ...]
    show: tuple[str, ...]
    figures: OwnFigures

    def at(self, places: Mapping[str, str]) -> CounterCommands:
        """The commands with placeholders replaced."""
        return replace(self, clear=_at(self.clear, places), show=_at(self.show, places))


def counter_commands(run: RunConfig) -> CounterCommands | None:
    """The commands of nalm.toml; None if a probe counts."""
    if run.clear is None or run.show is None:
        return None
    return CounterCommands(tuple(run.clear), tuple(run.show), OWN_FIGURES[run.counts])


def _at(command: tuple[str, ...], places: Mapping[str, str]) -> tuple[str, ...]:
    for name, place in places.items():
        command = tuple(argument.replace(name, place) for argument in command)
    return command
