# SPDX-License-Identifier: Apache-2.0
"""How a process of an NF is started, whoever measures it: rounds, trials of a load, or callgrind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace


def _unheard(line: str) -> None:
    """Nobody is told."""


@dataclass(frozen=True)
class NfStart:
    """The command of a process, and what it is given."""

    command: Sequence[str]
    """`{run_dir}` in it becomes the process's own directory, which is its working directory."""
    ready_seconds: float
    """Time limit for it to become ready."""
    lcores: int = 1
    pin: Sequence[int] = ()
    """CPUs to bind the process to; empty for one that binds itself."""
    urgent: bool = False
    """It takes precedence over all programs on its CPUs; not for CPUs that the agent needs."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Its variables, in addition to those that every NF gets; `{run_dir}` as in the command."""
    setup: Sequence[str] = ()
    """The command that sets the NF up once it runs; empty: it needs none."""
    say: Callable[[str], None] = field(default=_unheard, compare=False)
    """Receives a report about a long wait."""

    def given(self, variables: Mapping[str, str]) -> NfStart:
        """The same with further variables, or other values of its own."""
        return replace(self, environment={**self.environment, **variables})
