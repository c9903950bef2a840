# SPDX-License-Identifier: Apache-2.0
"""How `nalm` ends when no command had the word."""

FAULT = 4
"""Nothing was measured: never the code of a regression, which would stop a merge."""
UNREAD = 141
"""As shells say it of a program whose reader went away (128 + SIGPIPE): no verdict either."""
