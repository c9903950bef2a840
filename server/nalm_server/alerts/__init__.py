# SPDX-License-Identifier: Apache-2.0
"""The life of a finding; what looks at measurements speaks to findings.py alone."""
