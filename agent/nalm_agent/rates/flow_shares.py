# SPDX-License-Identifier: Apache-2.0
"""Trials at several shares of new flows, for `nalm experiment flows`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from random import Random

from nalm_core.models.quantity import ModelInputError
from nalm_core.rates import defaults
from nalm_core.rates.experiments.flow_costs import MeasuredFlows, ShareTrial
from nalm_core.rates.rate_report import Phase
from nalm_core.rates.trials import forwarded_pps
from nalm_core.text.amounts import amount
from nalm_core.text.percents import share_percent

from nalm_agent.config.experiments import FlowsConfig
from nalm_agent.config.nalm_toml import FILE_NAME
from nalm_agent.host.fingerprint import fingerprint
from nalm_agent.rates.loaded_revision import Place, all_ready
from nalm_agent.report.progress import Progress
from nalm_agent.runtime.errors import ConfigError, NfError
from nalm_agent.trials.trial_nf import Ask, NfRun, TrialNf

FULL_TRIALS = 3
"""Trials at full load, of each design."""
LEFT_OUT = 0.1
"""Share of a trial at its begin whose latencies are not counted."""


@dataclass(frozen=True)
class FlowSettings:
    """What is varied, and how often."""

    shares: Sequence[float] | None = None
    """New flows per packet; None: those of nalm.toml, else nalm's."""
    load: float = defaults.FLOW_LOAD
    """Share of the least full load of the designs."""
    launches: int = defaults.FLOW_LAUNCHES
    seconds: float = defaults.TRIAL_S
    """Length of a trial."""


@dataclass(frozen=True)
class Design:
    scenario: str
    run: NfRun


@dataclass(frozen=True)
class FlowsMeasured:
    pps: int
    designs: Mapping[str, MeasuredFlows]


def flows_table(place: Place, name: str | None) -> FlowsConfig:
    """The table of nalm.toml, by default the first. Raises ConfigError."""
    tables = place.config().experiments.flows
    if not tables or (name is not None and name not in tables):
        raise ConfigError(
            f"{FILE_NAME} has no [experiments.flows.{name or 'NAME'}]; there are: "
            f"{', '.join(tables) or 'none'}",
            hint="docs/experiments.md describes the table",
        )
    return tables[name or next(iter(tables))]


def measure_flows(table: FlowsConfig, settings: FlowSettings, place: Place) -> FlowsMeasured:
    """Measures each design at each share, in launches that take turns.

    Raises ModelInputError for fewer than two shares, NfError if a design forwards nothing.
    """
    shares = sorted(set(settings.shares or table.shares or defaults.FLOW_SHARES))
    if len(shares) < 2:
        raise ModelInputError(
            "shares", f"{amount(len(shares), 'distinct share')} of new flows is given, expected at least 2"
        )
    config = place.config()
    lcores = {scenario: config.scenario(scenario).lcores for scenario in table.scenarios.values()}
    if len(set(lcores.values())) > 1:
        said = ", ".join(f"{scenario} {count}" for scenario, count in lcores.items())
        raise ConfigError(
            f"the designs have different numbers of lcores: {said}",
            hint="compare scenarios with the same lcores",
        )
    subjects = [place.subject(scenario) for scenario in table.scenarios.values()]
    with all_ready(subjects, fingerprint(), place.home, place.work, place.progress) as ready:
        runs = {
            name: Design(scenario, run)
            for (name, scenario), run in zip(table.scenarios.items(), ready, strict=True)
        }
        return measure_designs(runs, shares, settings, place.progress)


def measure_designs(
    designs: Mapping[str, Design], shares: Sequence[float], settings: FlowSettings, progress: Progress
) -> FlowsMeasured:
    """One trial of each design at every share in each launch, in random order. Raises NfError."""
    progress.step("flows", "full load", 0.0)
    least = min(_full_load(name, design.run, settings) for name, design in designs.items())
    pps = max(1, round(settings.load * least))
    measured: dict[str, MeasuredFlows] = {}
    for launch in range(settings.launches):
        with ExitStack() as stack:
            nfs = {
                name: stack.enter_context(TrialNf(design.run, launch=launch))
                for name, design in designs.items()
            }
            for name, nf in nfs.items():
                nf.trial(Ask(Phase.SWEEP, settings.seconds / 4))  # caches and tables warm up
                if name not in measured:
                    measured[name] = MeasuredFlows(designs[name].scenario, nf.info, nf.tsc_hz, [])
            for at, share in enumerate(Random(launch).sample(shares, len(shares))):
                done = (launch + at / len(shares)) / settings.launches
                detail = f"launch {launch + 1} of {settings.launches}, {share_percent(share)} new flows"
                progress.step("flows", detail, done)
                ask = Ask(
                    Phase.SWEEP,
                    settings.seconds,
                    pps,
                    leave_out_s=LEFT_OUT * settings.seconds,
                    new_flows=max(1, round(share * pps)),
                )
                for name, nf in nfs.items():
                    measured[name].trials.append(ShareTrial(share, nf.trial(ask)))
            for nf in nfs.values():
                nf.finish()
    return FlowsMeasured(pps, measured)


def _full_load(name: str, run: NfRun, settings: FlowSettings) -> float:
    """Packets/s that the design forwards in the closed loop. Raises NfError."""
    with TrialNf(run, launch=0) as nf:
        nf.trial(Ask(Phase.MRR, settings.seconds / 4))  # caches and tables warm up
        trials = [nf.trial(Ask(Phase.MRR, settings.seconds / 4)) for _ in range(FULL_TRIALS)]
        found = max(forwarded_pps(trial, nf.info) or 0.0 for trial in trials)
        nf.finish()
    if not found:
        raise NfError(f"design {name}: the NF forwarded nothing at full load")
    return found
