# SPDX-License-Identifier: Apache-2.0
"""The rows of seeded commits: runs with verdicts, values of series, alerts. Pure: nothing is written here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from math import exp, log
from random import Random
from typing import Any

from nalm_core.history.links import Part
from nalm_core.report.defaults import DEFAULT_SETTINGS
from nalm_core.report.run_report import Host
from nalm_core.stats.quantiles import normal_quantile
from nalm_core.text.percents import change_percent, margin_percent
from nalm_core.verdict.change import Change as ChainChange
from nalm_core.verdict.change import Figure, StageChange
from nalm_core.verdict.verdict import Verdict

from nalm_server.cli.seed.story import DETAILED, STAGES, SeededCommit, scenario_name
from nalm_server.results.summary import Remains

TSC_HZ = 2_500_000_000
HOST_CLASS = "seeded-8c"
MARGIN = DEFAULT_SETTINGS.margin
NOISE, DRIFT, HALF = 0.002, 0.03, 0.006
"""Standard deviation of ln ratio; of the hosts' levels; half of an interval's width, all in ln ratio."""
INCONCLUSIVE, INVALID = 0.02, 0.004
"""Shares of runs."""
METRICS = {"chain": ("cpp", "ipp", "eipc", "pps"), "stage": ("cpp", "ipp", "eipc")}
SOURCES = {"cpp": "tsc", "ipp": "simulated", "eipc": "tsc+simulated", "pps": "tsc"}
VARIANCE = (HALF / normal_quantile(0.995)) ** 2
"""Of ln ratio."""
Series = tuple[int, str, str]
"""(scenario, stage, metric)."""


@dataclass(frozen=True)
class Slower:
    """A run that regressed."""

    run_number: int
    ratio: float
    """ln(head / base), as measured."""


@dataclass
class Rows:
    """Rows by table, of one batch of commits."""

    runs: list[dict[str, Any]] = field(default_factory=list)
    reports: list[dict[str, Any]] = field(default_factory=list)
    verdicts: list[dict[str, Any]] = field(default_factory=list)
    points: list[dict[str, Any]] = field(default_factory=list)
    outcomes: list[dict[str, Any]] = field(default_factory=list)
    values: list[dict[str, Any]] = field(default_factory=list)
    links: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class SeededRuns:
    """Takes commits in order and adds the rows of their runs; keeps each scenario's level."""

    ids: dict[str, int]
    """First ids: commits, runs, hosts, scenarios; and the project's id."""
    series: dict[Series, int]
    scenarios: int
    hosts: int
    dense_from: int
    """Number of the first commit with a run in every scenario."""
    random: Random
    run_number: int = field(init=False)
    levels: list[float] = field(init=False)
    slower: dict[int, Slower] = field(default_factory=dict)
    """By scenario, those of the last commit."""

    def __post_init__(self) -> None:
        self.run_number = self.ids["runs"]
        self.levels = [log(300 + 20 * place) for place in range(self.scenarios)]

    def add(self, commit: SeededCommit, rows: Rows) -> None:
        counts: dict[str, int] = {}
        self.slower = {}
        for place in range(self.scenarios):
            effect = commit.effects.get(place, 0.0)
            self.levels[place] += effect
            if place >= DETAILED and commit.number < self.dense_from and not commit.effects:
                continue
            display = self._run(commit, place, effect, rows)
            counts[display] = counts.get(display, 0) + 1
        commit_id = self.ids["commits"] + commit.number - 1
        rows.outcomes += [
            {"commit_id": commit_id, "display": display, "scenarios": number}
            for display, number in counts.items()
        ]

    def _run(self, commit: SeededCommit, place: int, effect: float, rows: Rows) -> str:
        ratio = effect + self.random.gauss(0, NOISE)
        display = self._display(ratio)
        host = self.random.randrange(self.hosts)
        host_level = self.random.gauss(0, DRIFT)
        run = self._run_row(commit, place, host)
        known = display != "invalid"
        shown = {
            "ratio_cpp": exp(ratio) if known else None,
            "low": exp(ratio - HALF) if known else None,
            "high": exp(ratio + HALF) if known else None,
        }
        cause = ("pipeline" if commit.number % 3 else "instructions") if display in CHANGED else None
        stage = commit.stage if display in CHANGED else None
        rows.runs.append(run)
        rows.reports.append(self._report_row(commit, place, host, run))
        rows.verdicts.append(
            {
                "run_id": run["id"],
                "outcome": display,
                "display": display,
                "cause": cause,
                "stage": stage,
                "summary": _summary(display, stage, ratio),
                "features_added": [],
                "features_removed": [],
                "unchanged": False,
                "document": _document(
                    commit, place, display, (exp(self.levels[place] - effect), ratio), cause
                ),
                **shown,
            }
        )
        if display == "regressed":
            self.slower[place] = Slower(run["id"], ratio)
        if known:
            copied = {name: run[name] for name in OF_POINT}
            of_verdict = {"display": display, "cause": cause, "stage": stage, **shown}
            rows.points.append({"run_number": run["id"], **copied, **of_verdict})
            self._values(commit, place, run["id"], self.levels[place] + host_level, rows)
            if commit.parent_sha is not None:
                rows.links += self._links(place, run["id"], effect, ratio)
        return display

    def _display(self, ratio: float) -> str:
        if self.random.random() < INVALID:
            return "invalid"
        if abs(ratio) > MARGIN:
            return "regressed" if ratio > 0 else "improved"
        return "inconclusive" if self.random.random() < INCONCLUSIVE else "same"

    def _run_row(self, commit: SeededCommit, place: int, host: int) -> dict[str, Any]:
        number, self.run_number = self.run_number, self.run_number + 1
        started = commit.at + timedelta(seconds=20 * place)
        return {
            "id": number,
            "run_id": sha256(f"{self.ids['project']} {commit.number} {place}".encode()).hexdigest()[:32],
            "project_id": self.ids["project"],
            "scenario_id": self.ids["scenarios"] + place,
            "host_id": self.ids["hosts"] + host,
            "commit_id": self.ids["commits"] + commit.number - 1,
            "base_sha": commit.parent_sha,
            "head_sha": commit.sha,
            "host_class": HOST_CLASS,
            "beside": False,
            "status": "measured",
            "digest": commit.sha.ljust(64, "0"),
            "started_at": started,
            "finished_at": started + timedelta(seconds=18),
            "received_at": started + timedelta(seconds=19),
        }

    def _report_row(self, commit: SeededCommit, place: int, host: int, run: dict[str, Any]) -> dict[str, Any]:
        """A report that has aged out: there were no rounds."""
        return {
            "run_id": run["id"],
            "json_bytes": 2,
            "compressed": b"",
            "stored_digest": None,
            "stored_bytes": None,
            "expired_at": run["received_at"],
            "remains": remains(place, host),
        }

    def _values(self, commit: SeededCommit, place: int, run_id: int, level: float, rows: Rows) -> None:
        for stage in stages_of(place):
            cpp = exp(level + self.random.gauss(0, NOISE)) * STAGES.get(stage, 1.0)
            ipp = 1.8 * exp(self.levels[place]) * STAGES.get(stage, 1.0)
            figures = {"cpp": cpp, "ipp": ipp, "eipc": ipp / cpp, "pps": TSC_HZ / cpp}
            for metric in metrics_of(stage):
                value, exact = figures[metric], metric == "ipp"
                rows.values.append(
                    {
                        "series_id": self.series[place, stage, metric],
                        "run_id": run_id,
                        "value": value,
                        "low": None if exact else value * (1 - HALF),
                        "high": None if exact else value * (1 + HALF),
                    }
                )

    def _links(self, place: int, run_id: int, effect: float, ratio: float) -> Iterator[dict[str, Any]]:
        """Head against base in each metric. All stages move alike, as their values do; instructions move
        with the cycles and are exact."""
        sizes = {"cpp": ratio, "ipp": effect, "eipc": effect - ratio, "pps": -ratio}
        for stage in stages_of(place):
            for metric in metrics_of(stage):
                yield {
                    "series_id": self.series[place, stage, metric],
                    "run_id": run_id,
                    "part": int(Part.CODE),
                    "ln_ratio": sizes[metric],
                    "variance": 0.0 if metric == "ipp" else VARIANCE,
                }


CHANGED = ("regressed", "improved")
LEAST_LEFT = 0.1
"""Of a stage that became faster."""
OF_POINT = ("run_id", "scenario_id", "host_class", "commit_id", "base_sha")
"""Columns that a point has of its run."""


def stages_of(place: int) -> Sequence[str]:
    return ("chain", *STAGES) if place < DETAILED else ("chain",)


def metrics_of(stage: str) -> Sequence[str]:
    return METRICS["chain" if stage == "chain" else "stage"]


def _summary(display: str, stage: str | None, ratio: float) -> str:
    if display == "invalid":
        return "rates and cycles do not agree"
    if stage is not None:
        return f"{stage}: {change_percent(exp(_of_stage(stage, ratio)) - 1)} cycles"
    change = f"{change_percent(exp(ratio) - 1)} cycles"
    if display == "inconclusive":
        return f"{change}, not decided"
    return f"{change}, within ±{margin_percent(DEFAULT_SETTINGS.margin)}"


def _of_stage(stage: str, ratio: float) -> float:
    """ln(head / base) of the one stage that changed, given the chain's."""
    return log(max(1 + (exp(ratio) - 1) / STAGES[stage], LEAST_LEFT))


def _document(
    commit: SeededCommit, place: int, display: str, size: tuple[float, float], cause: Any
) -> dict[str, Any]:
    """As small as a verdict can be: chain, and the stage that pays. size: the chain's cycles per packet
    before, and ln(head / base)."""
    changed = display in CHANGED
    chain, ratio = size
    contribution = chain * (exp(ratio) - 1)
    before = chain * STAGES[commit.stage]
    stage = StageChange(
        stage=commit.stage,
        kind="common",
        contribution_cycles=contribution,
        significant=changed,
        relevant=changed,
        cause=cause,
        **_change(before, _of_stage(commit.stage, ratio), HALF / STAGES[commit.stage]),
    )
    verdict = Verdict(
        outcome=display,
        reason=_summary(display, commit.stage if changed else None, ratio),
        summary=_summary(display, commit.stage if changed else None, ratio),
        scenario=scenario_name(place),
        judged_arm="head",
        chain=ChainChange(level=0.99, **_change(chain, ratio, HALF)) if display != "invalid" else None,
        stages=[stage] if changed else [],
        culprit_stages=[commit.stage] if changed else [],
        cause=cause,
    )
    return verdict.model_dump(mode="json", exclude_defaults=True)


def _change(before: float, ratio: float, half: float) -> dict[str, Any]:
    """ratio, and half of its interval's width: in logarithms."""
    return {
        "base": Figure(cpp=before),
        "head": Figure(cpp=before * exp(ratio)),
        "ratio_cpp": exp(ratio),
        "low": exp(ratio - half),
        "high": exp(ratio + half),
        "ln_cpp": ratio,
    }


def fingerprint(host: int) -> Host:
    return Host(
        name=host_name(host),
        host_class=HOST_CLASS,
        cpu_model="Seeded CPU 2.5 GHz",
        cores=8,
        tsc_hz=TSC_HZ,
        memory_bytes=2**35,
        kernel="6.1",
        os="Debian 12",
        virtual=False,
        huge_pages=True,
    )


def host_name(host: int) -> str:
    return f"seeded-{host + 1:02d}"


_REMAINS: dict[tuple[int, int], dict[str, Any]] = {}


def remains(place: int, host: int) -> dict[str, Any]:
    key = (place, host)
    if key not in _REMAINS:
        _REMAINS[key] = Remains(
            failure=None,
            nalm_version="seeded",
            lcores=1,
            model="rtc",
            traffic=f"{scenario_name(place)}.pcap",
            fingerprint=fingerprint(host),
            sources={"tsc": None, "simulated": None},
            tools={},
            settings=DEFAULT_SETTINGS,
            arms={},
            checks=[],
            notes=["This run was made by `nalm-server seed`: no network function ran."],
            rounds_kept=0,
            rounds_set_aside=0,
            launches=0,
        ).model_dump(mode="json")
    return _REMAINS[key]
