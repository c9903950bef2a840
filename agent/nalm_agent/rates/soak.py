# SPDX-License-Identifier: Apache-2.0
"""The measurement of `nalm soak`: hours at one load, with a record on disk every few seconds."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from nalm_core.rates.rate_report import Phase, RateSettings, Search
from nalm_core.rates.soak import (
    LIMITS,
    SoakHeader,
    SoakInterval,
    SoakPreset,
    SoakSettings,
    soak_seconds,
)
from nalm_core.rates.vcpe import load_of
from pydantic import JsonValue

from nalm_agent import version
from nalm_agent.host.fingerprint import fingerprint
from nalm_agent.rates.generator_check import require_trust
from nalm_agent.rates.generator_needs import INSIDE_INSTEAD, Need, require_able
from nalm_agent.rates.loaded_revision import Subject, ready
from nalm_agent.rates.no_drop_rate import no_drop_rate
from nalm_agent.rates.rate import RateReportBuilder
from nalm_agent.rates.soak_file import SoakFile, read_soak
from nalm_agent.rates.vcpe import DIRECTIONS
from nalm_agent.report.progress import Progress
from nalm_agent.runtime.errors import NfError, UsageError
from nalm_agent.store.home import Home, WorkDir
from nalm_agent.trials.trial_nf import Ask, NfRun, TrialNf

OF_NO_LOAD = {"user", "wait_seconds"}
"""Keys of [generator.NAME] that say nothing of what it sends, or where it runs."""


@dataclass(frozen=True)
class SoakPlan:
    """The settings of a new soak."""

    path: Path
    hours: float
    interval_s: float
    pps: int | None
    """None: a share of NDR, found by a search."""
    share: float
    search: RateSettings
    preset: SoakPreset | None = None
    """Sets the load."""
    margins: Mapping[str, float] = field(default_factory=dict)
    """Of nalm.toml's thresholds (nalm_core.rates.soak.LIMITS)."""


def begin_soak(subject: Subject, plan: SoakPlan, home: Home, work: WorkDir, progress: Progress) -> None:
    """Runs a new soak into a new file.

    Raises BuildError, NfError, UsageError for a generator that cannot keep a rate, NalmError if it finds no
    load.
    """
    path = plan.path
    require_able(subject.generator, rate=Need("a soak", INSIDE_INSTEAD))
    if path.exists():
        raise UsageError(
            f"{path} already exists", hint=f"name another --out FILE, or continue: nalm soak --resume {path}"
        )
    builder = RateReportBuilder(subject, plan.search)
    with ready(subject, builder.host, home, work, progress) as run:
        checks = require_trust(run, progress)
        pps, ndr = _load(run, plan, builder, progress)
        with TrialNf(run, launch=0) as nf:
            header = SoakHeader(
                run_id=secrets.token_hex(16),
                nalm_version=version(),
                project=subject.config.project.name,
                scenario=subject.described,
                host=builder.host,
                started_at=datetime.now(UTC),
                settings=SoakSettings(
                    **dict(subject.shape),
                    hours=plan.hours,
                    interval_s=plan.interval_s,
                    share=plan.share if ndr else None,
                    pps=pps,
                    margins={name: plan.margins[name] for name in LIMITS if name in plan.margins},
                ),
                generator=subject.described_generator,
                generator_table=_table(subject),
                checks=checks,
                ndr=ndr,
                preset=plan.preset,
                build=run.build,
                run=run.definition,
                stages=nf.stages,
            )
            file = SoakFile.create(path, header)
            with _closing(file, progress):
                _soak(nf, header, [], file, progress)


def resume_soak(subject: Subject, path: Path, home: Home, work: WorkDir, progress: Progress) -> None:
    """Continues a soak in a new launch with the same build, run definition and generator.

    Raises UsageError if code, run definition, generator or host differ from those of the soak.
    """
    header, intervals = read_soak(path)
    _require_same_generator(header, subject)
    host = fingerprint()
    with ready(replace(subject, shape=header.settings.shape), host, home, work, progress) as run:
        _require_same(header, run, host.host_class, subject)
        if soak_seconds(intervals) >= header.settings.hours * 3600:
            progress.say("the soak has ended already")
            return
        require_trust(run, progress)
        launch = max((one.launch for one in intervals), default=-1) + 1
        with TrialNf(run, launch=launch) as nf:
            file = SoakFile.append(path)
            with _closing(file, progress):
                _soak(nf, header, intervals, file, progress)


def _load(
    run: NfRun, plan: SoakPlan, builder: RateReportBuilder, progress: Progress
) -> tuple[int, Search | None]:
    """The load, and the search that chose it. Raises NalmError if there is no NDR."""
    if plan.preset is not None:
        return DIRECTIONS * load_of(plan.preset.frame).pps, None
    if plan.pps is not None:
        return plan.pps, None
    ndr = no_drop_rate(run, builder, progress)
    return ndr.pps(plan.share), ndr.search


def _soak(
    nf: TrialNf, header: SoakHeader, before: list[SoakInterval], file: SoakFile, progress: Progress
) -> None:
    """Records intervals until the duration is reached."""
    settings = header.settings
    launch = max((one.launch for one in before), default=-1) + 1
    whole, done = settings.hours * 3600, soak_seconds(before)
    number, launch_s = len(before), 0.0
    left_out = 0.0 if header.preset is None else header.preset.leave_out_s
    while done + launch_s < whole:
        at = done + launch_s
        progress.step("soak", f"{at / 3600:.2f} of {settings.hours:g} h", at / whole, whole - at)
        ask = Ask(Phase.SOAK, settings.interval_s + left_out, settings.pps, settings.share, left_out)
        trial = nf.trial(ask)
        if trial.traffic.sending_ns == 0:
            raise NfError("the generator did not send", log=nf.log_tail())
        launch_s += max(0.0, trial.traffic.sending_ns / 1e9 - left_out)
        left_out = 0.0  # the load has not changed since
        file.add(
            SoakInterval(
                number=number,
                launch=launch,
                ended_at=datetime.now(UTC),
                launch_s=launch_s,
                trial=trial,
                memory_bytes=nf.memory_bytes(),
                buffers_in_use=nf.buffers_in_use(),
            )
        )
        number += 1
    nf.finish()


@contextmanager
def _closing(file: SoakFile, progress: Progress) -> Iterator[None]:
    """Closes the file, and prints how to continue if the soak was interrupted."""
    ended = False
    try:
        yield
        ended = True
    finally:
        file.close()
        if not ended:
            progress.say(f"to continue: nalm soak --resume {file.path}")


def _table(one: Subject) -> dict[str, JsonValue]:
    if one.generator is None:
        return {}
    table: dict[str, JsonValue] = one.generator.config.model_dump(mode="json", exclude=OF_NO_LOAD)
    return table


def _require_same_generator(header: SoakHeader, one: Subject) -> None:
    """Before anything is built, so that a generator's version is not known. Raises UsageError."""
    then, now = (json.dumps(table, sort_keys=True) for table in (header.generator_table, _table(one)))
    _require_equal(
        ("generator", header.generator.name, one.described_generator.name), ("generator's table", then, now)
    )


def _require_same(header: SoakHeader, run: NfRun, host_class: str, one: Subject) -> None:
    """Raises UsageError with the first difference from the soak's header."""
    _require_equal(
        ("scenario", header.scenario.name, one.name),
        ("generator", header.generator.text, one.described_generator.text),
        ("code", header.build.code_digest, run.build.code_digest),
        ("command", header.run.model_dump_json(), run.definition.model_dump_json()),
        ("host class", header.host.host_class, host_class),
    )


def _require_equal(*pairs: tuple[str, str, str]) -> None:
    """What, of then and of now. Raises UsageError with the first difference."""
    for what, then, now in pairs:
        if then != now:
            raise UsageError(
                f"the soak cannot continue: its {what} was {then} and is now {now}",
                hint="resume with the same revision, scenario, generator and host, or begin a new soak",
            )
