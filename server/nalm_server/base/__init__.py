# SPDX-License-Identifier: Apache-2.0
"""Used by all packages: settings, errors, limits of requests, outgoing calls.

Imports nothing of the server. `settings.py` has each setting; `errors.py` the base of errors; `ports.py`
calls from a package to those above it.
"""
