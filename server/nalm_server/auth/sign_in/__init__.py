# SPDX-License-Identifier: Apache-2.0
"""Signing in and out: by password, by one-time link, by a forge; sessions."""
