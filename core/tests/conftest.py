# SPDX-License-Identifier: Apache-2.0
"""Lets the tests of this room import their synthetic reports."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
