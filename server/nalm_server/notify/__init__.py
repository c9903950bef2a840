# SPDX-License-Identifier: Apache-2.0
"""Notifications: written in the transaction of their cause, sent later, retried; messages never twice.

Imports webhooks (the forms of forges' payloads) and below. Start at `service.py` (the outbox) and `tasks.py`
(sending); `forges` has statuses and comments, `integrations` the receivers that a project has set up.
"""
