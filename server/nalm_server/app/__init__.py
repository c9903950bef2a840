# SPDX-License-Identifier: Apache-2.0
"""The server put together: application, middleware, context, workers, the embedded form.

Imports everything but cli. `wiring.py` says who acts on what happens below; `workers.py` who does which
background work; `context.py` makes what a process holds; `application.py` has the routes.
"""
