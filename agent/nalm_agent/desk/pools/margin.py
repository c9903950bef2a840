# SPDX-License-Identifier: Apache-2.0
"""The margin of `--margin`; apart, since every `nalm check` reads it, and pools load NumPy."""

from __future__ import annotations

from nalm_core.pooling.constants import MIN_MARGIN

from nalm_agent.runtime.errors import UsageError


def margin_of_percent(percent: float | None) -> float | None:
    """The option's value as a share. Raises UsageError for one below MIN_MARGIN, or of 100 and more."""
    if percent is None:
        return None
    margin = percent / 100
    if not MIN_MARGIN <= margin < 1:
        raise UsageError(
            f"--margin {percent:g} is {percent:g} %; expected {100 * MIN_MARGIN:g} or more, below 100",
            hint="--margin is in per cent: 0.2 is 0.2 %; judge.margin in nalm.toml is a share: 0.002",
        )
    return margin
