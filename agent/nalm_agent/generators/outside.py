# SPDX-License-Identifier: Apache-2.0
"""The common part of generators outside of the NF's process: they send while a turn of the NF is open."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from nalm_core.rates.generators import Generator
from nalm_core.rates.latency import Histogram, histogram
from nalm_core.rates.rate_report import DIRECTIONS, Direction, Times, Traffic

from nalm_agent.config.generators import GeneratorConfig
from nalm_agent.generators.generator import Limits, Offer, Offered, Turns
from nalm_agent.runtime.errors import GeneratorError

SETTLED_S = 0.02
"""Counts that two readings so far apart agree on are final."""
MOST_READINGS = 200

BUSY_POLL_S = 1.0
"""Time between two tries to take a generator that somebody else uses."""

Bins = Mapping[tuple[int, int], int]
"""Packets by latency, from and up to so many ns."""


@dataclass(frozen=True)
class Counts:
    """Of all ports together, since the generator started."""

    sent: int
    received: int
    queue_full: int | None = None

    def since(self, before: Counts) -> Counts:
        full = None
        if self.queue_full is not None and before.queue_full is not None:
            full = self.queue_full - before.queue_full
        return Counts(self.sent - before.sent, self.received - before.received, full)


class GeneratorBusyError(GeneratorError):
    """Somebody else uses the generator."""


class OutsideGenerator(ABC):
    """A generator of nalm.toml. Every method may raise GeneratorError."""

    def __init__(self, name: str, config: GeneratorConfig) -> None:
        self.name = name
        self.config = config
        self.version: str | None = None
        self._reserved = False

    @property
    def described(self) -> Generator:
        return Generator(
            name=self.name, kind=self.config.kind, version=self.version, devices=list(self.config.devices)
        )

    def sends(self, config: GeneratorConfig) -> None:
        """Frames, directions and flows of this table from the next `connect` on."""
        self.config = config

    @contextmanager
    def reserved(self, waiting: Callable[[str], None]) -> Iterator[None]:
        """Nobody else uses the generator within the context, which has several `connect` and `close`.

        Waits for others up to `wait_seconds`, and reports that once. Raises GeneratorBusyError after that.
        """
        end, reported = time.monotonic() + self.config.wait_seconds, False
        while not self._reserved:
            try:
                self.take()
                self._reserved = True
            except GeneratorBusyError as error:
                if time.monotonic() >= end:
                    raise
                if not reported:
                    waiting(f"{error.message}; waiting for it, at most {self.config.wait_seconds:g} s")
                reported = True
                time.sleep(min(BUSY_POLL_S, self.config.wait_seconds))
        try:
            yield
        finally:
            self._reserved = False
            self.give_back()

    @abstractmethod
    def take(self) -> None:
        """Makes the generator this process's. Raises GeneratorBusyError. One that it starts itself is."""

    @abstractmethod
    def give_back(self) -> None:
        """Ends what `take` began. Never fails."""

    @property
    @abstractmethod
    def limits(self) -> Limits: ...

    @abstractmethod
    def connect(self) -> None: ...

    @abstractmethod
    def close(self) -> None: ...

    @abstractmethod
    def counts(self) -> Counts: ...

    @abstractmethod
    def send(self, seconds: float, pps: int | None) -> float:
        """Sends for so long, and returns the time that it really took. It has stopped on return."""

    def latencies(self) -> Mapping[int, Bins] | None:
        """Of all packets since `connect`, by the port that sent them; None: it measures none."""
        return None

    def offer(self, offer: Offer, nf: Turns) -> Offered:
        before = self.counts()
        with nf.opened():
            seconds = self.send(offer.leave_out_s, offer.pps) if offer.leave_out_s > 0 else 0.0
            early = self.latencies()
            seconds += self.send(offer.seconds - offer.leave_out_s, offer.pps)
        sent = self._settled().since(before).sent
        if offer.arrive:
            nf.arrive(lambda: sent)
        found = self._settled().since(before)
        traffic = Traffic(
            sending_ns=round(seconds * 1e9),
            sent=found.sent,
            late=0,
            received=found.received,
            reordered=None,
            duplicates=None,
            damaged=None,
            queue_full=found.queue_full,
        )
        late = self.latencies()
        if early is None or late is None:
            return Offered(traffic)
        of = {port: (early.get(port, {}), late.get(port, {})) for port in self.config.senders}
        return Offered(traffic, latency=_latency(of.values()), directions=self._directions(of))

    def _directions(self, of: Mapping[int, tuple[Bins, Bins]]) -> dict[Direction, Times]:
        """Clients are at the near ports. Empty unless both directions send."""
        if self.config.directions != "both":
            return {}
        near = [both for port, both in of.items() if self.config.is_near(port)]
        far = [both for port, both in of.items() if not self.config.is_near(port)]
        return {
            name: Times(latency=_latency(bins), jitter=_latency([]))
            for name, bins in zip(DIRECTIONS, (near, far), strict=True)
        }

    def _settled(self) -> Counts:
        last = self.counts()
        for _ in range(MOST_READINGS):
            time.sleep(SETTLED_S)
            now = self.counts()
            if (now.sent, now.received) == (last.sent, last.received):
                return now
            last = now
        raise GeneratorError(
            f"generator {self.name}: packets are counted {MOST_READINGS * SETTLED_S:g} s after it stopped",
            hint="another program sends to or from its ports; give it ports of its own",
        )


def _latency(of: Iterable[tuple[Bins, Bins]]) -> Histogram:
    """The packets between the two readings of each port. Exact only to the generator's bins: least and
    greatest are ends of bins, and the sum takes the middle of each."""
    new: Counter[tuple[int, int]] = Counter()
    for before, after in of:
        new.update({ends: count - before.get(ends, 0) for ends, count in after.items()})
    found = sorted((ends, count) for ends, count in new.items() if count > 0)
    return histogram(
        ((float(end), count) for (_, end), count in found),
        sum_ns=sum((begin + end) / 2 * count for (begin, end), count in found),
        min_ns=float(found[0][0][0]) if found else 0.0,
        max_ns=float(found[-1][0][1]) if found else 0.0,
        steps=[(float(begin), float(end)) for (begin, end), _ in found],
    )
