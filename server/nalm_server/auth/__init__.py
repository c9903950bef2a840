# SPDX-License-Identifier: Apache-2.0
"""Callers and their rights: accounts, sign-in, tokens, roles in projects, the audit log.

Imports worker, db, base. Start at `dependencies.py` (parameters of endpoints) and `access/service.py` (checks
of rights). The table of projects is in `access`: roles belong to projects.
"""
