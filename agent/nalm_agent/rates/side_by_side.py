# SPDX-License-Identifier: Apache-2.0
"""One build, or two that take turns on the same CPUs in swapped order: turns of a trial, while both live. A
generator outside of the NF sends to one NF at a time; with one, they take turns of a whole launch."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress

from nalm_core.report.run_report import Arm, ArmInfo

from nalm_agent.nf.known_failures import only_beside_base
from nalm_agent.runtime.errors import BuildError, NalmError, NfError
from nalm_agent.trials.trial_nf import NfRun, TrialNf

ORDER = (Arm.BASE, Arm.HEAD)


class ArmError(Exception):
    """An arm could not be built or run."""

    def __init__(self, arm: Arm, error: NalmError) -> None:
        super().__init__(error.message)
        self.arm, self.error = arm, error


@contextmanager
def blame(arm: Arm) -> Iterator[None]:
    """Says which arm an error of a build or an NF belongs to."""
    try:
        yield
    except (BuildError, NfError) as error:
        raise ArmError(arm, error) from error


def order(number: int, among: Collection[Arm] = ORDER) -> Sequence[Arm]:
    """The arms' order, swapped from number to number: none is always the first to start, or the first after a
    pause."""
    return [arm for arm in (ORDER if number % 2 == 0 else ORDER[::-1]) if arm in among]


def groups(launch: int, runs: Mapping[Arm, NfRun]) -> Sequence[Sequence[Arm]]:
    """The arms of a launch that live at the same time, one group after the other."""
    outside = any(run.generator is not None for run in runs.values())
    arms = order(launch, runs)
    return [[arm] for arm in arms] if outside else [arms]


def _require_own_fault(arm: Arm, error: NfError, run: NfRun, launch: int) -> None:
    """Starts an arm alone that did not start beside base. Raises ArmError for base if it starts."""
    with suppress(NfError), TrialNf(run, launch=launch):
        raise ArmError(Arm.BASE, only_beside_base(arm, error)) from error


@contextmanager
def alive(
    launch: int, group: Sequence[Arm], runs: Mapping[Arm, NfRun], known: dict[Arm, ArmInfo]
) -> Iterator[dict[Arm, TrialNf]]:
    """A process of each of these arms, which must end without an error. `known` gets their descriptions.

    Raises ArmError.
    """
    with ExitStack() as stack:
        arms: dict[Arm, TrialNf] = {}
        for arm in order(launch, group):
            try:
                arms[arm] = stack.enter_context(TrialNf(runs[arm], launch=launch))
            except NfError as error:
                stack.close()
                if arm is not Arm.BASE and arms:
                    _require_own_fault(arm, error, runs[arm], launch)
                raise ArmError(arm, error) from error
        known.update({arm: arms[arm].info for arm in ORDER if arm in arms})
        yield arms
        for arm, nf in arms.items():
            with blame(arm):
                nf.finish()
