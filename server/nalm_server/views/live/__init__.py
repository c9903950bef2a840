# SPDX-License-Identifier: Apache-2.0
"""Live: changes of jobs as server-sent events."""
