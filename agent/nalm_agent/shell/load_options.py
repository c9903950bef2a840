# SPDX-License-Identifier: Apache-2.0
"""Options of an open loop: loads in per cent, gaps, bursts, new flows and ramps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from nalm_agent.config.generator_limits import MOST_BURST, MOST_CV, MOST_NEW_FLOWS
from nalm_agent.runtime.errors import UsageError

if TYPE_CHECKING:
    from nalm_core.report.offered_load import LoadShape, Ramp

ArrivalsOption = Annotated[
    str | None,
    typer.Option(
        metavar="PROCESS",
        help="Gaps between packets in the open loop: cbr, poisson, geometric or nbinom:CV. "
        "Default: those of the scenario's load, else of the NF's configuration.",
    ),
]
BurstOption = Annotated[
    int | None,
    typer.Option(
        min=2,
        max=MOST_BURST,
        help="Packets that are due at the same time in the open loop. "
        "Default: that of the scenario's load, else of the NF's configuration.",
    ),
]
NewFlowsOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MOST_NEW_FLOWS,
        help="Flows per second that end and whose place a new one takes, in the open loop. "
        "Default: that of the scenario's load, else of the NF's configuration.",
    ),
]
RampOption = Annotated[
    str | None,
    typer.Option(
        metavar="MS[:LEAST]",
        help="Let the open loop's rate rise from LEAST (0) times its mean to 2 - LEAST times, over MS "
        "milliseconds, again and again.",
    ),
]


def load_shape(
    arrivals: str | None, burst: int | None, new_flows: int | None, ramp: str | None, trial_s: float
) -> LoadShape:
    """The shape of trials of trial_s seconds. Raises UsageError."""
    from nalm_core.report.offered_load import LoadShape

    return LoadShape(
        arrivals=None if arrivals is None else usable_arrivals(arrivals),
        burst=burst,
        new_flows=new_flows,
        ramp=None if ramp is None else _ramp(ramp, trial_s),
    )


def _ramp(text: str, trial_s: float) -> Ramp:
    from nalm_core.report.offered_load import Ramp
    from pydantic import ValidationError

    ms, _, least = text.partition(":")
    try:
        found = Ramp(ms=float(ms), least=float(least or 0))
    except (ValueError, ValidationError) as error:
        raise UsageError(
            f"--ramp {text!r} is not MS or MS:LEAST with MS above 0 and LEAST from 0 to 1",
            hint="example: --ramp 10:0.2",
        ) from error
    require_whole_ramps(found, trial_s)
    return found


def require_whole_ramps(ramp: Ramp | None, trial_s: float) -> None:
    """Raises UsageError for trials of which the mean rate is not that of the load."""
    if ramp is not None and not ramp.divides(trial_s * 1000):
        raise UsageError(
            f"a trial of {trial_s:g} s has no whole number of ramps of {ramp.ms:g} ms, so its mean rate "
            "would be another",
            hint="choose a --ramp that divides --duration; without one it is that of the scenario's load",
        )


def usable_arrivals(text: str) -> str:
    """The gaps, if generators have them. Raises UsageError."""
    from nalm_core.models.quantity import ModelInputError
    from nalm_core.models.queue.gaps import parse_arrivals

    try:
        _, cv = parse_arrivals(text)
    except ModelInputError as error:
        raise UsageError(str(error), hint="example: --arrivals nbinom:2") from error
    if cv is not None and cv > MOST_CV:
        raise UsageError(f"--arrivals {text}: generators have a CV up to {MOST_CV:g}")
    return text


def percentages(text: str) -> list[float]:
    """`10,50` as 0.1 and 0.5. Raises UsageError."""
    try:
        shares = [float(part) / 100 for part in text.split(",")]
    except ValueError:
        shares = []
    if not shares or not all(0 < share <= 1 for share in shares):
        raise UsageError(
            f"--shares {text!r} is not a list of percentages above 0 and up to 100",
            hint="example: --shares 10,50,90",
        )
    return shares
