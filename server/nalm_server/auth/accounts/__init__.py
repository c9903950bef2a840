# SPDX-License-Identifier: Apache-2.0
"""People: accounts, their passwords, the one-time links that invite them."""
