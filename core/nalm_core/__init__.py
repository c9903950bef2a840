# SPDX-License-Identifier: Apache-2.0
"""nalm_core: metrics, run reports, statistics and verdicts. Pure: no file, socket, clock or environment."""
