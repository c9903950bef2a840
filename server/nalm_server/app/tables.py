# SPDX-License-Identifier: Apache-2.0
"""All tables, for Alembic."""

from __future__ import annotations

from nalm_server.alerts import models as alerts
from nalm_server.alerts.rules import models as alert_rules
from nalm_server.alerts.weeks import models as weeks
from nalm_server.alerts.weeks.badges import models as badges
from nalm_server.auth.access import models as access
from nalm_server.auth.access import project_models as projects
from nalm_server.auth.accounts import models as accounts
from nalm_server.auth.audit import models as audit
from nalm_server.auth.sign_in import models as signin
from nalm_server.auth.tokens import models as tokens
from nalm_server.campaigns import models as campaigns
from nalm_server.campaigns.experiments import models as experiments
from nalm_server.campaigns.schedules import models as schedules
from nalm_server.changepoints import models as judgement
from nalm_server.db.engine import Base
from nalm_server.db.reports import columns as reports
from nalm_server.git.branch_filters import models as branch_filters
from nalm_server.git.commits import models as commits
from nalm_server.git.refs import models as refs
from nalm_server.jobs import models as jobs
from nalm_server.jobs.agents import models as agents
from nalm_server.jobs.hosts import models as hosts
from nalm_server.notify import models as notifications
from nalm_server.notify.integrations import models as integrations
from nalm_server.ops.retention import models as retention
from nalm_server.results import models as runs
from nalm_server.results.cost_models import models as features
from nalm_server.results.extracts import models as extracts
from nalm_server.results.imports import models as imports
from nalm_server.results.links import models as links
from nalm_server.results.series import models as history
from nalm_server.self_test import models as quality
from nalm_server.views.feeds import models as feeds
from nalm_server.webhooks import models as hooks

METADATA = Base.metadata
MODULES = (
    access,
    accounts,
    signin,
    agents,
    alerts,
    alert_rules,
    audit,
    badges,
    campaigns,
    commits,
    features,
    experiments,
    extracts,
    feeds,
    history,
    hooks,
    hosts,
    imports,
    integrations,
    jobs,
    judgement,
    links,
    notifications,
    projects,
    quality,
    refs,
    reports,
    retention,
    runs,
    schedules,
    tokens,
    branch_filters,
    weeks,
)
