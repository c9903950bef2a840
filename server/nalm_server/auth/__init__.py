# SPDX-License-Identifier: Apache-2.0
"""Who calls and what they may do: accounts, sign-in, tokens, roles in projects, the audit log.

Imports worker, db, base. Start at `dependencies.py` (what each endpoint is handed) and `access/service.py`
(may this caller do this?). The table of projects is in `access`: roles are given in projects.
"""
