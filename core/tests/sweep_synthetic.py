# SPDX-License-Identifier: Apache-2.0
"""Sweeps made from known truth."""

from __future__ import annotations

from nalm_core.rates.rate_report import Ended, Phase, RateReport, Search, Trial
from rate_synthetic import TSC_HZ, Truth, latency_of, rate_report, trial

NDR = 4_000_000
SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
SEARCH = Search(
    goal="ndr",
    loss_ratio=0,
    least_pps=1e4,
    greatest_pps=5e6,
    lower_pps=NDR,
    upper_pps=4.1e6,
    throughput_pps=NDR,
    ended=Ended.FOUND,
)


def at(share: float, launch: int, poll: float, invalid: str | None = None) -> Trial:
    """poll cycles for each poll and 100 for each packet; launches differ by a per cent."""
    pps = round(NDR * share)
    batch = max(1.0, poll / (TSC_HZ / pps - 100)) if TSC_HZ / pps > 100 else 32.0
    cpp = (poll / batch + 100) * (1 + 0.01 * launch)
    cur = min(1.0, pps * cpp / TSC_HZ)
    truth = Truth(
        intended_pps=pps,
        sent=pps,
        cycles_per_packet=cpp,
        cur=cur,
        share=share,
        phase=Phase.SWEEP,
        launch=launch,
        shared_core=False,
        together=batch,
        latency=latency_of(1000 * batch),
    )
    return trial(truth, invalid)


def report(poll: float = 900, **settings: object) -> RateReport:
    trials = [at(share, launch, poll) for launch in range(3) for share in SHARES]
    return rate_report(trials, [SEARCH], mode="sweep", **settings)
