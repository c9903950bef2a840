# SPDX-License-Identifier: Apache-2.0
"""Confirmations: measure base and head of an alert again before a notification is sent."""
