# SPDX-License-Identifier: Apache-2.0
"""The source line with most of a change, by samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise
from math import sqrt

from nalm_core.explain.case import Case
from nalm_core.explain.limits import CODE_LINES, LINE_SHARE
from nalm_core.report.defaults import FUNCTION_ERRORS
from nalm_core.report.profile import ProfiledLine
from nalm_core.report.run_report import Arm
from nalm_core.report.source_text import SourceText, Stretch

Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class LineShift:
    """Cycles per packet at one line under the stage that pays."""

    file: str
    line: int
    base: float
    head: float
    code_lines: int
    """Cache lines of code that its samples are in, in the arm that has more of them; 0: unknown."""

    @property
    def is_one_place(self) -> bool:
        """False if the line is code at many places: unrolled, generated or inlined."""
        return self.code_lines < CODE_LINES

    def text(self) -> str:
        return (
            f"{self.file}:{self.line} took {self.base:.1f} and now takes {self.head:.1f} cycles/packet "
            "(samples)"
        )


def line_shift(case: Case) -> LineShift | None:
    """The line that changed most, if beyond the scatter of samples and by LINE_SHARE of the change.

    The report's source text maps base's lines to head's, since an edit above a line moves it; without the
    text no line is named.
    """
    arms = (Arm.BASE, case.head)
    (before, after), change = (_lines(case, arm) for arm in arms), case.change
    if case.report.source_text is None or before is None or after is None or change is None:
        return None
    cycles = (change.head.cpp if change.head else 0.0) - (change.base.cpp if change.base else 0.0)
    shifts = [
        (case.sign * (after.get(at, _NONE)[0] - before.get(at, _NONE)[0]), at)
        for at in dict.fromkeys([*after, *before])
    ]
    growth, at = max(shifts, default=(0.0, ("", 0)))
    old, new = before.get(at, _NONE), after.get(at, _NONE)
    beyond = growth > FUNCTION_ERRORS * sqrt(old[1] ** 2 + new[1] ** 2)
    if growth <= 0 or not at[1] or not beyond or growth < LINE_SHARE * case.sign * cycles:
        return None
    spread = max(_code_lines(case, arm).get(at, 0) for arm in arms)
    return LineShift(at[0], at[1], old[0], new[0], spread)


_NONE = (0.0, 0.0)


def _moved(text: SourceText) -> dict[Place, Place]:
    """Places in head of base's lines in the repository; of an edited line that of its new text; line 0 for
    lines of base alone."""
    found = {
        (one.file, base): (one.file, head or 0)
        for one in text.files
        for stretch in one.stretches
        for base, head, _ in stretch.numbered()
        if base is not None
    }
    for one in text.files:
        for old, new in _edited(one.stretches):
            found[one.file, old] = (one.file, new)
    return found


def _edited(stretches: Sequence[Stretch]) -> Iterator[tuple[int, int]]:
    """Lines of base with those of head that took their place."""
    begin = (1, 1)
    """The lines of base and head after the last stretch that both have."""
    for one, other in pairwise([*stretches, None]):
        assert one is not None
        gone, new = (one, other) if one.head is None else (other, one)
        if one.base is not None and one.head is not None:
            begin = (one.base + len(one.lines), one.head + len(one.lines))
        elif gone is not None and new is not None and gone.head is None and (gone.base, new.head) == begin:
            yield from ((begin[0] + at, begin[1] + to) for at, to in _replaced(gone.lines, new.lines))


def _replaced(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Places of lines and of those that replaced them: as many as before in their order, others by their
    likeness."""
    if len(old) == len(new):
        yield from ((at, at) for at in range(len(old)))
        return
    behind = 0
    for at, line in enumerate(old):
        if like := get_close_matches(line.strip(), [one.strip() for one in new[behind:]], n=1):
            behind += [one.strip() for one in new[behind:]].index(like[0]) + 1
            yield at, behind - 1


def _lines(case: Case, arm: Arm) -> dict[Place, tuple[float, float]] | None:
    """Cycles a packet and their standard error; None where the arm was not sampled."""
    profile = next((one for one in case.report.profiles if one.arm is arm), None)
    chain, info = case.verdict.chain, case.report.arms.get(arm)
    figure = chain and (chain.base if arm is Arm.BASE else chain.head)
    if profile is None or not figure or info is None:
        return None
    apart = {one.name for one in info.stages if one.apart}
    own = profile.samples - sum(count for name, count in profile.stages.items() if name in apart)
    counts: dict[Place, int] = {}
    for at, line in _sampled_lines(case, arm):
        counts[at] = counts.get(at, 0) + line.samples
    if own <= 0:
        return None
    each = figure.cpp / own
    return {at: (samples * each, sqrt(samples) * each) for at, samples in counts.items()}


def _code_lines(case: Case, arm: Arm) -> dict[Place, int]:
    """Cache lines of code by source line."""
    found: dict[Place, int] = {}
    for at, line in _sampled_lines(case, arm):
        found[at] = found.get(at, 0) + (line.code_lines or 0)
    return found


def _sampled_lines(case: Case, arm: Arm) -> Iterator[tuple[Place, ProfiledLine]]:
    """The sampled lines of the stage that pays, with their places in head."""
    profile = next((one for one in case.report.profiles if one.arm is arm), None)
    info = case.report.arms.get(arm)
    apart = info.apart_stages() if info else frozenset()
    text = case.report.source_text
    moved = _moved(text) if text is not None and arm is Arm.BASE else {}
    for function in profile.functions if profile else ():
        if function.stage not in apart and case.stage in (None, function.stage):
            for line in function.lines:
                yield moved.get((line.file, line.line), (line.file, line.line)), line
