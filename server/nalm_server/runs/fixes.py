# SPDX-License-Identifier: Apache-2.0
"""Which improvement undoes which regression, along the first parent, whatever order the runs came in.

What was expected is nothing to undo."""

from __future__ import annotations

from nalm_core.fixes import OpenRegression, match_fix, open_regressions
from nalm_core.verdict import Verdict
from sqlalchemy.orm import Session

from nalm_server.runs import repository


def refresh(session: Session, scenario_id: int) -> None:
    """Walks over the scenario's regressions and improvements anew."""
    expected = repository.expected_commits(session, scenario_id)
    still_open: list[OpenRegression] = []
    for run, row in repository.moved(session, scenario_id):
        verdict = Verdict.model_validate(row.document)
        fixed = match_fix(still_open, verdict)
        if row.fixes_sha != fixed:
            row.fixes_sha = fixed
        still_open = [one for one in still_open if one.commit not in (fixed, run.head_sha)]
        if run.commit_id not in expected:
            still_open += open_regressions(run.head_sha, verdict)
    session.flush()
