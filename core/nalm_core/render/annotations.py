# SPDX-License-Identifier: Apache-2.0
"""GitHub workflow commands: lines that its runner shows at the source line of a pull request.

Each command is one line. Characters that could end the line or begin a property are percent-encoded, as the
runner decodes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from nalm_core.render.unmeasured import OUTCOME, Unmeasured
from nalm_core.report.outcome import Outcome
from nalm_core.text.plain_text import plain
from nalm_core.verdict.judged import Judged
from nalm_core.verdict.places import places

Level = Literal["error", "warning", "notice"]
MOST_OF_A_LEVEL = 10
"""Most commands of one level that the runner shows for a step."""
_LEVELS: dict[str, Level] = {
    Outcome.REGRESSED: "error",
    Outcome.BROKEN: "error",
    Outcome.INVALID: "error",
    Outcome.INCONCLUSIVE: "warning",
    Outcome.IMPROVED: "notice",
}


def workflow_commands(runs: Sequence[Judged], unmeasured: Sequence[Unmeasured] = ()) -> str:
    """One line for each message; the empty text if all runs are `same` and no metric fails or is lost."""
    kept: list[str] = []
    left: dict[Level, int] = dict.fromkeys(("error", "warning", "notice"), MOST_OF_A_LEVEL)
    for judged in runs:
        level = _LEVELS.get(judged.verdict.worst)
        if level is None:
            continue
        lines = list(_of_run(judged, level))[: left[level]]
        left[level] -= len(lines)
        kept += lines
    kept += [
        command("error", one.reason, {"title": f"nalm: {one.about} {OUTCOME}"})
        for one in unmeasured[: left["error"]]
    ]
    return "".join(f"{line}\n" for line in kept)


def _of_run(judged: Judged, level: Level) -> Iterator[str]:
    verdict = judged.verdict
    title = f"nalm: {verdict.scenario} {verdict.worst}"
    yield command(level, verdict.reason, {"title": title})
    if verdict.outcome != Outcome.REGRESSED:
        return
    for place in places(judged):
        if place.file is not None:
            where = {"file": place.file} | ({"line": str(place.line)} if place.line else {})
            stage = f"{place.stage}: " if place.stage else ""
            yield command(level, f"{stage}{place.function}: {place.cost}", where | {"title": title})


def command(level: Level, message: str, properties: dict[str, str]) -> str:
    """A workflow command."""
    given = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{level} {given}::{_data(message)}"


def _data(text: str) -> str:
    one_line = "".join("\n" if char in "\v\f\x1c\x1d\x1e\x85\u2028\u2029" else char for char in plain(text))
    return one_line.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
