# SPDX-License-Identifier: Apache-2.0
"""The application: routes under /api/v1, the page at all other paths."""

from __future__ import annotations

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from nalm_server.alerts.acceptance_endpoints import router as acceptances
from nalm_server.alerts.endpoints import router as alerts
from nalm_server.alerts.subscription_endpoints import router as subscriptions
from nalm_server.alerts.weeks.badges.endpoints import router as badges
from nalm_server.alerts.weeks.endpoints import router as weeks
from nalm_server.app.compact_answers import CompactMiddleware
from nalm_server.app.description import described
from nalm_server.app.error_handlers import add_handlers
from nalm_server.app.former_addresses import FormerAddressMiddleware
from nalm_server.app.middleware import RequestMiddleware
from nalm_server.app.page import page_router
from nalm_server.app.rate_limits import RateMiddleware
from nalm_server.auth.access.endpoints import router as people
from nalm_server.auth.accounts.endpoints import router as accounts
from nalm_server.auth.audit.endpoints import router as audit
from nalm_server.auth.sign_in.endpoints import router as session
from nalm_server.auth.sign_in.forge_endpoints import router as sign_in
from nalm_server.auth.tokens.endpoints import router as tokens
from nalm_server.base.admission import AdmissionMiddleware
from nalm_server.base.api_router import PREFIX
from nalm_server.base.body_limits import BodyMiddleware
from nalm_server.base.settings import Settings
from nalm_server.campaigns.backfill.endpoints import router as backfills
from nalm_server.campaigns.bisection.endpoints import router as bisects
from nalm_server.campaigns.confirmation.endpoints import router as confirmations
from nalm_server.campaigns.experiments.endpoints import router as experiments
from nalm_server.campaigns.links.endpoints import router as links
from nalm_server.campaigns.refinements.endpoints import router as refinements
from nalm_server.campaigns.remeasurements.endpoints import router as remeasurements
from nalm_server.campaigns.schedules.endpoints import router as schedules
from nalm_server.changepoints.endpoints import router as change_points
from nalm_server.db.context import Context
from nalm_server.features.endpoints import router as features
from nalm_server.git.refs.endpoints import router as refs
from nalm_server.jobs.agents.endpoints import router as agents
from nalm_server.jobs.agents.registration_endpoints import router as registration
from nalm_server.jobs.endpoints import router as jobs
from nalm_server.jobs.hosts.administration_endpoints import router as host_administration
from nalm_server.jobs.hosts.endpoints import router as hosts
from nalm_server.notify.endpoints import router as notifications
from nalm_server.notify.integrations.endpoints import router as integrations
from nalm_server.ops.health.endpoints import router as health
from nalm_server.ops.metrics.domain import Domain
from nalm_server.ops.metrics.endpoints import router as metrics
from nalm_server.ops.metrics.process import Requests, make_registry
from nalm_server.ops.retention.endpoints import router as retention
from nalm_server.projects.branch_filters.endpoints import router as branch_filters
from nalm_server.projects.commits.endpoints import router as commits
from nalm_server.projects.endpoints import router as projects
from nalm_server.projects.overview.endpoints import router as overview
from nalm_server.projects.revision_endpoints import router as revisions
from nalm_server.results.endpoints import router as runs
from nalm_server.results.imports.endpoints import router as imports
from nalm_server.results.noise_endpoints import router as host_noise
from nalm_server.self_test.endpoints import router as quality
from nalm_server.views.compare.endpoints import router as compare
from nalm_server.views.compare.run_endpoints import router as run_code
from nalm_server.views.exports.endpoints import router as exports
from nalm_server.views.feeds.endpoints import router as feeds
from nalm_server.views.history.chart_endpoints import router as history_lines
from nalm_server.views.history.endpoints import metrics_router as project_metrics
from nalm_server.views.history.endpoints import router as history
from nalm_server.views.host_factors.endpoints import router as host_factors
from nalm_server.views.live.endpoints import router as live
from nalm_server.views.predictions.endpoints import router as predictions
from nalm_server.views.renderings.endpoints import router as renderings
from nalm_server.webhooks.endpoints import router as hooks

ROUTERS = (
    health,
    overview,
    projects,
    integrations,
    notifications,
    feeds,
    badges,
    commits,
    weeks,
    history,
    history_lines,
    project_metrics,
    change_points,
    compare,
    features,
    predictions,
    jobs,
    runs,
    run_code,
    acceptances,
    renderings,
    hooks,
    refs,
    revisions,
    branch_filters,
    agents,
    retention,
    exports,
    imports,
    registration,
    hosts,
    host_noise,
    host_factors,
    host_administration,
    schedules,
    backfills,
    links,
    refinements,
    remeasurements,
    bisects,
    confirmations,
    experiments,
    live,
    quality,
    alerts,
    subscriptions,
    session,
    sign_in,
    accounts,
    people,
    tokens,
    audit,
)


def make_app(context: Context | None) -> FastAPI:
    """The ASGI application. Without a context it only has its description."""
    app = FastAPI(
        title="nalm",
        version="1",
        summary="Continuous performance regression for network functions",
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    app.openapi = lambda: described(app)  # type: ignore[method-assign]
    app.state.context = context
    app.state.ending = False
    """True once the server shuts down."""
    app.router.routes.extend(route for router in ROUTERS for route in router.routes)
    add_handlers(app)
    if context is not None:
        app.state.registry = make_registry(context.engine)
        app.state.registry.register(Domain(context))
        app.router.routes.extend(metrics.routes)
        app.router.routes.extend(page_router(context.settings.resolved_static_dir).routes)
    _surround(app, context.settings if context is not None else None)
    app.add_middleware(FormerAddressMiddleware)
    return app


def _surround(app: FastAPI, settings: Settings | None) -> None:
    """Adds the middleware; the last one added runs first."""
    if settings is None:
        app.add_middleware(RequestMiddleware)
        return
    app.add_middleware(CompactMiddleware)
    app.add_middleware(AdmissionMiddleware)
    app.add_middleware(BodyMiddleware, settings=settings)
    if origins := split(settings.cors_origins):
        # Without credentials: other sites cannot use a cookie in any case.
        app.add_middleware(
            CORSMiddleware, allow_origins=origins, allow_methods=["*"], allow_headers=["Authorization"]
        )
    app.add_middleware(RateMiddleware, settings=settings)
    app.add_middleware(
        RequestMiddleware,
        https=settings.address.startswith("https:"),
        figures=Requests(app.state.registry),
    )
    if proxies := split(settings.trusted_proxies):
        app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=proxies)


def split(listed: str) -> list[str]:
    return [one.strip() for one in listed.split(",") if one.strip()]
