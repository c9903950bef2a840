# SPDX-License-Identifier: Apache-2.0
"""What stands between a commit's build and this host: user, view of the system, network, limits.

`nalm_agent.build.sandbox` puts them together; it is where to start. Imports nothing of the measurement.
"""
