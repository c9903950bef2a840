# SPDX-License-Identifier: Apache-2.0
"""Background work: its kinds, its workers, and how a worker is woken.

The database decides what is to do; a wake only hints at work and may be lost or repeated. The schedule of
each kind finds what a lost wake was for.

Imports db and base. Start at `wake.py` and `celery_app.py`; `app.workers` fills the registry.
"""
