# SPDX-License-Identifier: Apache-2.0
"""The state of a host, computed from its data. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from nalm_core.text.percents import share_percent

from nalm_server.jobs.agents.models import HostRow
from nalm_server.jobs.agents.repository import SEEN_WITHIN
from nalm_server.jobs.hosts.schemas import Health, HostState

UNFIT_SEEN_WITHIN = timedelta(minutes=12)
"""An agent of an unsupported version calls again every five minutes."""
LEAST_DISK_BYTES = 1 << 30
"""With less free, a build may fail without a fault of its commit."""
MOST_CLOCK_OFFSET = timedelta(seconds=60)
"""With a larger offset, the host's times are not reliable."""
WORST_RESOLUTION = 0.1
"""A host that resolves no smaller change than this within a minute is unfit for measuring."""


def state_of(host: HostRow, now: datetime) -> tuple[HostState, str | None]:
    """The state, and the reason if there is one."""
    if host.revoked_at is not None:
        return HostState.REVOKED, f"since {host.revoked_at:%Y-%m-%d %H:%M}"
    if host.last_seen_at is None:
        return HostState.OFFLINE, "its agent never requested work; it only uploads"
    if host.unfit is not None and host.last_seen_at > now - UNFIT_SEEN_WITHIN:
        return HostState.SICK, f"its {host.unfit}"
    if host.last_seen_at <= now - SEEN_WITHIN:
        return HostState.OFFLINE, f"silent since {host.last_seen_at:%Y-%m-%d %H:%M:%S}"
    if host.draining_at is not None:
        return HostState.DRAINING, f"since {host.draining_at:%Y-%m-%d %H:%M}"
    sick = why_sick(host)
    return (HostState.SICK, sick) if sick else (HostState.ONLINE, None)


def why_sick(host: HostRow) -> str | None:
    """What must be fixed before the host gets jobs."""
    offset = host.clock_offset_seconds
    if offset is not None and abs(offset) > MOST_CLOCK_OFFSET.total_seconds():
        return f"its clock is {offset:+.0f} s off the server's: set it (chrony, systemd-timesyncd)"
    health = None if host.health is None else Health.model_validate(host.health)
    if health is None:
        return None
    if health.disk_free_bytes is not None and health.disk_free_bytes < LEAST_DISK_BYTES:
        free = health.disk_free_bytes >> 20
        return (
            f"its disk is full ({free} MiB free of the {LEAST_DISK_BYTES >> 20} needed): nalm store --prune"
        )
    if health.resolves is not None and health.resolves > WORST_RESOLUTION:
        return (
            f"it is too noisy: it resolves no change under {share_percent(health.resolves)} in a minute; "
            "see nalm doctor, then nalm doctor --noise"
        )
    return None
