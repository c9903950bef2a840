# SPDX-License-Identifier: Apache-2.0
"""The file that gdb sources. It and `nalm_gdb` run in gdb's own Python: standard library only."""

import sys
from pathlib import Path

folder = str(Path(__file__).resolve().parent)
if folder not in sys.path:
    sys.path.append(folder)

from nalm_gdb import commands  # type: ignore[import-not-found]  # noqa: E402

commands.register()
