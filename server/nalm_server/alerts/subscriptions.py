# SPDX-License-Identifier: Apache-2.0
"""An account's subscriptions: the alerts of its projects that it follows."""

from __future__ import annotations

from datetime import datetime
from fnmatch import fnmatchcase

from sqlalchemy.orm import Session

from nalm_server.alerts import list_repository, presentation
from nalm_server.alerts.list_repository import ListedAlert
from nalm_server.alerts.rules import rule_repository
from nalm_server.alerts.rules.models import SubscriptionRow
from nalm_server.alerts.schemas import Alert, Order, Subscription, SubscriptionNew
from nalm_server.auth.access.service import SIGN_IN
from nalm_server.auth.tokens.principal import Principal
from nalm_server.auth.tokens.scopes import Scope
from nalm_server.base.errors import ForbiddenError, NotFoundError, UnauthorizedError

LOOKED_AT = 2000
"""Number of newest or most severe alerts that are matched against the patterns."""


def require_account(caller: Principal) -> int:
    if caller.account_id is None:
        raise UnauthorizedError(f"Subscriptions belong to an account. {SIGN_IN}")
    return caller.account_id


def my_alerts(
    session: Session,
    caller: Principal,
    alert_filter: list_repository.AlertFilter,
    *,
    order: Order,
    limit: int,
) -> list[Alert]:
    """Alerts that match a subscription of the account, of projects that it may read."""
    own = rule_repository.subscriptions(session, require_account(caller))
    projects = rule_repository.readable_projects(session, caller)
    found = (
        list_repository.page(session, projects, alert_filter, order, limit=LOOKED_AT)
        if own and projects
        else []
    )
    return [presentation.shown(one) for one in found if any(matches(row, one) for row in own)][:limit]


def matches(row: SubscriptionRow, one: ListedAlert) -> bool:
    return (
        fnmatchcase(one.project, row.project)
        and any(fnmatchcase(name, row.scenario) for name in one.alert.scenarios)
        and fnmatchcase(one.alert.stage or "", row.stage)
        and fnmatchcase(one.commit.author or "", row.author)
    )


def _require_own(caller: Principal) -> int:
    """The account of a caller that may write."""
    if caller.scope is Scope.READ:
        raise ForbiddenError("This token only reads.")
    return require_account(caller)


def list_subscriptions(session: Session, caller: Principal) -> list[Subscription]:
    return [
        Subscription.model_validate(one)
        for one in rule_repository.subscriptions(session, require_account(caller))
    ]


def subscribe(session: Session, caller: Principal, new: SubscriptionNew, now: datetime) -> Subscription:
    """Adding the same subscription again changes nothing."""
    account = _require_own(caller)
    for row in rule_repository.subscriptions(session, account):
        if new.model_dump() == {name: getattr(row, name) for name in SubscriptionNew.model_fields}:
            return Subscription.model_validate(row)
    row = SubscriptionRow(account_id=account, created_at=now, **new.model_dump())
    rule_repository.add(session, row)
    return Subscription.model_validate(row)


def unsubscribe(session: Session, caller: Principal, number: int) -> None:
    account = _require_own(caller)
    row = rule_repository.find_subscription(session, number)
    if row is None or row.account_id != account:
        raise NotFoundError(f"You have no subscription {number}.")
    rule_repository.remove(session, row)
