# SPDX-License-Identifier: Apache-2.0
"""Adds the source lines with a cost to a report, from both sides' trees."""

from __future__ import annotations

from pathlib import Path

from nalm_core.profiles.source_cut import cut_source
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.source_text import SourceText

from nalm_agent.build.side_source import read_inside
from nalm_agent.config.nalm_toml import Config


def with_source(report: RunReport, config: Config, base: Path, head: Path) -> RunReport:
    """The report with the text of its lines, unless nalm.toml withholds it or no line has a cost.

    Cells of experiments have no source lines, since they are not compared by line.
    base, head: the source trees of the arms' builds.
    """
    if report.experiment is not None:
        return report
    if not config.project.source_in_reports:
        return report.model_copy(update={"source_text": SourceText(withheld=True)})
    trees = {Arm.BASE: base, Arm.HEAD: head}
    text = cut_source(report, lambda arm, file: read_inside(trees[arm], file))
    return report.model_copy(update={"source_text": text}) if text.files else report
