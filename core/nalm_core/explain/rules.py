# SPDX-License-Identifier: Apache-2.0
"""Advice as data (advice.toml): a rule fires if all its conditions hold for a change's signature.

A condition on a quantity that was not counted does not hold: unknown is never 0.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources
from typing import Literal

from pydantic import Field, field_validator

from nalm_core.explain.case import Case
from nalm_core.explain.model import Advice, Detail, Direction
from nalm_core.explain.quantities import QUANTITIES
from nalm_core.explain.saying import number
from nalm_core.explain.signature import Signature
from nalm_core.report.terms import Model
from nalm_core.verdict.change import Cause

Of = Literal["before", "after", "change", "relative"]
_WORDS = {"before": "was", "after": "is", "change": "changed by", "relative": "changed relatively by"}


class Condition(Model):
    """One comparison, read as `quantity of is value`: first-level data misses, change, >= 0.05."""

    quantity: str
    of: Of
    is_: Literal[">=", "<="] = Field(alias="is")
    value: float = Field(allow_inf_nan=False)

    @field_validator("quantity")
    @classmethod
    def _known(cls, name: str) -> str:
        if name not in QUANTITIES:
            raise ValueError(f"unknown quantity {name}: use one of {', '.join(QUANTITIES)}")
        return name

    def because(self, found: Signature) -> str | None:
        """The condition with its figure if it holds, else None."""
        seen = self._seen(found)
        if seen is None or not (seen >= self.value if self.is_ == ">=" else seen <= self.value):
            return None
        limit = "at least" if self.is_ == ">=" else "at most"
        signed = f"{seen:+.3g}" if self.of in ("change", "relative") else number(seen)
        words = QUANTITIES[self.quantity].words
        return f"{words} {_WORDS[self.of]} {signed} (the rule needs {limit} {self.value:g})"

    def _seen(self, found: Signature) -> float | None:
        if self.of == "change":
            return found.change(self.quantity)
        if self.of == "relative":
            return found.relative(self.quantity)
        one = found.get(self.quantity)
        return None if one is None else one.before if self.of == "before" else one.after


class Rule(Model):
    """One practice, and the signature that calls for it."""

    id: str = Field(pattern=r"^[a-z][a-z-]+$")
    title: str
    direction: Direction
    metric: Literal["eipc_up", "ipp_down"]
    advice: str
    source: str
    cause: Cause | None = None
    """Fires for this cause only; None: for any."""
    details: list[Detail] = Field(default_factory=list)
    """Fires for these only; empty: for any."""
    words: list[str] = Field(default_factory=list)
    """Fires if a word in the name of the paying function or stage begins with one of these; empty: always."""
    variants: list[str] = Field(default_factory=list)
    """A variant with a word in its name that begins with one of these tries the practice."""
    when: list[Condition] = Field(default_factory=list)
    """All must hold."""

    def fired(self, case: Case, found: Signature, detail: Detail) -> list[str] | None:
        """The conditions that made it fire, with their figures; None if it does not."""
        if self.cause not in (None, case.cause) or (self.details and detail not in self.details):
            return None
        named = self._named(case)
        held = [reason for reason in (one.because(found) for one in self.when) if reason is not None]
        if named is None or len(held) < len(self.when):
            return None
        cause = [f"the cause is {case.cause}"] if self.cause else []
        return [*cause, *([f"found: {detail.replace('_', ' ')}"] if self.details else []), *named, *held]

    def _named(self, case: Case) -> list[str] | None:
        if not self.words:
            return []
        names = [name for name in (case.who.name if case.who else None, case.stage) if name]
        hits = [(word, name) for name in names for word in self.words if begins_a_word(word, name)]
        return [f'the name {hits[0][1]} contains "{hits[0][0]}"'] if hits else None


def begins_a_word(word: str, name: str) -> bool:
    """Whether a word of the name begins so."""
    return re.search(rf"(?:^|[^a-z]){re.escape(word)}", name.lower()) is not None


@cache
def rules() -> tuple[Rule, ...]:
    """All rules of the package, most specific first."""
    text = resources.files("nalm_core.explain").joinpath("advice.toml").read_text(encoding="utf-8")
    return tuple(Rule.model_validate(one) for one in tomllib.loads(text)["rule"])


def advise(case: Case, found: Signature, detail: Detail) -> list[Advice]:
    """The advice of all rules that fire, in the rules' order."""
    fired = ((rule, rule.fired(case, found, detail)) for rule in rules())
    return [
        Advice(
            rule=rule.id,
            title=rule.title,
            direction=rule.direction,
            metric=rule.metric,
            text=rule.advice,
            because=because,
            source=rule.source,
        )
        for rule, because in fired
        if because is not None
    ]
