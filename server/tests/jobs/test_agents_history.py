# SPDX-License-Identifier: Apache-2.0
"""The history of hosts: health samples, which are thinned with age, and fingerprints with their changes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from nalm_core.report.host_supply import HostSupply
from nalm_core.report.run_report import Host
from nalm_server.jobs.hosts import service as hosts
from nalm_server.jobs.hosts.recording import changed, digest_of, kept_for
from nalm_server_harness import Clock, Service
from nalm_server_reports import body_of, make_report

BEGIN = datetime(2026, 11, 21, 9, tzinfo=UTC)
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


def health_of(service: Service, name: str = "bench-1", **params: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = service.request("GET", f"/hosts/{name}/health", "admin", params=params)
    return found


def tell(service: Service, **health: Any) -> None:
    requested = {"host": "bench-1", "host_class": "vm-2", "health": health, "version": "1.2.3"}
    service.post("/agent/lease", "agent", 204, requested)


def test_health_is_a_sample_a_minute(service: Service, clock: Clock) -> None:
    for load in (0.1, 0.2, 0.3, 0.4, 0.5):
        tell(service, load=load, disk_free_bytes=5 << 30)
        clock.pass_seconds(20)
    samples = health_of(service)
    assert [one["load"] for one in samples] == [0.1, 0.4]
    assert samples[0]["version"] == "1.2.3"
    assert samples[0]["steal"] is None
    assert service.request("GET", "/hosts/bench-1", "admin")["health"]["load"] == 0.5


def test_health_is_thinned_with_age(service: Service, clock: Clock) -> None:
    """Samples come every 5 minutes for an hour. `left` is the rest of that hour after 2 and after 40 days."""
    for load in range(12):
        tell(service, load=load)
        clock.pass_seconds(300)
    for days, left in ((2, [0, 2, 4, 6, 8, 10]), (40, [0])):
        clock.now = BEGIN + days * DAY
        tell(service, load=99)
        assert [one["load"] for one in health_of(service, hours=24 * 365) if one["load"] != 99] == left


def sample_times() -> Iterator[datetime]:
    """Times of samples, one each minute for two days."""
    return (BEGIN + number * MINUTE for number in range(2 * 24 * 60))


def test_of_each_stretch_one_sample_is_kept() -> None:
    times = list(sample_times())
    kept = {after: kept_for(before, after) for before, after in pairwise(times)}
    lasting = [at for at, how_long in kept.items() if how_long > 31 * DAY]
    assert {after - before for before, after in pairwise(lasting)} == {timedelta(hours=6)}
    monthly = [at for at, how_long in kept.items() if how_long >= 30 * DAY]
    assert {after - before for before, after in pairwise(monthly)} == {timedelta(minutes=10)}
    assert min(kept.values()) == DAY


def report_on(number: int, **changes: Any) -> bytes:
    report = make_report(number)
    return body_of(report.model_copy(update={"host": report.host.model_copy(update=changes)}))


def test_a_change_of_the_host_is_an_entry_with_what_changed(service: Service, clock: Clock) -> None:
    for number, changes in enumerate(
        ({}, {"tsc_hz": 2_000_000_100}, {"kernel": "6.9.0"}, {"kernel": "6.9.0"}, {}), start=1
    ):
        service.upload(report_on(number, **changes))
        clock.pass_seconds(3600)
    kernel = make_report(1).host.kernel
    back, new, first = service.request("GET", "/hosts/bench-vm-2", "admin")["fingerprints"]
    assert first["changes"] == []
    assert new["changes"] == [{"field": "kernel", "before": kernel, "after": "6.9.0", "severity": "segment"}]
    assert [one["after"] for one in back["changes"]] == [kernel]
    assert back["digest"] != new["digest"]
    times = [first["first_seen_at"], first["last_seen_at"], new["first_seen_at"], new["last_seen_at"]]
    assert [one[11:16] for one in times] == ["09:00", "10:00", "11:00", "12:00"]
    assert back["first_seen_at"][11:16] == "13:00"


def test_what_doctor_measured_later_is_shown_without_another_fingerprint(
    service: Service, clock: Clock
) -> None:
    supply = HostSupply(one={"instructions": 9e9}, together={}, cpus=2, core_hz=3e9, line_ns={"clean": 20})
    measured = {"latencies_at": clock.now, "latencies_ns": {"L1d": 1.5}, "supply": supply}
    for number, changes in enumerate(({}, measured, {}), start=1):
        service.upload(report_on(number, **changes))
        shown = service.request("GET", "/hosts/bench-vm-2", "admin")
        assert len(shown["fingerprints"]) == 1
        if number == 1:
            assert shown["measured"] is None
            continue
        assert shown["measured"]["supply"]["one"] == {"instructions": 9e9}
        assert shown["measured"]["loads"][0]["cycles"] == pytest.approx(4.5)
        clean, dirty, *_ = shown["measured"]["lines"]
        assert clean["cycles"] == 60 and clean["published_cycles"] == 50
        assert dirty["ns"] is None and "nalm doctor" in dirty["missing"]


@pytest.mark.parametrize("field", ["latencies_ns", "transfer_ns"])
def test_what_is_measured_again_each_time_is_no_change(field: str) -> None:
    before = make_report(1).host.model_dump(mode="json")
    after = before | {field: {"l1": 1.7}}
    assert digest_of(before) == digest_of(after)
    assert changed(before, after) == []


def test_digests_differ_by_what_matters() -> None:
    host = make_report(1).host
    one, other = (Host.model_validate({**host.model_dump(), "kernel": kernel}) for kernel in ("6.1", "6.2"))
    assert digest_of(one.model_dump(mode="json")) != digest_of(other.model_dump(mode="json"))


def test_long_spans_of_health_are_shown_whole(
    service: Service, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosts, "MOST_SAMPLES", 10)
    for load in range(25):
        clock.now = BEGIN + load * MINUTE
        tell(service, load=load)
    assert [one["load"] for one in health_of(service)] == list(range(0, 25, 3))
    assert len(health_of(service, hours=0.1)) == 7
