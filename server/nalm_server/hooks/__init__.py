# SPDX-License-Identifier: Apache-2.0
"""Webhooks of forges."""
