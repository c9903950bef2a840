# SPDX-License-Identifier: Apache-2.0
"""Roles of accounts and tokens in projects."""
