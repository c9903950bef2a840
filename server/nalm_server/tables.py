# SPDX-License-Identifier: Apache-2.0
"""All tables, for Alembic."""

from __future__ import annotations

from nalm_server.access import models as access
from nalm_server.accounts import models as accounts
from nalm_server.agents import models as agents
from nalm_server.alerts import models as alerts
from nalm_server.alerts import rule_models as alert_rules
from nalm_server.audit import models as audit
from nalm_server.backfills import models as backfills
from nalm_server.bisects import models as bisects
from nalm_server.commits import models as commits
from nalm_server.confirmations import models as confirmations
from nalm_server.db import Base
from nalm_server.experiments import models as experiments
from nalm_server.features import models as features
from nalm_server.feeds import models as feeds
from nalm_server.history import models as history
from nalm_server.hooks import models as hooks
from nalm_server.hosts import models as hosts
from nalm_server.imports import models as imports
from nalm_server.integrations import models as integrations
from nalm_server.jobs import models as jobs
from nalm_server.judgement import models as judgement
from nalm_server.notifications import models as notifications
from nalm_server.projects import models as projects
from nalm_server.quality import models as quality
from nalm_server.refs import models as refs
from nalm_server.reports import columns as reports
from nalm_server.retention import models as retention
from nalm_server.runs import models as runs
from nalm_server.schedules import models as schedules
from nalm_server.signin import models as signin
from nalm_server.tokens import models as tokens
from nalm_server.watches import models as watches

METADATA = Base.metadata
MODULES = (
    access,
    accounts,
    signin,
    agents,
    alerts,
    alert_rules,
    audit,
    backfills,
    bisects,
    confirmations,
    commits,
    features,
    experiments,
    feeds,
    history,
    hooks,
    hosts,
    imports,
    integrations,
    jobs,
    judgement,
    notifications,
    projects,
    quality,
    refs,
    reports,
    retention,
    runs,
    schedules,
    tokens,
    watches,
)
