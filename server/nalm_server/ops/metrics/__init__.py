# SPDX-License-Identifier: Apache-2.0
"""Metrics of the service itself, for Prometheus."""
