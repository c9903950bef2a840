# SPDX-License-Identifier: Apache-2.0
"""What an extract has."""

from __future__ import annotations

from enum import StrEnum

from nalm_core.explain import Explanation
from nalm_core.features.decomposition import Decomposition
from nalm_core.functions.model import FunctionJudgement
from nalm_core.profiles.flame import Frame
from nalm_core.profiles.function_costs import FunctionCosts
from nalm_core.report.run_report import Arm, RunReport

from nalm_server.base.schemas import Schema
from nalm_server.results.schemas import RoundSetAside
from nalm_server.results.summary import Remains


class ExtractKind(StrEnum):
    PAGES = "pages"
    """Extract."""
    NO_ROUNDS = "no_rounds"
    """WithoutRounds."""


class RoundPoint(Schema):
    """One kept round."""

    launch: int
    turn: int
    cpp: float
    """Cycles per packet of the chain."""


class Rounds(Schema):
    base: list[RoundPoint]
    head: list[RoundPoint]
    head_as_base: list[RoundPoint]
    """Head's build run with base's feature set; empty unless the feature set changed."""


class CodeExtract(Schema):
    """Functions of base and of the arm that is judged against it."""

    functions: list[FunctionCosts]
    judged: list[FunctionJudgement]
    instruction_flame: Frame | None
    cycle_flame: Frame | None


class Extract(Schema):
    """What the page of a run and Compare show of its report at first."""

    remains: Remains
    rounds: Rounds
    decomposition: Decomposition | None
    """Before `with_chain`."""
    explanation: Explanation | None
    code: CodeExtract


class WithoutRounds(Schema):
    """A report without its rounds, by far its largest part, and what counts and source text need of them."""

    report: RunReport
    cpp: dict[Arm, float | None]
    """The chain's cycles per packet."""
    rounds: int
    rounds_set_aside: list[RoundSetAside]
