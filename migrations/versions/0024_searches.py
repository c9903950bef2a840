# SPDX-License-Identifier: Apache-2.0
"""Bisects and confirmations are campaigns

As for backfills, what only the previous version used stays, unused, and the downgrade fills it.
"""

from __future__ import annotations

from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

SHARED = "project_id, state, message, requested_by, tries, not_before, created_at, updated_at, finished_at"
OPEN_BISECT = "state IN ('planning', 'running')"
OPEN_PLAN = (
    "(p.state IN ('waiting', 'measuring', 'bisecting') "
    "OR EXISTS (SELECT 1 FROM confirmations n WHERE n.alert_id = p.alert_id AND n.outcome IS NULL))"
)
RATIOS = ("ratio", "low", "high", "level")


def _is_sqlite() -> bool:
    return op.get_context().dialect.name == "sqlite"


def _object(**values: str) -> str:
    """A JSON object of SQL expressions."""
    pairs = ", ".join(f"'{name}', {value}" for name, value in values.items())
    return f"json_object({pairs})" if _is_sqlite() else f"json_build_object({pairs})"


def _json(column: str) -> str:
    """A column of JSON within an object."""
    return f"json({column})" if _is_sqlite() else column


def _flag(column: str) -> str:
    return f"json(CASE WHEN {column} THEN 'true' ELSE 'false' END)" if _is_sqlite() else column


def _real(column: str) -> str:
    """With all its digits: SQLite writes fifteen of seventeen."""
    if not _is_sqlite():
        return column
    return f"CASE WHEN {column} IS NULL THEN NULL ELSE json(printf('%!.17g', {column})) END"


def _text(document: str, name: str) -> str:
    return f"json_extract({document}, '$.{name}')" if _is_sqlite() else f"{document} ->> '{name}'"


def _array(document: str, name: str) -> str:
    return f"json_extract({document}, '$.{name}')" if _is_sqlite() else f"{document} -> '{name}'"


def _number(document: str, name: str, kind: str) -> str:
    return f"CAST({_text(document, name)} AS {kind})"


def upgrade() -> None:
    _take_bisects()
    _take_confirmations()
    for kind, column in (("bisect", "bisect_id"), ("confirmation", "alert_id")):
        op.execute(
            f"UPDATE jobs SET campaign_id = (SELECT c.id FROM campaigns c WHERE c.kind = '{kind}' "
            f"AND c.number = jobs.{column}) WHERE {column} IS NOT NULL"
        )


def _take_bisects() -> None:
    spec = _object(scenario="scenario", good_sha="good_sha", bad_sha="bad_sha", commits=_json("commits"))
    result = _object(direction="direction", low_sha="low_sha", high_sha="high_sha")
    op.execute(
        f"INSERT INTO campaigns (kind, number, active, spec, result, {SHARED}) "
        f"SELECT 'bisect', id, {OPEN_BISECT}, {spec}, {result}, {SHARED} FROM bisects ORDER BY id"
    )
    op.execute(
        "INSERT INTO campaign_steps (campaign_id, ordinal, state, base_sha, head_sha, scenario, "
        "budget_seconds, job_id, run_id, outcome, why, detail, started_at, finished_at) "
        "SELECT c.id, s.place, CASE WHEN s.finding IS NULL THEN 'queued' WHEN s.reused THEN 'reused' "
        "ELSE 'done' END, b.good_sha, s.sha, b.scenario, s.budget_seconds, s.job_id, s.run_id, s.finding, "
        f"s.why, {_object(measurements='s.measurements')}, s.at, "
        "CASE WHEN s.finding IS NULL THEN NULL ELSE s.at END "
        "FROM bisect_steps s JOIN bisects b ON b.id = s.bisect_id "
        "JOIN campaigns c ON c.kind = 'bisect' AND c.number = b.id ORDER BY s.id"
    )


def _take_confirmations() -> None:
    result = _object(
        base_sha="p.base_sha",
        head_sha="p.head_sha",
        seen_on=_json("p.seen_on"),
        not_seen_on=_json("p.not_seen_on"),
        gradual=_flag("p.gradual"),
    )
    op.execute(
        f"INSERT INTO campaigns (kind, number, active, spec, result, {SHARED}) "
        f"SELECT 'confirmation', p.alert_id, {OPEN_PLAN}, '{{}}', {result}, a.project_id, p.state, p.why, "
        "p.requested_by, 0, NULL, p.begun_at, p.updated_at, p.finished_at "
        "FROM confirmation_plans p JOIN alerts a ON a.id = p.alert_id ORDER BY p.alert_id"
    )
    ratios = {name: _real(f"n.{name}") for name in RATIOS}
    detail = _object(wanted="n.wanted", first_host="n.first_host", **ratios)
    op.execute(
        "INSERT INTO campaign_steps (campaign_id, ordinal, state, base_sha, head_sha, scenario, host, "
        "budget_seconds, job_id, child_id, run_id, outcome, why, detail, started_at, finished_at) "
        "SELECT c.id, row_number() OVER (PARTITION BY n.alert_id ORDER BY n.id) - 1, "
        "CASE WHEN n.outcome IS NULL THEN 'queued' WHEN n.outcome = 'lost' THEN 'failed' ELSE 'done' END, "
        "p.base_sha, p.head_sha, n.scenario, n.host, n.budget_seconds, n.job_id, b.id, n.run_id, n.outcome, "
        f"n.why, {detail}, n.asked_at, n.answered_at "
        "FROM confirmations n JOIN confirmation_plans p ON p.alert_id = n.alert_id "
        "JOIN campaigns c ON c.kind = 'confirmation' AND c.number = n.alert_id "
        "LEFT JOIN campaigns b ON b.kind = 'bisect' AND b.number = n.bisect_id ORDER BY n.id"
    )


def downgrade() -> None:
    for table in ("confirmations", "confirmation_plans", "bisect_steps"):
        op.execute(f"DELETE FROM {table}")
    op.execute("UPDATE jobs SET bisect_id = NULL, alert_id = NULL WHERE bisect_id > 0 OR alert_id > 0")
    op.execute("DELETE FROM bisects")
    _give_bisects()
    _give_confirmations()
    for kind, column in (("bisect", "bisect_id"), ("confirmation", "alert_id")):
        op.execute(
            f"UPDATE jobs SET {column} = (SELECT c.number FROM campaigns c WHERE c.id = jobs.campaign_id "
            f"AND c.kind = '{kind}') WHERE campaign_id IS NOT NULL"
        )
    moved = "(SELECT id FROM campaigns WHERE kind IN ('bisect', 'confirmation'))"
    op.execute(f"UPDATE jobs SET campaign_id = NULL WHERE campaign_id IN {moved}")
    op.execute(f"DELETE FROM campaign_steps WHERE campaign_id IN {moved}")
    op.execute(f"DELETE FROM campaigns WHERE id IN {moved}")


def _give_bisects() -> None:
    texts = ("scenario", "good_sha", "bad_sha")
    results = ("direction", "low_sha", "high_sha")
    op.execute(
        f"INSERT INTO bisects (id, commits, {', '.join(texts)}, {', '.join(results)}, {SHARED}) "
        f"SELECT number, {_array('spec', 'commits')}, {', '.join(_text('spec', name) for name in texts)}, "
        f"{', '.join(_text('result', name) for name in results)}, {SHARED} "
        "FROM campaigns WHERE kind = 'bisect' ORDER BY number"
    )
    op.execute(
        "INSERT INTO bisect_steps (bisect_id, place, sha, finding, why, measurements, budget_seconds, "
        "job_id, run_id, reused, at) "
        "SELECT c.number, s.ordinal, s.head_sha, s.outcome, s.why, "
        f"{_number('s.detail', 'measurements', 'INTEGER')}, s.budget_seconds, s.job_id, s.run_id, "
        "s.state = 'reused', coalesce(s.finished_at, s.started_at) "
        "FROM campaign_steps s JOIN campaigns c ON c.id = s.campaign_id WHERE c.kind = 'bisect' ORDER BY s.id"
    )
    if not _is_sqlite():
        op.execute(
            "SELECT setval(pg_get_serial_sequence('bisects', 'id'), "
            "(SELECT coalesce(max(id), 0) + 1 FROM bisects), false)"
        )


def _give_confirmations() -> None:
    gradual = _text("result", "gradual") if _is_sqlite() else "CAST(result ->> 'gradual' AS BOOLEAN)"
    op.execute(
        "INSERT INTO confirmation_plans (alert_id, state, base_sha, head_sha, why, requested_by, seen_on, "
        "not_seen_on, gradual, begun_at, updated_at, finished_at) "
        f"SELECT number, state, {_text('result', 'base_sha')}, {_text('result', 'head_sha')}, message, "
        f"requested_by, {_array('result', 'seen_on')}, {_array('result', 'not_seen_on')}, {gradual}, "
        "created_at, updated_at, finished_at FROM campaigns WHERE kind = 'confirmation' ORDER BY number"
    )
    ratios = ", ".join(_number("s.detail", name, "DOUBLE PRECISION") for name in RATIOS)
    op.execute(
        "INSERT INTO confirmations (alert_id, scenario, wanted, budget_seconds, job_id, bisect_id, "
        f"first_host, host, run_id, outcome, {', '.join(RATIOS)}, why, asked_at, answered_at) "
        f"SELECT c.number, s.scenario, {_text('s.detail', 'wanted')}, s.budget_seconds, s.job_id, b.number, "
        f"{_text('s.detail', 'first_host')}, s.host, s.run_id, s.outcome, {ratios}, s.why, s.started_at, "
        "s.finished_at FROM campaign_steps s JOIN campaigns c ON c.id = s.campaign_id "
        "LEFT JOIN campaigns b ON b.id = s.child_id WHERE c.kind = 'confirmation' ORDER BY s.id"
    )
