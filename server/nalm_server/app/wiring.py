# SPDX-License-Identifier: Apache-2.0
"""Connects the packages: handlers of events below, and providers of ports below.

A package imports packages below it and calls those above through its `ports`. All connections are here, in
the order in which handlers run. Importing this module makes them, once.
"""

from __future__ import annotations

from nalm_server.alerts import ports as alerts
from nalm_server.alerts import repository as alert_rows
from nalm_server.alerts import run_suspicions
from nalm_server.alerts.weeks import staleness
from nalm_server.campaigns.confirmation import service as confirmations
from nalm_server.campaigns.experiments import listening as experiment_jobs
from nalm_server.campaigns.experiments import repository as experiments
from nalm_server.campaigns.experiments import service as experiment_leases
from nalm_server.campaigns.experiments.cell_draft import CellDraft
from nalm_server.campaigns.remeasurements import service as remeasurements
from nalm_server.changepoints import points_repository as points
from nalm_server.changepoints import ports as changepoints
from nalm_server.changepoints import triggers
from nalm_server.git import ports as git
from nalm_server.jobs import ports as jobs
from nalm_server.jobs.schemas import JobReason
from nalm_server.jobs.wakes import wake_followers
from nalm_server.notify import alert_messages
from nalm_server.notify import service as notify
from nalm_server.results import outcome_repository as outcomes
from nalm_server.results import ports as results
from nalm_server.results import relisted
from nalm_server.results import repository as runs
from nalm_server.results.run_draft import RunDraft
from nalm_server.self_test import repository as trials
from nalm_server.self_test.control_draft import TrialDraft

# Commits are pushed, or named by a report.
git.commits_changed.subscribe(staleness.commits_changed)

# The repository shows that a report's base is not the parent.
git.parent_corrected.subscribe(run_suspicions.parent_corrected)

# Known commits come onto the default branch, or a forced push drops them.
git.line_changed.subscribe(relisted.line_changed)
git.line_changed.subscribe(triggers.line_changed)

# A job changes its state: queued, leased, done.
jobs.jobs_moved.subscribe(wake_followers)
jobs.jobs_moved.subscribe(experiment_jobs.jobs_moved)
jobs.jobs_moved.subscribe(notify.jobs_moved)
jobs.already_measured.subscribe(notify.already_measured)
jobs.run_ids.provide(runs.ids_of_job)
jobs.outcomes.provide(outcomes.of_jobs)
jobs.experiment.provide(experiment_leases.leased)
jobs.under_load.provide(experiment_leases.take_under_load)
jobs.keep_results(runs)
jobs.keep_results(experiments, JobReason.EXPERIMENT)
jobs.keep_results(trials, JobReason.CONTROL)

# A report arrives: a run, the cell of an experiment, the trial of a control.
results.run_stored.subscribe(run_suspicions.run_taken)
results.run_stored.subscribe(notify.run_taken)
results.run_stored.subscribe(triggers.run_taken)
results.run_stored.subscribe(staleness.run_stored)
results.expected_commits.provide(alert_rows.expected_commits)
results.take_in(RunDraft)
results.take_in(CellDraft, JobReason.EXPERIMENT)
results.take_in(TrialDraft, JobReason.CONTROL)

# A history's newest value alone moved.
changepoints.suspected.subscribe(remeasurements.ask)
changepoints.remeasured.provide(remeasurements.of_points)

# An alert is raised, measured again, and sent.
alerts.suspected.subscribe(confirmations.ask)
alerts.assigned.subscribe(points.assign)
alerts.changed.subscribe(alert_messages.show)
alerts.accepted.subscribe(alert_messages.accepted)
alerts.notify.provide(alert_messages.tell)
alerts.confirming.provide(confirmations.of_alert)
