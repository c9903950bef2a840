# SPDX-License-Identifier: Apache-2.0
"""GET /me/alerts; GET, POST and DELETE /me/subscriptions."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from nalm_server.alerts import subscriptions
from nalm_server.alerts.endpoints import Number, Since, States
from nalm_server.alerts.list_repository import AlertFilter
from nalm_server.alerts.schemas import Alert, Order, Subscription, SubscriptionNew
from nalm_server.auth.dependencies import Caller, Db, Now, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented

router = api_router("alerts", "/me")


@router.get("/alerts", responses=documented(401))
def list_my_alerts(
    session: ReadDb,
    caller: Caller,
    *,
    state: States = None,
    since: Since = None,
    order: Annotated[Order, Query(description="By severity, or newest first.")] = "severity",
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> list[Alert]:
    """Lists alerts that match one of your subscriptions, of all projects you may read."""
    return subscriptions.my_alerts(session, caller, AlertFilter(state, since=since), order=order, limit=limit)


@router.get("/subscriptions", responses=documented(401))
def list_my_subscriptions(session: ReadDb, caller: Caller) -> list[Subscription]:
    """Lists your subscriptions."""
    return subscriptions.list_subscriptions(session, caller)


@router.post("/subscriptions", status_code=201, responses=documented(401, 403, 413))
def add_my_subscription(new: SubscriptionNew, session: Db, caller: Caller, now: Now) -> Subscription:
    """Subscribes to alerts of projects, scenarios, stages and authors by pattern."""
    return subscriptions.subscribe(session, caller, new, now)


@router.delete("/subscriptions/{number}", status_code=204, responses=documented(401, 403, 404))
def remove_my_subscription(number: Number, session: Db, caller: Caller) -> None:
    """Removes a subscription."""
    subscriptions.unsubscribe(session, caller, number)
