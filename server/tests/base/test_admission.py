# SPDX-License-Identifier: Apache-2.0
"""Slots of lanes: requests get one, wait for one, or are refused."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from nalm_server.base.admission import (
    LONGEST_DELAY,
    LONGEST_QUEUE,
    MOST_KINDS,
    SLOTS,
    Lane,
    RunTimes,
    Slots,
    kind_of,
    lane_of,
)
from nalm_server.base.errors import BusyError
from nalm_server.db import engine
from nalm_server.worker.kinds import Work

ANYIO_THREADS = 40


def test_slots_are_fewer_than_connections_and_threads() -> None:
    slots = sum(SLOTS.values())
    assert slots + len(Work) + 1 <= engine.CONNECTIONS  # 1: the reader of changes
    assert slots < ANYIO_THREADS


@pytest.mark.parametrize(
    ("method", "path", "lane"),
    [
        ("GET", "/api/v1/overview", Lane.READ),
        ("HEAD", "/api/v1/projects", Lane.READ),
        ("POST", "/api/v1/session", Lane.WRITE),
        ("POST", "/api/v1/reports", Lane.UPLOAD),
        ("POST", "/api/v1/projects/demo/imports", Lane.UPLOAD),
        ("GET", "/api/v1/projects/demo/export", Lane.EXPORT),
        ("POST", "/api/v1/hooks/github", Lane.HOOK),
        ("POST", "/api/v1/agent/lease", Lane.AGENT),
        ("GET", "/api/v1/health", Lane.OPERATOR),
        ("GET", "/metrics", Lane.OPERATOR),
        ("GET", "/api/v1/health/live", None),
        ("GET", "/api/v1/health/ready", None),
        ("GET", "/assets/app.js", None),
    ],
)
def test_lanes(method: str, path: str, lane: Lane | None) -> None:
    assert lane_of(method, path) is lane


def test_a_free_slot_goes_to_the_longest_waiting() -> None:
    async def run() -> list[str]:
        slots, order = Slots(1), list[str]()

        async def take(name: str, *, first: bool = False) -> None:
            await slots.take(60, first=first)
            order.append(name)
            slots.give_back()

        await slots.take()
        waiting = [asyncio.create_task(take("a")), asyncio.create_task(take("b"))]
        await asyncio.sleep(0)
        waiting.append(asyncio.create_task(take("again", first=True)))
        await asyncio.sleep(0)
        slots.give_back()
        await asyncio.gather(*waiting)
        return order

    assert asyncio.run(run()) == ["again", "a", "b"]


def test_long_requests_let_short_ones_pass_up_to_a_limit() -> None:
    async def run() -> list[str]:
        slots, order = Slots(1), list[str]()

        async def take(name: str, delay: float) -> None:
            await slots.take(60, delay=delay)
            order.append(name)
            slots.give_back()

        await slots.take()
        waiting = [asyncio.create_task(take("long", 60)), asyncio.create_task(take("short", 0))]
        await asyncio.sleep(0)
        slots.give_back()
        await asyncio.gather(*waiting)
        return order

    assert asyncio.run(run()) == ["short", "long"]
    times = RunTimes()
    times.add("long", 3600)
    times.add("short", 0.001)
    assert 0 == times.delay("new") < times.delay("short") < times.delay("long") == LONGEST_DELAY


def test_a_mean_run_time_follows_the_latest_runs() -> None:
    times = RunTimes()
    times.add("page", 0.001)
    first = times.delay("page")
    for _ in range(100):
        times.add("page", 0.01)
    assert times.delay("page") == pytest.approx(10 * first, rel=0.01)


def test_run_times_of_invented_kinds_do_not_pile_up() -> None:
    times = RunTimes()
    for number in range(2 * MOST_KINDS):
        times.add(f"GET {number}", 0.1)
    assert [bool(times.delay(f"GET {number}")) for number in (0, MOST_KINDS - 1, MOST_KINDS)] == [
        True,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/api/v1/jobs", "GET jobs"),
        ("/api/v1/projects/demo", "GET projects/*"),
        ("/api/v1/projects/demo/scenarios/sfc_a/history", "GET projects/*/scenarios/*/history"),
        ("/metrics", "GET /*"),
    ],
)
def test_the_kind_of_a_request_has_no_names(path: str, kind: str) -> None:
    assert kind_of("GET", path) == kind


def test_nobody_waits_longer_than_its_patience() -> None:
    async def run() -> None:
        slots = Slots(1)
        await slots.take()
        with pytest.raises(BusyError):
            await slots.take(0.01)
        slots.give_back()
        await slots.take(0.01)

    asyncio.run(run())


def test_a_queue_has_an_end() -> None:
    async def run() -> None:
        slots = Slots(1)
        await slots.take()
        waiting = [asyncio.create_task(slots.take(60)) for _ in range(LONGEST_QUEUE)]
        await asyncio.sleep(0)
        with pytest.raises(BusyError):
            await slots.take(60)
        for one in waiting:
            one.cancel()

    asyncio.run(run())


def test_who_leaves_while_waiting_takes_no_slot_along() -> None:
    async def run() -> None:
        slots = Slots(1)
        await slots.take()
        leaving = asyncio.create_task(slots.take(60))
        await asyncio.sleep(0)
        slots.give_back()  # granted, and cancelled before it runs
        leaving.cancel()
        with suppress(asyncio.CancelledError):
            await leaving
        await slots.take(0.5)

    asyncio.run(run())
