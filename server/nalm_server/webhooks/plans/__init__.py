# SPDX-License-Identifier: Apache-2.0
"""What follows from a happening. Asks the commit graph, so never inside a transaction; writes nothing."""
