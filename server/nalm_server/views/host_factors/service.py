# SPDX-License-Identifier: Apache-2.0
"""Analysis of variance of measured values, less the levels of their commits, by properties of hosts."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from math import isfinite, log
from typing import Any

from nalm_core.findings.host_factors import MIN_RUNS, Fact, Factor, RecordedRun, factors
from nalm_core.report.host_match import huge_pages_of, without_huge_pages
from nalm_core.text.host_advice import advice, label
from sqlalchemy.orm import Session

from nalm_server.alerts.rules.rule_repository import readable_projects
from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.answer_cache import cache_of
from nalm_server.results.links.linked import chain_solutions
from nalm_server.views.host_factors import repository
from nalm_server.views.host_factors.repository import FactorRun, Sample
from nalm_server.views.host_factors.schemas import FactorEffect, HostFactor, HostFactors

ADVISED = 3
"""Properties with advice, the largest significant ones."""
LEAST_SHARE = 0.01
"""Share of the variance below which nothing needs to be done."""
NEAR = timedelta(minutes=20)
"""Maximum time between a run and a sample of health outside of it."""
HOURS = 3
"""Hours of the day that are taken together."""
PLAIN = ("kernel", "microcode", "governor", "thp", "smt", "turbo")
"""Properties as the fingerprint has them."""
DIGESTED = {"mitigations": "mitigations", "libraries": "libraries", "cmdline_digest": "cmdline"}
"""Properties of many parts, by field of the fingerprint."""


def host_factors(session: Session, caller: Principal, days: int, now: datetime) -> HostFactors:
    """Over all runs of projects that the caller may read, as they were less than an hour ago or when the last
    one came."""
    projects = sorted(readable_projects(session, caller))
    hour = now.replace(minute=0, second=0, microsecond=0)
    key = ("host factors", tuple(projects), days, hour, repository.newest_run(session, projects))

    def make() -> bytes:
        return _analysed(session, projects, now - timedelta(days=days)).model_dump_json().encode()

    return HostFactors.model_validate_json(cache_of(session).get(key, make))


def _analysed(session: Session, projects: Sequence[int], since: datetime) -> HostFactors:
    found = factors(_observations(session, repository.runs(session, projects, since), since))
    return HostFactors(
        since=since,
        runs=found.runs,
        needed=MIN_RUNS,
        spread=found.spread,
        explained=found.explained,
        factors=_shown(found.factors),
    )


def _shown(found: Sequence[Factor]) -> list[HostFactor]:
    large = [one.name for one in found if one.significant and one.share >= LEAST_SHARE][:ADVISED]
    return [
        HostFactor(
            name=one.name,
            label=label(one.name),
            share=one.share,
            p_value=one.p_value,
            significant=one.significant,
            together=[label(name) for name in one.together],
            effects=[
                FactorEffect(
                    value=effect.value,
                    runs=effect.runs,
                    change=effect.change,
                    error=effect.error if isfinite(effect.error) else None,
                )
                for effect in one.effects
            ],
            advice=advice(one.name) if one.name in large else None,
        )
        for one in found
    ]


def _observations(session: Session, runs: Sequence[FactorRun], since: datetime) -> list[RecordedRun]:
    """Of runs whose commit has a level."""
    hosts = {one.host_id for one in runs}
    fingerprints: dict[int, list[tuple[datetime, dict[str, Any]]]] = defaultdict(list)
    for host, at, fingerprint in repository.fingerprints(session, hosts):
        fingerprints[host].append((at, fingerprint))
    samples: dict[int, list[Sample]] = defaultdict(list)
    for sample in repository.samples(session, hosts, since - NEAR):
        samples[sample.host_id].append(sample)
    by_series: dict[tuple[int, str], list[FactorRun]] = defaultdict(list)
    for run in runs:
        by_series[run.scenario_id, run.host_class].append(run)
    found = []
    for (scenario_id, host_class), solved in chain_solutions(session, by_series, "cpp"):
        levels = {one.source: one for one in solved}
        for run in by_series[scenario_id, host_class]:
            level = levels[run.source].level(run.head_sha) if run.source in levels else None
            if level is not None:
                facts = _facts(run, fingerprints[run.host_id], samples[run.host_id])
                group = f"{scenario_id} {without_huge_pages(host_class)} {run.source}"
                response = log(run.value) - level[0]
                found.append(RecordedRun(group, response, run.started_at.timestamp(), facts))
    return found


def _facts(
    run: FactorRun, fingerprints: Sequence[tuple[datetime, dict[str, Any]]], samples: Sequence[Sample]
) -> dict[str, Fact]:
    at = bisect_right(fingerprints, run.started_at, key=lambda one: one[0])
    fingerprint = fingerprints[max(at - 1, 0)][1] if fingerprints else {}
    hour = run.started_at.hour // HOURS * HOURS
    return {
        "host": run.host,
        "compiler": run.compiler,
        "huge_pages": _text(huge_pages_of(run.host_class)),
        **{name: _text(fingerprint.get(name)) for name in PLAIN},
        **{name: _digest(fingerprint.get(field)) for field, name in DIGESTED.items()},
        "hour": f"{hour:02} to {hour + HOURS:02}",
        "weekend": "yes" if run.started_at.weekday() >= 5 else "no",
        **health(run, samples),
    }


def health(run: FactorRun, samples: Sequence[Sample]) -> Mapping[str, Fact]:
    """Of the sample within the run that is nearest to its middle, or else of the nearest before or after it.
    samples: oldest first."""
    begin = bisect_left(samples, run.started_at - NEAR, key=lambda one: one.at)
    end = bisect_right(samples, run.finished_at + NEAR, key=lambda one: one.at)
    middle = run.started_at + (run.finished_at - run.started_at) / 2

    def distance(one: Sample) -> tuple[timedelta, timedelta]:
        outside = max(run.started_at - one.at, one.at - run.finished_at, timedelta())
        return outside, abs(one.at - middle)

    near = min(samples[begin:end], key=distance, default=None)
    names = ("load", "steal", "temperature", "frequency")
    return {name: None if near is None else getattr(near, name) for name in names}


def _text(value: object) -> str | None:
    if isinstance(value, bool):
        return "on" if value else "off"
    return None if value is None else str(value)


def _digest(value: object) -> str | None:
    return None if value is None else sha256(repr(value).encode()).hexdigest()[:8]
