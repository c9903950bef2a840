# SPDX-License-Identifier: Apache-2.0
"""Tokens: who may do what."""
