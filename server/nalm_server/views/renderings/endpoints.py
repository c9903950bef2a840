# SPDX-License-Identifier: Apache-2.0
"""GET /runs/{run_id}/FORM and /projects/{project}/commits/{sha}/FORM, FORM being junit, sarif or markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from fastapi import Path, Response
from nalm_core.render.junit import junit
from nalm_core.render.markdown import markdown
from nalm_core.render.sarif import sarif
from nalm_core.verdict.judged import Judged

from nalm_server.auth.dependencies import Caller, Ctx, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import ProjectName, RunId, ShaPath
from nalm_server.base.settings import LOCAL_URL
from nalm_server.views.renderings import service

router = api_router("renderings")

Form = Annotated[Literal["junit", "sarif", "markdown"], Path(description="Output format.")]
SCHEMAS = {"application/sarif+json": {"type": "object"}}
"""Schemas of the formats that are not text."""
FORMS: dict[str, tuple[str, Callable[[Sequence[Judged]], str]]] = {
    "junit": ("application/xml", junit),
    "sarif": ("application/sarif+json", sarif),
    "markdown": ("text/markdown", markdown),
}
RESPONSES: dict[int | str, dict[str, Any]] = {
    **documented(404, 410),
    200: {
        "content": {
            media_type: {"schema": SCHEMAS.get(media_type, {"type": "string"})}
            for media_type, _ in FORMS.values()
        },
        "description": "The verdicts in this format.",
    },
}


@router.get("/runs/{run_id}/{form}", response_class=Response, responses=RESPONSES)
def render_run(run_id: RunId, form: Form, session: ReadDb, context: Ctx, caller: Caller) -> Response:
    """Renders one run as JUnit, SARIF or Markdown."""
    base_url = context.settings.public_url or LOCAL_URL
    return _rendered(form, service.of_run(session, caller, run_id, base_url))


@router.get("/projects/{project}/commits/{sha}/{form}", response_class=Response, responses=RESPONSES)
def render_commit(
    project: ProjectName, sha: ShaPath, form: Form, *, session: ReadDb, context: Ctx, caller: Caller
) -> Response:
    """Renders a commit's newest run of each scenario as JUnit, SARIF or Markdown."""
    base_url = context.settings.public_url or LOCAL_URL
    return _rendered(form, service.of_commit(session, caller, project, sha, base_url))


def _rendered(form: str, found: Sequence[Judged]) -> Response:
    media_type, render = FORMS[form]
    return Response(render(found), media_type=media_type)
