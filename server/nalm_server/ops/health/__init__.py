# SPDX-License-Identifier: Apache-2.0
"""Health of the service, and the metric catalogue."""
