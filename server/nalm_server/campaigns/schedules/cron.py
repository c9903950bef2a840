# SPDX-License-Identifier: Apache-2.0
"""Times of a schedule: minute, hour, day of month, month and day of week, as cron has them, in UTC.

Numbers, lists `1,15`, ranges `1-5`, steps `*/15` and `8-18/2`, names of months and days. Celery's crontab
parser reads a field. Days of the month and of the week must both fit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from celery.schedules import ParseException, crontab_parser

NUMBER = r"\d{1,3}"
LONGEST_GAP_DAYS = 366 * 41
"""29 February on a given day of the week, over a year that is no leap year."""


class CronError(ValueError):
    """Says which field is wrong, and how."""


@dataclass(frozen=True)
class Field:
    name: str
    first: int
    size: int
    names: str | None = None

    def parse(self, text: str) -> frozenset[int]:
        """Raises CronError."""
        one = NUMBER if self.names is None else f"(?:{NUMBER}|{self.names})"
        part = rf"(?:{one}|(?:\*|{one}-{one})(?:/0*[1-9]\d{{0,2}})?)"
        if not re.fullmatch(f"{part}(?:,{part})*", text, re.ASCII):
            raise CronError(self._wrong(text))
        try:
            return frozenset(crontab_parser(self.size, self.first).parse(text))
        except (ParseException, ValueError) as error:
            raise CronError(self._wrong(text)) from error

    def _wrong(self, text: str) -> str:
        last = self.first + self.size - 1
        names = f" or {self.names.replace('|', ', ')}" if self.names else ""
        return (
            f"the {self.name} {text!r} cannot be read: *, or numbers from {self.first} to {last}{names}, "
            "as a list 1,2, a range 1-5, or in steps */2"
        )


FIELDS = (
    Field("minute", 0, 60),
    Field("hour", 0, 24),
    Field("day of the month", 1, 31),
    Field("month", 1, 12, "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"),
    Field("day of the week", 0, 7, "sun|mon|tue|wed|thu|fri|sat"),
)


@dataclass(frozen=True)
class Cron:
    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    """0 is Sunday."""

    def after(self, now: datetime) -> datetime:
        """The next such minute later than `now`. Raises CronError if there is none."""
        start = (now.astimezone(UTC) + timedelta(minutes=1)).replace(second=0, microsecond=0)
        for number in range(LONGEST_GAP_DAYS):
            day = start.date() + timedelta(days=number)
            if self._fits(day) and (at := self._first_of(day, start)):
                return at
        raise CronError("there is no such day: the days of the month never come in these months")

    def _fits(self, day: date) -> bool:
        return day.month in self.months and day.day in self.days and day.isoweekday() % 7 in self.weekdays

    def _first_of(self, day: date, start: datetime) -> datetime | None:
        times = (
            datetime.combine(day, time(hour, minute), UTC)
            for hour in sorted(self.hours)
            for minute in sorted(self.minutes)
        )
        return next((at for at in times if at >= start), None)


def parse(text: str) -> Cron:
    """Raises CronError, which says which field is wrong."""
    parts = text.lower().split()
    if len(parts) != len(FIELDS):
        named = ", ".join(one.name for one in FIELDS)
        raise CronError(f"five fields are needed, {len(parts)} are given: {named}")
    return Cron(*(one.parse(part) for one, part in zip(FIELDS, parts, strict=True)))


def checked(text: str, now: datetime) -> str:
    """The expression with one space between its fields. Raises CronError, also when it never comes."""
    parse(text).after(now)
    return " ".join(text.lower().split())
