# SPDX-License-Identifier: Apache-2.0
"""Looks at repositories from time to time for what no webhook told: forge or server were down."""
