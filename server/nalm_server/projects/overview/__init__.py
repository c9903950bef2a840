# SPDX-License-Identifier: Apache-2.0
"""Overview of all projects: open alerts, changes, waiting jobs."""
