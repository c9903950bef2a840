# SPDX-License-Identifier: Apache-2.0
"""Markdown of at most a screen about a change: verdict, stages, where to look, what would help.

The outcome of a run is that of its check: `regressed` if a metric that gates is.
Forges' comments, step summaries and files have the same text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import quote

from nalm_core.explain import explain
from nalm_core.findings.overall_change import overall_change, overall_text, pair_of
from nalm_core.render import figures
from nalm_core.render.escaping import code, text
from nalm_core.render.unmeasured import OUTCOME, Unmeasured
from nalm_core.report.outcome import CHANGED, FAILED, WORST_FIRST, Outcome
from nalm_core.verdict.change import Change
from nalm_core.verdict.judged import SHORT_SHA, Judged
from nalm_core.verdict.metric_change import said
from nalm_core.verdict.places import places
from nalm_core.verdict.verdict import Verdict

MAX_RUNS = 20
MAX_LISTED = 3
"""Runs with a section of their own; the others have one line."""
MAX_STAGES = 16
MAX_NOTES = 4
MAX_ADVICE = 2
LOG_LINES = 10
_HEADER = "| stage | CPP base | CPP head | change | interval | IPP | eIPC | cause |"
_RULE = "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |"


def markdown(runs: Sequence[Judged], unmeasured: Sequence[Unmeasured] = ()) -> str:
    """The whole text, worst run first. What could not be measured follows the list of runs."""
    ordered = sorted(runs, key=lambda judged: WORST_FIRST.index(judged.verdict.worst))
    outcomes = [*(judged.verdict.worst for judged in ordered), *(OUTCOME for _ in unmeasured)]
    worst = min(outcomes, key=WORST_FIRST.index, default=None)
    lines = [f"### nalm: {worst or 'nothing was measured'}{_commits(ordered)}"]
    lines += _list(ordered, unmeasured)
    listed = [judged for judged in ordered if judged.verdict.worst != Outcome.SAME] or ordered[:1]
    for judged in listed[:MAX_LISTED]:
        lines += ["", *_section(judged)]
    return "\n".join(lines) + "\n"


def explained_runs(verdicts: Sequence[Verdict]) -> set[int]:
    """Places of the runs that the text explains, which needs their rounds; it reads no others."""
    worst_first = sorted(range(len(verdicts)), key=lambda place: WORST_FIRST.index(verdicts[place].worst))
    return {place for place in worst_first[:MAX_LISTED] if verdicts[place].outcome in CHANGED}


def _commits(ordered: Sequence[Judged]) -> str:
    """The commits of the worst run."""
    if not ordered:
        return ""
    first = ordered[0]
    changes = " with changes" if first.dirty else ""
    named = ((first.head, changes), (first.base, ""))
    commits = [code(sha[:SHORT_SHA]) + more for sha, more in named if sha]
    return f" ({' against '.join(commits)})" if commits else ""


def _list(ordered: Sequence[Judged], unmeasured: Sequence[Unmeasured]) -> Iterator[str]:
    """A line for each run if there are several, and for each that could not be measured."""
    if len(ordered) < 2 and not unmeasured:
        return
    yield ""
    for judged in ordered[:MAX_RUNS]:
        verdict = judged.verdict
        yield f"- {_named(judged)}: **{verdict.worst}** {text(verdict.summary, 160)}"
    if len(ordered) > MAX_RUNS:
        yield f"- and {len(ordered) - MAX_RUNS} more"
    for one in unmeasured[:MAX_RUNS]:
        at = f" {code(one.head[:SHORT_SHA])}" if one.head else ""
        yield f"- {code(one.about)}{at}: **{OUTCOME}** {text(one.reason, 300)}"
    if len(unmeasured) > MAX_RUNS:
        yield f"- and {len(unmeasured) - MAX_RUNS} more that could not be measured"
    if len(ordered) > 1:
        yield from _overall(ordered)


def _overall(runs: Sequence[Judged]) -> Iterator[str]:
    """The overall change, if the runs are several scenarios of one pair of commits."""
    pairs = [pair_of(judged.verdict, judged.head or "", judged.report.host.name) for judged in runs]
    ends = {(judged.base, judged.head) for judged in runs if judged.head is not None}
    if len(ends) == 1 and len({pair.scenario for pair in pairs}) == len(pairs):
        yield from ("", f"Overall: {text(overall_text(overall_change(pairs)))}")


def _section(judged: Judged) -> Iterator[str]:
    verdict = judged.verdict
    yield f"**{_named(judged)}: {verdict.worst}.** {text(verdict.reason)}"
    if verdict.chain is not None:
        yield from ("", *_table(judged, verdict.chain))
    if verdict.outcome == Outcome.REGRESSED:
        yield from _where(judged)
    if verdict.outcome in CHANGED:
        yield from _why(judged)
    yield from _metrics(judged)
    if judged.report.failure and verdict.outcome in FAILED:
        log = [line for line in judged.report.failure.splitlines()[1:] if line.strip()]
        yield from (f"- {code(line)}" for line in ["", *log[-LOG_LINES:]] if line)
    notes = [*verdict.notes, *judged.report.notes][:MAX_NOTES]
    yield from ("", *(f"- note: {text(note, 300)}" for note in notes)) if notes else ()


def _table(judged: Judged, chain: Change) -> Iterator[str]:
    """Stages in pass order; at most MAX_STAGES, those that changed most."""
    stages = judged.verdict.stages
    costliest = sorted(stages, key=lambda stage: -abs(stage.contribution_cycles or 0.0))[:MAX_STAGES]
    yield _HEADER
    yield _RULE
    for stage in (stage for stage in stages if stage in costliest):
        pays = stage.stage in judged.verdict.culprit_stages
        cause = stage.cause if pays else None if stage.kind == "common" else stage.kind
        yield _row(f"**{code(stage.stage)}**" if pays else code(stage.stage), stage, cause)
    if len(stages) > len(costliest):
        yield f"| {len(stages) - len(costliest)} more | | | | | | | |"
    yield _row("chain", chain, None if judged.verdict.by_code else judged.verdict.cause)


def _row(name: str, change: Change, cause: str | None) -> str:
    base, head = change.base, change.head
    cells = (
        name,
        figures.number(base.cpp if base else None),
        figures.number(head.cpp if head else None),
        figures.change(change.ln_cpp),
        figures.interval(change),
        figures.change(change.ln_ipp),
        figures.change(change.ln_eipc),
        cause or "",
    )
    return f"| {' | '.join(cells)} |"


def _metrics(judged: Judged) -> Iterator[str]:
    """Metrics beside the chain's cycles: those that can fail the check, and shipped ones that changed."""
    shown = [one for one in judged.verdict.metrics if one.gates or one.outcome in ("improved", "regressed")]
    if shown:
        yield ""
    for one in shown:
        line = text(said(one), 300)
        yield f"- **{line}**" if one.fails else f"- {line}"


def _where(judged: Judged) -> Iterator[str]:
    found = places(judged)
    if found:
        yield ""
        yield "Where to look:"
        yield ""
    for place in found:
        at = f" at {code(f'{place.file}:{place.line}' if place.line else place.file)}" if place.file else ""
        stage = f"{code(place.stage)}: " if place.stage else ""
        yield f"- {stage}{code(place.function)}{at}: {place.cost}"


def _why(judged: Judged) -> Iterator[str]:
    """What grew, and advice with the figures behind it."""
    explanation = explain(judged.report, judged.verdict)
    yield from ("", f"Why: {text(explanation.text, 500)}")
    advice = explanation.advice[:MAX_ADVICE]
    if advice:
        yield ""
    for one in advice:
        because = text("; ".join(one.because), 300)
        what = f"**{text(one.title)}.** {text(one.text, 400)}"
        yield f"- advice ({code(one.direction)}): {what} Because {because}."


def _named(judged: Judged) -> str:
    name = code(judged.report.scenario.name)
    return name if judged.link is None else f"[{name}](<{quote(judged.link, safe=_IN_LINK)}>)"


_IN_LINK = ":/?#@!$&'()*+,;=%"
