# SPDX-License-Identifier: Apache-2.0
"""Storage: the database, its migrations, claims of rows, secrets, stored reports, refused sign-ins.

Imports base. Start at `engine.py`; `context.py` is the context of a process.
"""
