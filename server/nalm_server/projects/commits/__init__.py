# SPDX-License-Identifier: Apache-2.0
"""Commits with their jobs, runs and verdicts, as the API shows them."""
