# SPDX-License-Identifier: Apache-2.0
"""nalm_server: webhooks in, jobs out to agents, run reports in, verdicts stored and shown."""
