# SPDX-License-Identifier: Apache-2.0
"""Figures about the service itself, for Prometheus."""
