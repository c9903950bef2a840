# SPDX-License-Identifier: Apache-2.0
"""Results at the forge: a status of the commit, one comment on the pull request."""
