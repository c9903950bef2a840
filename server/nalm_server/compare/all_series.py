# SPDX-License-Identifier: Apache-2.0
"""Two commits in every series both have a value in. It shows; it does not judge."""

from __future__ import annotations

from nalm_core.catalogue import METRICS
from sqlalchemy.orm import Session

from nalm_server.commits import service as commits
from nalm_server.compare import repository
from nalm_server.compare.repository import Figure, SeriesKey
from nalm_server.compare.schemas import SeriesComparison, SeriesComparisons
from nalm_server.projects.models import ProjectRow


def compare_all(session: Session, project: ProjectRow, *, base: str, head: str) -> SeriesComparisons:
    old, new = commits.require(session, project.id, base), commits.require(session, project.id, head)
    before, after = repository.figures_of(session, old.id), repository.figures_of(session, new.id)
    both = before.keys() & after.keys()
    keys = repository.series_of(session, project.id)
    compared = [_compared(keys[one], before[one], after[one]) for one in both]
    return SeriesComparisons(
        base=commits.ref(old),
        head=commits.ref(new),
        series=sorted(compared, key=lambda one: (one.scenario, one.host_class, one.stage, one.metric)),
        only_base=len(before) - len(both),
        only_head=len(after) - len(both),
    )


def _compared(key: SeriesKey, old: Figure, new: Figure) -> SeriesComparison:
    return SeriesComparison(
        scenario=key.scenario,
        host_class=key.host_class,
        stage=key.stage,
        metric=key.metric,
        source=key.source,
        base=old.value,
        base_low=old.low,
        base_high=old.high,
        head=new.value,
        head_low=new.low,
        head_high=new.high,
        ratio=new.value / old.value if old.value else None,
        better=METRICS[key.metric].better,
        apart=_apart(old, new),
    )


def _apart(old: Figure, new: Figure) -> bool | None:
    if None in (old.low, old.high, new.low, new.high):
        return None
    return bool(new.low > old.high or new.high < old.low)  # type: ignore[operator]
