# SPDX-License-Identifier: Apache-2.0
"""Tokens and their scopes."""
