# SPDX-License-Identifier: Apache-2.0
"""Exit codes of `nalm` that no command returns."""

FAULT = 4
"""An internal error. It must differ from the code of a regression, which would stop a merge."""
UNREAD = 141
"""The reader of the output closed it: 128 + SIGPIPE, as in shells. It is no verdict either."""
