# SPDX-License-Identifier: Apache-2.0
"""Webhooks of forges: taken at once, worked on later.

The way of a delivery: endpoints.py -> forges/ (its signature, then what it says) -> service.py (stored) ->
tasks.py (the drain) -> plans (what follows from it, asked of the commit graph) -> apply.py (commits and
jobs).

Imports self_test and below.
"""
