# SPDX-License-Identifier: Apache-2.0
"""Changes of stages' costs between two commits, by all comparisons that lead from one to the other."""

from __future__ import annotations

from sqlalchemy.orm import Session

from nalm_server.features.price_lines import Key
from nalm_server.results.links.linked import Solution, solutions
from nalm_server.results.series import repository as series


class LinkedStages:
    """Reads the levels of a scenario on a host class when they are first asked for."""

    def __init__(self, session: Session, project_id: int) -> None:
        self._session, self._project_id = session, project_id
        self._scenarios: dict[str, int] | None = None
        self._of: dict[tuple[str, str], dict[str, Solution]] = {}

    def change(self, key: Key, base: str, head: str) -> tuple[float, float] | None:
        """(ln(head / base) of the stage named like the feature, its standard error); None: no links."""
        one = self._solutions(key.scenario, key.host_class).get(key.feature)
        return None if one is None else one.between(base, head)

    def _solutions(self, scenario: str, host_class: str) -> dict[str, Solution]:
        if self._scenarios is None:
            rows = series.list_scenarios(self._session, self._project_id)
            self._scenarios = {row.name: row.id for row in rows}
        of = scenario, host_class
        if of not in self._of:
            number = self._scenarios[scenario]
            found = solutions(self._session, number, host_class, "cpp", stages=None)
            self._of[of] = {one.stage: one for one in sorted(found, key=lambda each: len(each.links))}
        return self._of[of]
