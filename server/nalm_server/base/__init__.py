# SPDX-License-Identifier: Apache-2.0
"""What every package may use: settings, errors, limits of requests, outgoing calls.

Imports nothing of the server. `settings.py` has each setting; `errors.py` the one base of errors;
`ports.py` how a package calls what lies above it.
"""
