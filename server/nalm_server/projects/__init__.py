# SPDX-License-Identifier: Apache-2.0
"""Projects as people add, change and see them: settings, commits with verdicts, revisions, overview.

Imports polling and below. Start at `service.py`. The table itself is in `auth.access`.
"""
