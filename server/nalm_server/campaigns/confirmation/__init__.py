# SPDX-License-Identifier: Apache-2.0
"""Confirmations: before anyone is told of a finding, base and head are measured again."""
