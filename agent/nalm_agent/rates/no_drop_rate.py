# SPDX-License-Identifier: Apache-2.0
"""NDR by a short search, for measurements at a share of it."""

from __future__ import annotations

from dataclasses import dataclass

from nalm_core.rates import defaults
from nalm_core.rates.presets import SHORT_WIDTH, Mode
from nalm_core.rates.rate_report import Ended, RateSettings, Search

from nalm_agent.rates.rate import RateReportBuilder, full_load, search_rates
from nalm_agent.report.progress import Progress
from nalm_agent.runtime.errors import NalmError
from nalm_agent.trials.trial_nf import NfRun, TrialNf


@dataclass(frozen=True)
class NoDropRate:
    """The greatest load that met the goal, and its search."""

    greatest_pps: float
    search: Search

    def pps(self, share: float) -> int:
        """A share of it."""
        return max(1, round(self.greatest_pps * share))


def search_settings(
    trial_s: float, width: float = SHORT_WIDTH, search_s: float = defaults.SEARCH_S
) -> RateSettings:
    """Settings of a short search: a load that is a share of NDR need not be exact.

    search_s: its time limit.
    """
    return RateSettings(
        mode=Mode.NDR,
        trial_s=trial_s,
        mrr_launches=1,
        mrr_trials=2,
        width=width,
        trials_per_load=2,
        search_s=search_s,
    )


def no_drop_rate(run: NfRun, builder: RateReportBuilder, progress: Progress) -> NoDropRate:
    """Raises NfError, and NalmError if the search finds no NDR."""
    greatest = full_load(run, builder, progress)
    with TrialNf(run, launch=builder.settings.mrr_launches) as nf:
        (ndr,) = search_rates(nf, greatest, builder, progress)
        nf.finish()
    if ndr.lower_pps is None:
        raise NalmError(f"the search found no NDR: {ndr.reason}", hint="set the load with --pps")
    if ndr.ended is not Ended.FOUND:
        progress.say(f"the load is a share of {ndr.lower_pps:.0f} pps")
    return NoDropRate(ndr.lower_pps, ndr)
