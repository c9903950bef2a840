# SPDX-License-Identifier: Apache-2.0
"""Trials under load, and runs that consist of them. Start at `rate_run`."""
