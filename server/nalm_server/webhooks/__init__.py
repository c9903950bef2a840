# SPDX-License-Identifier: Apache-2.0
"""Webhooks of forges: stored at once, processed later.

Path of a delivery: endpoints.py -> forges/ (signature, then content) -> service.py (stored) -> tasks.py
(processed) -> plans (what to measure, from the commit graph) -> apply.py (commits and jobs).

Imports self_test and below.
"""
