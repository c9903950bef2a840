# SPDX-License-Identifier: Apache-2.0
"""Verdicts as text for other programs: pure functions from reports and verdicts to strings."""
