# SPDX-License-Identifier: Apache-2.0
"""Notifications: written in the transaction of what happened, sent later, tried again, never twice.

Imports webhooks (the forms of forges' payloads) and below. Start at `service.py` (the outbox) and
`tasks.py` (what is sent); `forges` has statuses and comments, `integrations` what a project has set up.
"""
