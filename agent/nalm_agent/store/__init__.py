# SPDX-License-Identifier: Apache-2.0
"""Files of the agent on this host: $NALM_HOME, the content-addressed store, locks, atomic files.

May import `runtime`. Start at `home`.
"""
