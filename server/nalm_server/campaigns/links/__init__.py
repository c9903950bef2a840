# SPDX-License-Identifier: Apache-2.0
"""Links: compare distant commits, so that the error of a long history stays small."""
