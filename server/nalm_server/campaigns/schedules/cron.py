# SPDX-License-Identifier: Apache-2.0
"""Times of a schedule in UTC: minute, hour, day of month, month and day of week, as in cron.

Numbers, lists `1,15`, ranges `1-5`, steps `*/15` and `8-18/2`, names of months and days. Celery's crontab
parses the fields and computes the next time. Day of month and day of week must both match.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from celery.schedules import ParseException, crontab, crontab_parser

NUMBER = r"\d{1,3}"


class CronError(ValueError):
    """Names the wrong field and the error."""


@dataclass(frozen=True)
class Field:
    name: str
    first: int
    size: int
    names: str | None = None

    def require(self, text: str) -> None:
        """Raises CronError."""
        one = NUMBER if self.names is None else f"(?:{NUMBER}|{self.names})"
        part = rf"(?:{one}|(?:\*|{one}-{one})(?:/0*[1-9]\d{{0,2}})?)"
        if not re.fullmatch(f"{part}(?:,{part})*", text, re.ASCII):
            raise CronError(self._wrong(text))
        try:
            crontab_parser(self.size, self.first).parse(text)
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
    times: crontab

    def after(self, now: datetime) -> datetime:
        """The next matching minute later than `now`."""
        begin, gap, _ = self.times.remaining_delta(now.astimezone(UTC), tz=UTC)
        found: datetime = begin + gap
        return found


def parse(text: str) -> Cron:
    """Raises CronError, which names the wrong field, or says that the time never comes."""
    parts = text.lower().split()
    if len(parts) != len(FIELDS):
        named = ", ".join(one.name for one in FIELDS)
        raise CronError(f"five fields are needed, {len(parts)} are given: {named}")
    for field, part in zip(FIELDS, parts, strict=True):
        field.require(part)
    minute, hour, day, month, weekday = parts
    try:
        return Cron(crontab(minute, hour, weekday, day, month, nowfun=partial(datetime.now, UTC)))
    except ValueError as error:
        raise CronError("there is no such day: the days of the month never come in these months") from error


def checked(text: str, now: datetime) -> str:
    """The expression with single spaces. Raises CronError, also if its time never comes."""
    parse(text).after(now)
    return " ".join(text.lower().split())
