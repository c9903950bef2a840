# SPDX-License-Identifier: Apache-2.0
"""What asks for measurements by itself: backfills, bisections, schedules, experiments, confirmations.

Imports changepoints, alerts, results, jobs and below. Each kind has a `work.py`, which takes it a step
further.
"""
