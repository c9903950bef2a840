# SPDX-License-Identifier: Apache-2.0
"""The price list of features: present prices, and since when and where they grew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from math import exp

from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.errors import NotFoundError
from nalm_server.features import price_repository, reference, repository
from nalm_server.features.linked_stages import LinkedStages
from nalm_server.features.price_lines import Key, Lines, PricePoint, by_experiments, by_merges, by_stages
from nalm_server.features.price_repository import Slower
from nalm_server.features.schemas import (
    Growth,
    Price,
    PriceChange,
    PriceHistory,
    PriceHistoryLine,
    PriceLine,
    PriceList,
    PriceSource,
    ReleaseRef,
)
from nalm_server.git.commits.models import CommitRow
from nalm_server.git.commits.service import ref
from nalm_server.git.refs import repository as refs
from nalm_server.results.links.linked import QUANTILE

TAGS = 100
"""Number of newest tags among which the one at the newest commit is searched."""


def price_list(session: Session, project: ProjectRow) -> PriceList:
    measured = by_experiments(session, project.id) | by_merges(session, project.id)
    newest = price_repository.newest_stages(session, project.id)
    names = {key.feature for key in measured} | set(chain(*(one.features or [] for one in newest)))
    now = measured | by_stages(session, newest, names)
    at, release = reference.commit_of(session, project), _release(session, project)
    before = _until(session, project, measured, names, at)
    released = _until(session, project, measured, names, release[1] if release else None)
    grown = price_repository.slower(session, project.id, sorted(names), at.position if at else -1)
    linked = LinkedStages(session, project.id)
    ids = [one.commit_id for lines in (now, before, released) for line in lines.values() for one in line]
    commits = price_repository.commits(session, [*ids, *(one.commit_id for one in grown)])
    return PriceList(
        reference=ref(at) if at else None,
        release=ReleaseRef(name=release[0], commit=ref(release[1])) if release else None,
        features=[
            PriceLine(
                **key._asdict(),
                series_id=now[key][-1].series_id,
                now=_price(now[key][-1], commits),
                since_reference=_change(linked, key, before.get(key), now[key][-1], commits),
                since_release=_change(linked, key, released.get(key), now[key][-1], commits),
                grown_by=[_growth(one, commits) for one in grown if _is_of(one, key)],
            )
            for key in sorted(now)
        ],
    )


def history(session: Session, project: ProjectRow, feature: str, limit: int) -> PriceHistory:
    """Every price of a feature along the default branch. Raises NotFoundError if there is none."""
    measured = by_experiments(session, project.id) | by_merges(session, project.id)
    costs = price_repository.stage_line(session, project.id, feature, limit)
    lines = {
        key: line
        for key, line in (measured | by_stages(session, costs, [feature])).items()
        if key.feature == feature
    }
    if not lines:
        raise NotFoundError(
            f"The cost of {feature!r} in project {project.name!r} is unknown: no experiment varied it, no "
            "merge added or removed it, and no stage has its name."
        )
    commits = price_repository.commits(session, [one.commit_id for line in lines.values() for one in line])
    return PriceHistory(
        feature=feature,
        lines=[
            PriceHistoryLine(
                **key._asdict(),
                series_id=lines[key][-1].series_id,
                points=[_price(one, commits) for one in lines[key][-limit:]],
            )
            for key in sorted(lines)
        ],
    )


def _release(session: Session, project: ProjectRow) -> tuple[str, CommitRow] | None:
    """The tag at the newest commit, and the commit."""
    tags = refs.tags(session, project.id, TAGS)
    known = repository.commits_of(session, project.id, [tag.sha for tag in tags])
    places = [(tag.name, known[tag.sha]) for tag in tags if tag.sha in known]
    return max(places, key=lambda place: place[1].position, default=None)


def _until(
    session: Session, project: ProjectRow, lines: Lines, names: set[str], commit: CommitRow | None
) -> Lines:
    """The lines up to a commit, without those that begin later; without a commit, all."""
    if commit is None:
        return {}
    position = commit.position
    stages = by_stages(session, price_repository.newest_stages(session, project.id, position), names)
    cut = {key: [one for one in line if one.position <= position] for key, line in lines.items()}
    return {key: line for key, line in (cut | stages).items() if line}


def _price(point: PricePoint, commits: Mapping[int, CommitRow]) -> Price:
    return Price(
        commit=ref(commits[point.commit_id]),
        run_id=point.run_id,
        cycles=point.cycles,
        low=point.low,
        high=point.high,
        pps=point.pps,
        stages=dict(point.stages),
    )


def _change(
    linked: LinkedStages,
    key: Key,
    line: Sequence[PricePoint] | None,
    now: PricePoint,
    commits: Mapping[int, CommitRow],
) -> PriceChange | None:
    """None if the feature had no price then, or has had none since."""
    if not line or line[-1].commit_id == now.commit_id:
        return None
    before = line[-1]
    since, at = commits[before.commit_id], commits[now.commit_id]
    change = linked.change(key, since.sha, at.sha) if key.source == PriceSource.STAGE else None
    cycles, apart = before.cycles, _apart(before, now)
    if change is not None:
        cycles, apart = now.cycles / exp(change[0]), abs(change[0]) > QUANTILE * change[1]
    grown = {name: cost - before.stages.get(name, 0.0) for name, cost in now.stages.items()}
    return PriceChange(
        since=ref(since),
        before_cycles=cycles,
        change_cycles=now.cycles - cycles,
        ratio=now.cycles / cycles if cycles > 0 else None,
        apart=apart,
        linked=change is not None,
        stage=max(grown, key=lambda name: grown[name], default=None),
    )


def _apart(before: PricePoint, now: PricePoint) -> bool | None:
    if before.low is None or before.high is None or now.low is None or now.high is None:
        return None
    return now.low > before.high or now.high < before.low


def _is_of(one: Slower, key: Key) -> bool:
    return (one.stage, one.scenario, one.host_class) == (key.feature, key.scenario, key.host_class)


def _growth(one: Slower, commits: Mapping[int, CommitRow]) -> Growth:
    shifts = [shift for shift in one.document.get("functions") or [] if shift["stage"] == one.stage]
    costliest = max(shifts, key=lambda shift: shift["head_cpp"] - shift["base_cpp"], default=None)
    return Growth(
        commit=ref(commits[one.commit_id]),
        run_id=one.run_id,
        stage=one.stage,
        function=costliest["name"] if costliest else None,
    )
