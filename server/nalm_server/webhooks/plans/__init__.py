# SPDX-License-Identifier: Apache-2.0
"""What follows from an event. Asks the commit graph, so never inside a transaction; writes nothing."""
