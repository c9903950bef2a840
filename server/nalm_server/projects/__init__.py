# SPDX-License-Identifier: Apache-2.0
"""Projects for people: add, change, show; settings, commits with verdicts, revisions, overview.

Imports polling and below. Start at `service.py`. The table itself is in `auth.access`.
"""
