# SPDX-License-Identifier: Apache-2.0
"""The measurement of `nalm rate --preset`: four loads in both directions (nalm_core.rates.vcpe)."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil

from nalm_core.rates.generators import INSIDE
from nalm_core.rates.presets import Preset
from nalm_core.rates.rate_report import Phase
from nalm_core.rates.vcpe import LOADS, LONGEST_SLICE_S, SLICES, Load, VcpeLoad, VcpeReport
from nalm_core.report.run_report import Build, Check
from nalm_core.text.mistakes import words
from pydantic import ValidationError

from nalm_agent import version
from nalm_agent.config.generators import GeneratorConfig
from nalm_agent.config.nalm_toml import FILE_NAME, Config
from nalm_agent.host.fingerprint import fingerprint
from nalm_agent.rates.generator_check import require_trust
from nalm_agent.rates.generator_needs import INSIDE_INSTEAD, Need, require_able
from nalm_agent.rates.loaded_revision import Place, Subject, ready
from nalm_agent.runtime.errors import BuildError, ConfigError, GeneratorError, NfError
from nalm_agent.trials.trial_nf import Ask, TrialNf

FRAME = "{frame}"
DIRECTIONS = 2


@dataclass(frozen=True)
class VcpePlan:
    """What is asked for."""

    preset: Preset
    seconds: float
    leave_out_s: float
    scenario: str | None = None
    generator: str = INSIDE.name
    loads: Sequence[Load] = LOADS


def vcpe_arguments(config: Config, frame: str) -> list[str]:
    """The NF's arguments for one flow of a frame size, as many packets each way. Raises ConfigError."""
    if not config.rates.vcpe:
        raise ConfigError(
            f"{FILE_NAME} does not say how this NF's generator sends frames of one size",
            hint='add [rates] vcpe = ["--set", "traffic.profile={frame}", ...] (docs/rates.md)',
        )
    return [one.replace(FRAME, frame) for one in config.rates.vcpe]


def vcpe_subject(place: Place, scenario: str | None, load: Load, generator: str) -> Subject:
    """The scenario with one flow of the load's frames in both directions.

    Raises ConfigError, HostError, and UsageError for a generator that cannot keep a rate.
    """
    if generator == INSIDE.name:
        return place.subject(scenario, vcpe_arguments(place.config(), load.frame))
    one = place.subject(scenario, generator=generator)
    assert one.generator is not None
    require_able(one.generator, rate=Need("a preset", INSIDE_INSTEAD))
    one.generator.sends(_sending(generator, one.generator.config, load))
    return one


def _sending(name: str, config: GeneratorConfig, load: Load) -> GeneratorConfig:
    """Raises ConfigError if the generator cannot send the load."""
    table = config.model_dump(exclude_unset=True, exclude={"flows"})
    table |= {"frames": dict(load.frames), "directions": "both"}
    try:
        found = GeneratorConfig.model_validate(table)
    except ValidationError as error:
        raise ConfigError(
            f"generator {name} cannot send {load.text} both ways at once: {words(error.errors()[0])}",
            hint="a preset needs pairs of ports, and a generator of kind trex for imix (docs/generators.md)",
        ) from error
    each = DIRECTIONS * load.pps / len(found.senders)
    if found.latency_pps >= each:
        raise ConfigError(
            f"generator {name}: a port sends {each:,.0f} packets/s of {load.text}, and latency_pps asks for "
            f"{found.latency_pps:,} of them to be measured",
            hint=f"set a smaller latency_pps in [generator.{name}]",
        )
    return found


def measure_vcpe(plan: VcpePlan, place: Place) -> VcpeReport:
    """Measures each load in a process of its own.

    Raises ConfigError, HostError, UsageError, and GeneratorError if a generator outside fails at the first
    load.
    """
    config = place.config()
    scenario = plan.scenario or config.standing()[0]
    host, begun, found = fingerprint(), datetime.now(UTC), list[VcpeLoad]()
    build: Build | None = None
    subjects = [vcpe_subject(place, scenario, load, plan.generator) for load in plan.loads]
    checks = list[Check]()
    for number, (load, one) in enumerate(zip(plan.loads, subjects, strict=True)):
        done = number / len(plan.loads)
        try:
            measured, build, trusted = _measure_load(load, one, plan, place, done)
            checks += trusted
        except (BuildError, NfError, GeneratorError) as error:
            if isinstance(error, GeneratorError) and not found:
                raise
            measured = VcpeLoad(frame=load.frame, mbit=load.mbit, pps=load.pps, failure=error.full_text())
        found.append(measured)
    return VcpeReport(
        run_id=secrets.token_hex(16),
        nalm_version=version(),
        project=config.project.name,
        scenario=subjects[0].described,
        host=host,
        started_at=begun,
        finished_at=datetime.now(UTC),
        preset=plan.preset,
        seconds=plan.seconds,
        leave_out_s=plan.leave_out_s,
        generator=subjects[0].described_generator,
        checks=checks,
        build=build,
        run=subjects[0].definition,
        loads=found,
    )


def _measure_load(
    load: Load, one: Subject, plan: VcpePlan, place: Place, done: float
) -> tuple[VcpeLoad, Build, list[Check]]:
    """Trials that follow each other; the time that is left out belongs to the first. A generator outside is
    checked before them."""
    slice_s = min(plan.seconds / SLICES, LONGEST_SLICE_S)
    count = ceil(plan.seconds / slice_s)
    with ready(one, fingerprint(), place.home, place.work, place.progress) as run:
        checks, trials = require_trust(run, place.progress), []
        with TrialNf(run, launch=0) as nf:
            for number in range(count):
                text = f"{load.text}, {load.mbit:g} Mbit/s each way, {number + 1} of {count}"
                share = done + number / count / len(plan.loads)
                place.progress.step("latency", text, share, (count - number) * slice_s)
                left_out = plan.leave_out_s if number == 0 else 0.0
                ask = Ask(Phase.LATENCY, slice_s + left_out, DIRECTIONS * load.pps, None, left_out)
                trials.append(nf.trial(ask))
            stages = nf.stages
            nf.finish()
    measured = VcpeLoad(frame=load.frame, mbit=load.mbit, pps=load.pps, stages=stages, trials=trials)
    return measured, run.build, checks
