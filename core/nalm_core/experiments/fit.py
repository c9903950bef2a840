# SPDX-License-Identifier: Apache-2.0
"""fit(reports): the result of an experiment, from the run reports of its cells alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nalm_core.experiments.cost_model import fit_features
from nalm_core.experiments.observe import CellError, Observation, observe
from nalm_core.experiments.result import AblationResult, FeaturesResult, ModelsResult, Result
from nalm_core.experiments.variants import contributions, model_rows
from nalm_core.report.cell import CellKind, Kind
from nalm_core.report.run_report import RunReport


def fit(reports: Iterable[RunReport]) -> Result | None:
    """The result, `partial` while cells are missing. None if no report is of a cell.

    Each cell's report lists all cells. Reports are read one at a time, so few need to be in memory.
    """
    observed: dict[str, Observation] = {}
    unusable: dict[str, str] = {}
    cells: Sequence[str] = ()
    kind: CellKind | None = None
    for report in reports:
        if report.experiment is None:
            continue
        kind, cells = report.experiment.kind, report.experiment.cells
        try:
            observed[report.experiment.name] = observe(report)
        except CellError as error:
            unusable[report.experiment.name] = str(error)
    if kind is None:
        return None
    in_order = [observed[name] for name in cells if name in observed]
    return _result(kind, in_order, len(cells), unusable)


def _result(kind: CellKind, taken: Sequence[Observation], cells: int, unusable: dict[str, str]) -> Result:
    fields = {"cells": cells, "taken": len(taken), "partial": len(taken) < cells, "unusable": unusable}
    match kind:
        case Kind.FEATURES:
            names = dict.fromkeys(one.cell.subject for one in taken)
            fits = [fit_features(name, [one for one in taken if one.cell.subject == name]) for name in names]
            return FeaturesResult.model_validate({**fields, "fits": fits})
        case Kind.ABLATION:
            return AblationResult.model_validate({**fields, "contributions": contributions(taken)})
        case Kind.MODELS:
            return ModelsResult.model_validate({**fields, "rows": model_rows(taken)})
