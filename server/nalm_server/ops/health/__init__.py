# SPDX-License-Identifier: Apache-2.0
"""Is the service up, and the metric catalogue."""
