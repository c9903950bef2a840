# SPDX-License-Identifier: Apache-2.0
"""Which branches, paths and forks of a repository are measured."""
