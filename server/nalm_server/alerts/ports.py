# SPDX-License-Identifier: Apache-2.0
"""What alerts report to packages above, and request from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.alerts.confirmation_schemas import Confirming
from nalm_server.alerts.models import AlertRow
from nalm_server.base.ports import Event, Port

suspected: Event[[Session, AlertRow, datetime]] = Event()
"""An alert is new or has new evidence: it needs a second measurement."""

assigned: Event[[Session, Sequence[int], int | None]] = Event()
"""Change points, by number, now belong to this alert, or to none."""

changed: Event[[Session, AlertRow, datetime]] = Event()
"""The forges' statuses of the alert's commits may have changed."""

accepted: Event[[Session, int, str, datetime]] = Event()
"""A finding of this project's commit, by its SHA, was accepted."""

notify: Port[Callable[[Session, AlertRow, str, datetime], int | None]] = Port("alerts.ports.notify")
"""Sends an alert's new state, with the reason. Returns the number of messages; None: no notification."""

confirming: Port[Callable[[Session, int], Confirming | None]] = Port("alerts.ports.confirming")
"""Progress of an alert's confirmation."""
