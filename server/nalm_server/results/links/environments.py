# SPDX-License-Identifier: Apache-2.0
"""The environment of each run: its host, as it was at that time, and its compiler."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from nalm_core.report.host_match import differences
from nalm_core.report.run_report import Host
from sqlalchemy.orm import Session

from nalm_server.results.links import repository
from nalm_server.results.links.graph import Graph
from nalm_server.results.links.repository import LinkRun

Environment = tuple[int, int, str | None]
"""(host, fingerprint, compiler): equal fingerprints of a host have one number."""
UNKNOWN: Environment = (0, 0, None)


class Environments:
    def __init__(
        self, graph: Graph, fingerprints: Sequence[tuple[int, int, datetime, dict[str, object]]]
    ) -> None:
        self._graph = graph
        self._hosts: dict[int, Host] = {}
        self._of_host: dict[int, list[tuple[datetime, int]]] = defaultdict(list)
        self._known: dict[int, Environment] = {}
        for number, host, at, fingerprint in fingerprints:
            self._add(number, host, at, Host.model_validate(fingerprint))

    def _add(self, number: int, host: int, at: datetime, properties: Host) -> None:
        """The number of an earlier fingerprint of the host that differs in nothing that matters, if any."""
        same = next(
            (
                known
                for _, known in reversed(self._of_host[host])
                if not differences(self._hosts[known], properties)
            ),
            number,
        )
        self._hosts.setdefault(same, properties)
        self._of_host[host].append((at, same))

    def of(self, number: int) -> Environment:
        """Of the run; each is looked up once, though every series of a scenario asks for it."""
        known = self._known.get(number)
        if known is None:
            known = self._known[number] = self._looked_up(number)
        return known

    def _looked_up(self, number: int) -> Environment:
        run = self.run(number)
        if run is None:
            return UNKNOWN
        known = self._of_host.get(run.host, [])
        at = bisect_right(known, run.received_at, key=lambda one: one[0])
        return (run.host, known[at - 1][1] if at else 0, run.compiler)

    def run(self, number: int) -> LinkRun | None:
        place = self._graph.place.get(number)
        return None if place is None else self._graph.runs[place]

    def changes(self, before: int, after: int) -> list[dict[str, str]]:
        """What differs between the environments of two runs, as cuts.Difference."""
        old, new = self.run(before), self.run(after)
        if old is None or new is None:
            return []
        (_, first, _), (_, second, _) = self.of(before), self.of(after)
        if old.host != new.host:
            found = [{"field": "name", "base": old.host_name, "head": new.host_name}]
        else:
            known = self._hosts.get(first), self._hosts.get(second)
            found = [
                {"field": one.field, "base": one.base, "head": one.head}
                for one in (differences(known[0], known[1]) if known[0] and known[1] else ())
            ]
        if old.compiler is not None and new.compiler is not None and old.compiler != new.compiler:
            found.append({"field": "compiler", "base": old.compiler, "head": new.compiler})
        return found


def environments_of(session: Session, graph: Graph) -> Environments:
    hosts = {one.host for one in graph.runs}
    return Environments(graph, repository.fingerprints(session, hosts) if hosts else [])
