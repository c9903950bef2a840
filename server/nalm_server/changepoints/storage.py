# SPDX-License-Identifier: Apache-2.0
"""Stores the result of a look. A change point keeps its row, and its alert, while it moves a little."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from nalm_server.changepoints import points_repository as repository
from nalm_server.changepoints.look import Found, Looked
from nalm_server.changepoints.models import ChangePointRow
from nalm_server.changepoints.schemas import PointState

SUSPICIONS = (PointState.SUSPECTED, PointState.DISCARDED)
TWINS = 3
"""Number of commits by which two blocks may place one change differently."""


def store(session: Session, looked: Looked, now: datetime, *, old_news: bool) -> None:
    """Replaces the points of the judged commits. The caller holds the look's lock."""
    rows: dict[int, list[ChangePointRow]] = defaultdict(list)
    for row in repository.of_series(session, looked.series):
        if row.commit_id in looked.judged[row.series_id] or row.commit_id not in looked.places:
            rows[row.series_id].append(row)
    found: dict[int, list[Found]] = defaultdict(list)
    for one in _without_twins(looked):
        if not (one.suspected and (old_news or one.series in looked.past)):
            found[one.series].append(one)
    for series in rows.keys() | found.keys():
        state = PointState.PAST if old_news or series in looked.past else PointState.NEW
        left = {row.commit_id: row for row in rows[series]}
        for one, same in _matched(found[series], left, looked.places):
            _fill(session, same, one, state, now)
        for row in left.values():
            if row.alert_id is None or row.commit_id not in looked.begins:
                _vanished(session, row, now)
    session.flush()


def host_steps(known: list[dict[str, Any]], looked: Looked) -> list[dict[str, Any]]:
    """Keeps those of commits that were not judged now, in the line's order."""
    kept = [
        one
        for one in known
        if one["commit"] in looked.places and one["commit"] not in looked.judged[one["series"]]
    ]
    found = [*kept, *map(dict, looked.host_steps)]
    return sorted(found, key=lambda one: (looked.places[one["commit"]], one["series"], one["host"]))


def _without_twins(looked: Looked) -> list[Found]:
    place = looked.places
    out: list[Found] = []
    for one in sorted(looked.found, key=lambda each: (each.series, place[each.commit])):
        last = out[-1] if out and out[-1].series == one.series else None
        twin = last is not None and place[one.commit] - place[last.commit] <= TWINS
        if last is not None and twin and (one.ratio > 1) == (last.ratio > 1):
            out[-1] = max(last, one, key=lambda each: each.probability)
        else:
            out.append(one)
    return out


def _matched(
    found: list[Found], left: dict[int, ChangePointRow], places: dict[int, int]
) -> list[tuple[Found, ChangePointRow | None]]:
    """Each with the row of the same change, from those left: at the same commit, else near it."""
    exact = {one.commit: left.pop(one.commit) for one in found if one.commit in left}
    matched: list[tuple[Found, ChangePointRow | None]] = []
    for one in found:
        row = exact.get(one.commit)
        if row is None and (row := _same(one, left, places)) is not None:
            del left[row.commit_id]
        matched.append((one, row))
    return matched


def _same(one: Found, left: dict[int, ChangePointRow], place: dict[int, int]) -> ChangePointRow | None:
    """The earlier row of the change: same direction, nearest, within the interval of either."""
    near = [
        row
        for row in left.values()
        if row.commit_id in place
        and (row.ratio > 1) == (one.ratio > 1)
        and place.get(one.low, 0) <= place.get(row.high_commit_id, 0)
        and place.get(row.low_commit_id, 0) <= place[one.high]
    ]
    return min(near, key=lambda row: abs(place[row.commit_id] - place[one.commit]), default=None)


def _fill(session: Session, row: ChangePointRow | None, one: Found, state: PointState, now: datetime) -> None:
    if row is None:
        row = ChangePointRow(series_id=one.series, detected_at=now, significant=False)
        row.state = PointState.SUSPECTED if one.suspected else state
        if row.state == PointState.NEW:
            row.trial_id = repository.begin_trial(session, one.series, one.probability, now)
        repository.add(session, row)
    elif one.suspected:
        _suspect(session, row, now)
    elif row.state in SUSPICIONS:
        row.state = state
        if state is PointState.NEW:
            row.trial_id = repository.begin_trial(session, one.series, one.probability, now)
    elif row.state != PointState.PAST and not _known(row, one):
        row.state = state
    row.commit_id, row.low_commit_id, row.high_commit_id = one.commit, one.low, one.high
    row.ratio, row.probability, row.chain_share = one.ratio, one.probability, one.chain_share
    row.p_value, row.kind = one.p_value, one.kind
    if row.withdrawn_at is not None:
        repository.end_trial(session, row.trial_id, None)
    row.withdrawn_at = None


def _suspect(session: Session, row: ChangePointRow, now: datetime) -> None:
    """More values left less of a change than there was. A suspicion stays what measuring it again made of
    it."""
    if row.alert_id is None and row.state not in SUSPICIONS:
        repository.end_trial(session, row.trial_id, now)
        row.state, row.trial_id, row.significant = PointState.SUSPECTED, None, False


def _known(row: ChangePointRow, one: Found) -> bool:
    """True if there is nothing to weigh: unchanged, or its alert already has this place."""
    certain = (one.probability, one.p_value) == (row.probability, row.p_value)
    same = certain and (one.low, one.high) == (row.low_commit_id, row.high_commit_id)
    settled = same or row.alert_id is not None
    return settled and row.commit_id == one.commit and row.state != PointState.WITHDRAWN


def _vanished(session: Session, row: ChangePointRow, now: datetime) -> None:
    repository.end_trial(session, row.trial_id, now)
    if row.alert_id is None:
        repository.remove(session, row)
    elif row.state != PointState.WITHDRAWN:
        row.state, row.withdrawn_at = PointState.WITHDRAWN, now
