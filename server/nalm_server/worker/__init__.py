# SPDX-License-Identifier: Apache-2.0
"""Background work: its kinds, who does it, and how a worker is woken.

The database is the truth of what is to be done; a wake only says that there is something to look for, and
may be lost or come twice. Whatever a wake missed is found at the kind's next tick.

Imports db and base. Start at `wake.py` and `drain.py`; `app.workers` fills the registry.
"""
