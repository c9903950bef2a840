# SPDX-License-Identifier: Apache-2.0
"""Records what agents report of hosts: health as a series that thins with age, fingerprints as they
change."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta
from typing import Any

from nalm_core.report.host_match import MEASURED, HostDifference, differences
from nalm_core.report.run_report import Host
from sqlalchemy.orm import Session

from nalm_server.jobs.agents.models import HostRow
from nalm_server.jobs.hosts import repository
from nalm_server.jobs.hosts.models import HealthRow
from nalm_server.jobs.hosts.schemas import Health

SAMPLE_EVERY = timedelta(seconds=55)
GRAINS = (
    (timedelta(hours=6), timedelta(days=3650)),
    (timedelta(minutes=10), timedelta(days=30)),
    (timedelta(0), timedelta(days=1)),
)
"""(interval, age): the first sample of each interval is kept up to this age."""
SEEN_EVERY = timedelta(minutes=10)
"""Precision of a fingerprint's last_seen_at: not every report writes it."""


MEASURED_AT = "latencies_at"
"""Field of a fingerprint: when `nalm doctor` measured what is no property of the host."""


def record_health(
    session: Session, host: HostRow, health: Health, now: datetime, clock: datetime | None = None
) -> None:
    """Updates the host's health, and adds a sample to its series if the last one is old enough."""
    host.health = health.model_dump()
    if clock is not None:
        host.clock_offset_seconds = (clock - now).total_seconds()
    before = repository.newest_sample(session, host.id)
    if before is not None and now - before < SAMPLE_EVERY:
        return
    repository.add_sample(
        session,
        HealthRow(
            host_id=host.id,
            at=now,
            kept_until=now + kept_for(before, now),
            clock_offset_seconds=host.clock_offset_seconds,
            version=host.version,
            **health.model_dump(exclude={"spool_items"}),
        ),
    )
    repository.forget_old_samples(session, host.id, now)


def kept_for(before: datetime | None, now: datetime) -> timedelta:
    """How long a sample is kept whose predecessor was taken at `before`."""
    for length, kept in GRAINS:
        if before is None or not length or _stretch(before, length) != _stretch(now, length):
            return kept
    raise AssertionError("the last grain takes every sample")


def _stretch(at: datetime, length: timedelta) -> int:
    return int((at - datetime(2000, 1, 1, tzinfo=UTC)) / length)


def record_fingerprint(session: Session, host: HostRow, fingerprint: dict[str, Any], now: datetime) -> None:
    """Starts a new period in the host's history if its fingerprint has changed."""
    newest = repository.newest_fingerprint(session, host.id)
    if newest is None or (newest.fingerprint != fingerprint and changed(newest.fingerprint, fingerprint)):
        repository.add_fingerprint(session, host.id, digest_of(fingerprint), fingerprint, now)
        return
    if now - newest.last_seen_at >= SEEN_EVERY:
        newest.last_seen_at = now
    if fingerprint.get(MEASURED_AT) not in (None, newest.fingerprint.get(MEASURED_AT)):
        newest.fingerprint = fingerprint


def changed(before: dict[str, Any], after: dict[str, Any]) -> list[HostDifference]:
    """Differences that the verdict counts as changes: no calibration by the kernel, no newly known field."""
    return differences(Host.model_validate(before), Host.model_validate(after))


def digest_of(fingerprint: dict[str, Any]) -> str:
    """Digest without values that are measured each time, and without unknown fields."""
    known = Host.model_validate(fingerprint).model_dump(mode="json", exclude_none=True, exclude=set(MEASURED))
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()
