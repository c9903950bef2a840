# SPDX-License-Identifier: Apache-2.0
"""alerts.fix_measured_at, alerts.recovery, verdicts.recovery, alert_states.messages

A fix's time is no longer stored as the confirmation's. An alert that was fixed before its second measurement
had it there, and one that no host could measure again had the time of its report. The history of states has
both.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

ALERTS = sa.table(
    "alerts",
    sa.column("id", sa.Integer()),
    sa.column("confirmed_at", sa.DateTime(timezone=True)),
    sa.column("fix_measured_at", sa.DateTime(timezone=True)),
)
STATES = sa.table(
    "alert_states",
    sa.column("alert_id", sa.Integer()),
    sa.column("state", sa.String()),
    sa.column("at", sa.DateTime(timezone=True)),
    sa.column("who", sa.String()),
    sa.column("why", sa.Text()),
)
MEASURED_FIX = "% takes it back in every scenario"
NOT_AGAIN = "as first seen:%"


def _of_alert(*conditions: sa.ColumnElement[bool]) -> sa.Select[tuple[object]]:
    return sa.select(sa.func.max(STATES.c.at)).where(STATES.c.alert_id == ALERTS.c.id, *conditions)


def upgrade() -> None:
    op.add_column("alerts", sa.Column("fix_measured_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("alerts", sa.Column("recovery", sa.JSON(), nullable=True))
    op.add_column("verdicts", sa.Column("recovery", sa.JSON(), nullable=True))
    op.add_column("alert_states", sa.Column("messages", sa.Integer(), nullable=True))
    measured = _of_alert(STATES.c.state == "fixed", STATES.c.who.is_(None), STATES.c.why.like(MEASURED_FIX))
    op.execute(sa.update(ALERTS).values(fix_measured_at=measured.scalar_subquery()))
    at_the_fix = _of_alert(STATES.c.state == "fixed", STATES.c.at == ALERTS.c.confirmed_at)
    not_again = _of_alert(STATES.c.why.like(NOT_AGAIN), STATES.c.at == ALERTS.c.confirmed_at)
    op.execute(
        sa.update(ALERTS)
        .where(at_the_fix.scalar_subquery().is_not(None) | not_again.scalar_subquery().is_not(None))
        .values(confirmed_at=None)
    )


def downgrade() -> None:
    reported = _of_alert(STATES.c.why.like(NOT_AGAIN))
    op.execute(
        sa.update(ALERTS)
        .where(ALERTS.c.confirmed_at.is_(None))
        .values(confirmed_at=sa.func.coalesce(reported.scalar_subquery(), ALERTS.c.fix_measured_at))
    )
    op.execute(sa.text("UPDATE alerts SET state = 'reopened' WHERE state = 'partly_fixed'"))
    op.execute(sa.text("UPDATE alert_states SET state = 'reopened' WHERE state = 'partly_fixed'"))
    op.drop_column("alert_states", "messages")
    op.drop_column("verdicts", "recovery")
    op.drop_column("alerts", "recovery")
    op.drop_column("alerts", "fix_measured_at")
