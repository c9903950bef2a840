# SPDX-License-Identifier: Apache-2.0
"""What keeps a series that moved from being an alert: mutes, expectations, noise floors."""
