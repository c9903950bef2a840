# SPDX-License-Identifier: Apache-2.0
"""link_values, function_links, other_links: the comparisons that linked histories are made of

The comparisons of cycles and instructions that stored verdicts have are entered here; those of other metrics
begin with the next runs, or with `nalm-server store links`, which reads stored reports.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import log
from statistics import NormalDist
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

AT_ONCE = 500


def upgrade() -> None:
    op.create_table(
        "link_values",
        sa.Column("series_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("part", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("ln_ratio", sa.Double(), nullable=False),
        sa.Column("variance", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["series_id"], ["series.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("series_id", "run_id", "part"),
    )
    op.create_table(
        "function_links",
        sa.Column("series_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("ln_ipp", sa.Double(), nullable=True),
        sa.Column("ln_calls", sa.Double(), nullable=True),
        sa.Column("ln_cpp", sa.Double(), nullable=True),
        sa.Column("variance", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["series_id"], ["function_series.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("series_id", "run_id"),
    )
    op.create_table(
        "other_links",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("series_id", sa.Integer(), nullable=False),
        sa.Column("report_id", sa.String(length=32), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("host", sa.String(length=128), nullable=False),
        sa.Column("base_sha", sa.String(length=64), nullable=False),
        sa.Column("head_sha", sa.String(length=64), nullable=False),
        sa.Column("base_features", sa.String(length=1024), nullable=True),
        sa.Column("head_features", sa.String(length=1024), nullable=True),
        sa.Column("ln_ratio", sa.Double(), nullable=False),
        sa.Column("variance", sa.Double(), nullable=False),
        sa.Column("measured_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["series_id"], ["series.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("series_id", "report_id"),
    )
    op.create_index("ix_other_links_report_id", "other_links", ["report_id"])
    if not op.get_context().as_sql:
        _fill()
    op.create_index("ix_link_values_run_id", "link_values", ["run_id"])
    op.create_index("ix_function_links_run_id", "function_links", ["run_id"])


def downgrade() -> None:
    _known_to_the_older()
    op.drop_table("other_links")
    op.drop_table("function_links")
    op.drop_table("link_values")


def _known_to_the_older() -> None:
    """Keeps links over distances, closed, as jobs of a reason that an older program knows."""
    op.execute(
        "UPDATE jobs SET state = 'cancelled', held = NULL, fence = fence + 1, finished_at = updated_at "
        "WHERE reason = 'link' AND finished_at IS NULL"
    )
    op.execute("UPDATE jobs SET reason = 'bisect' WHERE reason = 'link'")
    op.execute("UPDATE campaigns SET active = false WHERE kind = 'link'")


def _fill() -> None:
    """Of runs with values in series: the verdict names no load, which their series' sources have."""
    connection = op.get_bind()
    insert = sa.text(
        "INSERT INTO link_values (series_id, run_id, part, ln_ratio, variance) "
        "VALUES (:series_id, :run_id, :part, :ln_ratio, :variance)"
    )
    last = 0
    while found := connection.execute(
        sa.text(
            "SELECT run_id, document FROM verdicts WHERE run_id > :last "
            "AND outcome NOT IN ('invalid', 'broken') "
            f"ORDER BY run_id LIMIT {AT_ONCE}"
        ),
        {"last": last},
    ).all():
        last = found[-1].run_id
        series = _series(connection, found[0].run_id, last)
        rows = [row for run_id, document in found for row in _rows(run_id, document, series.get(run_id, {}))]
        if rows:
            connection.execute(insert, rows)


def _series(connection: sa.Connection, first: int, last: int) -> dict[int, dict[tuple[str, str], int]]:
    """By run, the series of its values by (stage, metric)."""
    query = sa.text(
        "SELECT series_values.run_id, series_id, stage, metric FROM series_values "
        "JOIN series ON series.id = series_id WHERE metric IN ('cpp', 'ipp', 'eipc') "
        "AND series_values.run_id BETWEEN :first AND :last"
    )
    by_run: dict[int, dict[tuple[str, str], int]] = {}
    for run_id, series_id, stage, metric in connection.execute(query, {"first": first, "last": last}):
        by_run.setdefault(run_id, {})[stage, metric] = series_id
    return by_run


def _rows(run_id: int, document: Any, series: dict[tuple[str, str], int]) -> Iterator[dict[str, Any]]:
    for (stage, metric), part, ln_ratio, variance in _links(document):
        if (stage, metric) in series:
            yield {
                "series_id": series[stage, metric],
                "run_id": run_id,
                "part": part,
                "ln_ratio": ln_ratio,
                "variance": variance,
            }


Link = tuple[tuple[str, str], int, float, float]
"""((stage, metric), part, ln ratio, variance)."""


def _links(document: Any) -> Iterator[Link]:
    """Part 0: the code at equal features; part 1: the features. The error of a price was not stored: that of
    the code stands for it."""
    verdict = json.loads(document) if isinstance(document, str) else document
    chain, judged = verdict.get("chain"), verdict.get("judged_arm")
    if not chain:
        return
    features = bool(verdict.get("features_added") or verdict.get("features_removed"))
    part = 1 if features and judged is None else 0
    common = [one for one in verdict.get("stages") or [] if one.get("kind") == "common"]
    cycles: list[Link] = []
    for stage, change in [("chain", chain), *((one["stage"], one) for one in common)]:
        for metric, ln_ratio, variance in _of_change(change):
            cycles.append(((stage, metric), part, ln_ratio, variance))
    yield from cycles
    split, head = verdict.get("feature_split"), chain.get("head")
    for name, _, _, variance in cycles:
        if split and judged == "head_as_base" and head and name == ("chain", "cpp"):
            ratio = 1 + split["features_cycles"] / head["cpp"]
            if ratio > 0:
                yield name, 1, log(ratio), variance


def _of_change(change: dict[str, Any]) -> Iterator[tuple[str, float, float]]:
    base, head = change.get("base"), change.get("head")
    if not base or not head:
        return
    old, new = base.get("ipp"), head.get("ipp")
    one_source = (base.get("sources") or {}).get("ipp") == (head.get("sources") or {}).get("ipp")
    ln_ipp = log(new / old) if old and new and old > 0 and new > 0 and one_source else None
    ratio, low, high, level = (change.get(name) for name in ("ratio_cpp", "low", "high", "level"))
    if ratio and low and high and level and 0 < low <= ratio <= high and 0 < level < 1:
        variance = ((log(high) - log(low)) / 2 / NormalDist().inv_cdf(0.5 + level / 2)) ** 2
        yield "cpp", log(ratio), variance
        if ln_ipp is not None:
            yield "eipc", ln_ipp - log(ratio), variance
    if ln_ipp is not None:
        yield "ipp", ln_ipp, 0.0
