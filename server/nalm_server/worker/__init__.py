# SPDX-License-Identifier: Apache-2.0
"""Background work: its kinds, who does it, and how a worker is woken.

The database is the truth of what is to be done; a wake only says that there is something to look for, and
may be lost or come twice. Whatever a wake missed is found when the kind runs by its schedule.

Imports db and base. Start at `wake.py` and `celery_app.py`; `app.workers` fills the registry.
"""
