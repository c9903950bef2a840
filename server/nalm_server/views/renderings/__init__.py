# SPDX-License-Identifier: Apache-2.0
"""Verdicts in the forms that other programs read; core makes them."""
