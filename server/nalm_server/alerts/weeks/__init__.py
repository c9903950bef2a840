# SPDX-License-Identifier: Apache-2.0
"""The overall change of commits and weeks over all scenarios, for people who decide, and the badge.

Imports results, git and alerts. Start with service.py; nalm_core.findings.overall_change has the mean.
"""
