# SPDX-License-Identifier: Apache-2.0
"""`nalm doctor --generator`: whether a generator offers what it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nalm_core.rates.defaults import HONEST_LIMIT
from nalm_core.rates.generator_check import CheckedGenerator, OfferedRate
from nalm_core.text.amounts import pps_text
from nalm_core.text.percents import share_percent
from rich.table import Table

from nalm_agent.doctor.finding import Finding, Level, note, ok
from nalm_agent.host.fingerprint import fingerprint
from nalm_agent.rates.generator_check import check_generator
from nalm_agent.rates.loaded_revision import ready, subject
from nalm_agent.report.print_run import console
from nalm_agent.report.progress import Progress
from nalm_agent.report.stage_table import MISSING
from nalm_agent.source.git import WORKTREE, Repository
from nalm_agent.store.home import Home, WorkDir

EFFECT = "rates, losses and latencies at a load that it does not offer would be the generator's, not the NF's"
CURE = "give it CPUs, or queues, of its own; then check it again"


@dataclass(frozen=True)
class GeneratorPlan:
    """Which generator is checked, with which NF."""

    name: str
    repository: Path
    scenario: str | None
    """None: the first standing one of the working tree."""


def checked(plan: GeneratorPlan, home: Home, work: WorkDir, progress: Progress) -> CheckedGenerator:
    """Offers rates to the NF. Raises NalmError."""
    repository = Repository(plan.repository, work.fresh("git"))
    revision = repository.resolve(WORKTREE)
    one = subject(repository, revision, plan.scenario, generator=plan.name)
    with ready(one, fingerprint(), home, work, progress) as run:
        return check_generator(run, progress)


def finding(name: str, found: CheckedGenerator) -> Finding:
    """The result as a line of the doctor. One that is not trusted is fatal: the request was for it."""
    title, figures = f"generator {name}", _figures(found)
    if found.trusted_pps is None:
        return Finding(title, Level.FATAL, f"not trusted: {found.reason}", EFFECT, CURE, figures)
    trusted = (
        f"offers what it is asked for, within {share_percent(HONEST_LIMIT, 0)}, "
        f"up to {pps_text(found.trusted_pps)}"
    )
    if found.reason is None:
        return ok(title, trusted, **figures)
    return note(title, f"{trusted}; {found.reason}", EFFECT, CURE, **figures)


def _figures(found: CheckedGenerator) -> dict[str, float]:
    figures = {} if found.trusted_pps is None else {"trusted_pps": float(found.trusted_pps)}
    for one in found.rates:
        if one.pps is None:
            figures["sent_at_full_load_pps"] = one.sent_pps
        elif one.due:
            figures[f"sent_of_due_at_{one.pps}_pps"] = one.sent / one.due
    return figures


def print_rates_offered(found: CheckedGenerator) -> None:
    """The table of rates."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("rate", no_wrap=True)
    for heading in ("due", "sent", "of due", "queue full", "NF dropped", "NF waited"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("")
    for one in found.rates:
        table.add_row(*_row(one))
    console().print(table)


def _row(one: OfferedRate) -> list[str]:
    paced = one.pps is not None
    return [
        pps_text(one.pps) if one.pps is not None else f"full ({pps_text(one.sent_pps)})",
        f"{one.due:,}" if paced else MISSING,
        f"{one.sent:,}",
        share_percent(one.sent / one.due, 2) if paced and one.due else MISSING,
        MISSING if one.queue_full is None else f"{one.queue_full:,}",
        f"{one.nf_dropped:,}",
        MISSING if one.nf_idle is None else share_percent(one.nf_idle),
        one.said,
    ]
