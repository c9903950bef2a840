# SPDX-License-Identifier: Apache-2.0
"""Results of other tools, read into figures. Pure: text in, figures out; nothing here judges."""
