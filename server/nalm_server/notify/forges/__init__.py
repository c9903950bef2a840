# SPDX-License-Identifier: Apache-2.0
"""Results told where the code is: a status on the commit, one comment on the pull request."""
