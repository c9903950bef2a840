# SPDX-License-Identifier: BSD-3-Clause
"""Services of dpi: groups of rules, each with a share of a rate that the others may use when it does not."""

from dataclasses import asdict, dataclass, field
from pathlib import Path

OTHER = "other"
TOKENS_OF_BYTE = 800_000_000  # a token is 1e-8 bit: percent of kbit/s are tokens per ns
LEAST_BURST_BYTES = 2000


@dataclass(frozen=True)
class Service:
    """A line of the file; `rules` are ids, or beginnings of ids and `*`."""

    name: str
    percent: int
    rules: tuple[str, ...]

    def has(self, rule: str) -> bool:
        """Whether the rule with this id belongs to it."""
        return any(rule.startswith(word[:-1]) if word.endswith("*") else rule == word for word in self.rules)


def read_shares(path: Path) -> list[Service]:
    """`service percent rule...`; `#` begins a comment line. `other` has the rest."""
    services = []
    for line in path.read_text(encoding="ascii").splitlines():
        if line and not line.startswith("#"):
            name, percent, *rules = line.split()
            services.append(Service(name, int(percent), tuple(rules)))
    return [Service(OTHER, 100 - sum(service.percent for service in services), ()), *services]


@dataclass
class Count:
    """Packets that passed, and those that were over the share."""

    packets: int = 0
    bytes: int = 0
    over_packets: int = 0
    over_bytes: int = 0


@dataclass
class Bucket:
    """A service's tokens."""

    rate: int
    full: int
    tokens: int
    count: Count = field(default_factory=Count)


class Shaper:
    """The services of one instance. kbit 0: they are only counted."""

    def __init__(self, services: list[Service], kbit: int, burst_ms: int) -> None:
        self.services = services
        self.limits = kbit != 0
        self.burst_ns = burst_ms * 1_000_000
        self.spare, self.spare_full = 0, kbit * 100 * self.burst_ns
        self.filled_ns = 0
        self.buckets = {service.name: self._bucket(kbit * service.percent) for service in services}

    def _bucket(self, rate: int) -> Bucket:
        full = max(rate * self.burst_ns, LEAST_BURST_BYTES * TOKENS_OF_BYTE) if rate else 0
        return Bucket(rate, full, full)

    def service_of(self, rule: str | None) -> str:
        """The service of a packet that is charged to this rule."""
        return next((s.name for s in self.services if rule is not None and s.has(rule)), OTHER)

    def fill(self, now_ns: int) -> None:
        """What a bucket has no room for is for all."""
        passed = min(now_ns - self.filled_ns, self.burst_ns)
        for bucket in self.buckets.values():
            tokens = bucket.tokens + passed * bucket.rate
            bucket.tokens = min(tokens, bucket.full)
            self.spare += tokens - bucket.tokens
        self.spare = min(self.spare, self.spare_full)
        self.filled_ns = now_ns

    def take(self, service: str, size: int) -> bool:
        """False: the packet is over the service's share, and there is too little to spare."""
        bucket, cost = self.buckets[service], size * TOKENS_OF_BYTE
        passes = True
        if self.limits and bucket.tokens >= cost:
            bucket.tokens -= cost
        elif self.limits:
            passes = self.spare >= cost
            self.spare -= cost if passes else 0
        bucket.count.packets += passes
        bucket.count.bytes += size * passes
        bucket.count.over_packets += not passes
        bucket.count.over_bytes += size * (not passes)
        return passes

    def report(self) -> dict[str, dict[str, int]]:
        """The counts as in the totals line."""
        return {s.name: {"percent": s.percent} | asdict(self.buckets[s.name].count) for s in self.services}
