# SPDX-License-Identifier: Apache-2.0
"""Chooses the arm that is judged against base if a commit changes the feature set (docs/decisions/0003)."""

from __future__ import annotations

from dataclasses import dataclass

from nalm_core.report.run_report import Arm, Model, RunReport


class FeatureSplit(Model):
    """Change of cycles per packet from base to head: total = efficiency + features, exactly."""

    total_cycles: float
    efficiency_cycles: float
    """Change of the cost by head's code, with base's features."""
    features_cycles: float
    """Change of the cost by head's features, in head's code: their price."""
    features_low: float | None = None
    features_high: float | None = None
    """Interval of the price, at `features_level`. None in verdicts of older versions."""
    features_level: float | None = None


@dataclass(frozen=True, slots=True)
class FeatureChange:
    """Names of features in the order of the run definitions."""

    added: list[str]
    removed: list[str]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)


def feature_change(report: RunReport) -> FeatureChange:
    """Features that head's set has and base's lacks, and the reverse; empty if either arm is missing."""
    base, head = report.arms.get(Arm.BASE), report.arms.get(Arm.HEAD)
    if base is None or head is None:
        return FeatureChange([], [])
    return FeatureChange(
        added=[name for name in head.run.features if name not in base.run.features],
        removed=[name for name in base.run.features if name not in head.run.features],
    )


def equal_code(report: RunReport) -> bool:
    """True if base and head have the same code and data sections."""
    base, head = report.arms.get(Arm.BASE), report.arms.get(Arm.HEAD)
    return base is not None and head is not None and base.build.code_digest == head.build.code_digest


def judged_arm(report: RunReport) -> Arm | None:
    """The arm whose efficiency is judged against base: both run base's features.

    None for a feature change in equal code, which has only a price, or without an arm that ran base's
    features.
    """
    if not feature_change(report):
        return Arm.HEAD
    return Arm.HEAD_AS_BASE if Arm.HEAD_AS_BASE in report.arms else None
