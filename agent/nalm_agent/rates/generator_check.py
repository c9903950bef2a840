# SPDX-License-Identifier: Apache-2.0
"""The check of a generator: a table of rates, offered to a running NF."""

from __future__ import annotations

from collections.abc import Sequence

from nalm_core.rates.defaults import HONEST_LIMIT
from nalm_core.rates.generator_check import (
    TOLERANCE_PACKETS,
    CheckedGenerator,
    OfferedRate,
    OfferOutcome,
    check_offered,
    offered_rate,
)
from nalm_core.rates.rate_report import Phase
from nalm_core.report.run_report import Check
from nalm_core.text.percents import share_percent

from nalm_agent.report.progress import Progress
from nalm_agent.runtime.errors import GeneratorError
from nalm_agent.trials.trial_nf import Ask, NfRun, TrialNf

SHARES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9)
"""Of the rate at full load."""
TRUST_SHARES = (0.05, 0.5)
"""The same, for the check before a measurement."""
LEAST_S, MOST_S = 0.25, 5.0
"""Time at a rate: as long as its tolerance needs."""
TRIES = 3
"""At a rate that other programs disturbed."""


def check_generator(run: NfRun, progress: Progress, shares: Sequence[float] = SHARES) -> CheckedGenerator:
    """Full load, then rates that are shares of it. Raises NfError."""
    with TrialNf(run, launch=0) as nf:
        nf.trial(Ask(Phase.MRR, LEAST_S))  # caches and tables warm up
        rates = [offered_rate(nf.trial(Ask(Phase.MRR, LEAST_S)), nf.info)]
        greatest, paced = rates[0].sent_pps, nf.limits.paced
        for number, share in enumerate(shares if greatest and paced else ()):
            pps = max(1, round(greatest * share))
            progress.step("check", f"{share_percent(share, 0)}, {pps} pps", number / len(shares))
            rates.append(_offered(nf, pps))
        nf.finish()
    return check_offered(rates, paced=paced)


def require_trust(run: NfRun, progress: Progress) -> list[Check]:
    """Checks a generator outside before it is used. Raises GeneratorError if it is not trusted, NfError."""
    if run.generator is None:
        return []
    name, found = run.generator.described.name, check_generator(run, progress, TRUST_SHARES)
    if found.trusted_pps is None:
        raise GeneratorError(
            f"generator {name} is not trusted: {found.reason}",
            hint=f"`nalm doctor --generator {name}` shows what it offers",
        )
    shares = [one.sent / one.due for one in found.rates if one.outcome is OfferOutcome.OFFERED and one.pps]
    off = max((abs(1 - share) for share in shares), default=0.0)
    said = f"generator {name} offers what it is asked for, up to {found.trusted_pps:.0f} packets/s"
    return [Check(name="generator_checked", passed=True, value=off, limit=HONEST_LIMIT, message=said)]


def _offered(nf: TrialNf, pps: int) -> OfferedRate:
    seconds = min(MOST_S, max(LEAST_S, TOLERANCE_PACKETS / pps))
    for _ in range(TRIES):
        found = offered_rate(nf.trial(Ask(Phase.SEARCH, seconds, pps)), nf.info)
        if found.outcome is not OfferOutcome.DISTURBED:
            break
    return found
