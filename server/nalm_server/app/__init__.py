# SPDX-License-Identifier: Apache-2.0
"""The assembled server: application, middleware, context, workers, the embedded form.

Imports everything but cli. `wiring.py` connects events and handlers; `workers.py` lists background work;
`context.py` makes a process's context; `application.py` has the routes.
"""
