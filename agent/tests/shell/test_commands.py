# SPDX-License-Identifier: Apache-2.0
"""The commands of `nalm` are listed without being loaded, as each says of itself."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import nalm_agent.cli
import pytest
from nalm_agent.shell.app import app
from nalm_agent.shell.commands import COMMANDS, UnloadedCommand
from typer.testing import CliRunner

LISTED = {name: text for below in COMMANDS.values() for name, text in below.items()}


@pytest.mark.parametrize("name", LISTED)
def test_a_listed_command_says_the_same_of_itself(name: str) -> None:
    command = UnloadedCommand(name).loaded()
    first = re.split(r"\n\s*\n", command.help.strip())[0]
    assert LISTED[name] == " ".join(first.split())


def test_every_module_is_a_command() -> None:
    modules = {path.stem for path in Path(nalm_agent.cli.__path__[0]).glob("*.py")}
    assert modules - {"__init__"} == set(LISTED)


def test_the_list_of_commands_loads_none_of_them() -> None:
    code = "import sys; sys.argv = ['nalm', '--help']\nfrom nalm_agent.shell.entry import main\n"
    code += "try:\n    main()\nexcept SystemExit:\n    print([name for name in sys.modules if name in "
    code += "('pydantic', 'numpy', 'httpx') or name.startswith('nalm_agent.cli')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("\n[]\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("rate --mode all-of-them", "'all-of-them' is not one of 'mrr', 'ndr',"),
        ("rate --preset x", "'x' is not one of 'vcpe',"),
        ("rate --base HEAD --pps 0", "Invalid value for '--pps': expected at least 1"),
        ("soak --pps many", "Invalid value for '--pps': expected an integer"),
        ("check --minutes inf", "Invalid value for '--minutes': expected a finite number"),
        ("soak --hours inf", "Invalid value for '--hours': expected "),
        ("soak --hours nan", "Invalid value for '--hours': expected "),
        ("soak --hours 1e300", "Invalid value for '--hours': expected at most 8760"),
        ("soak --interval 1e10", "Invalid value for '--interval': expected at most 3600"),
        ("rate --duration inf", "Invalid value for '--duration': expected "),
        ("rate --leave-out 1e10", "Invalid value for '--leave-out': expected at most 86400"),
        ("experiment features --seconds inf", "Invalid value for '--seconds': expected a finite number"),
        ("experiment platform --share 0", "Invalid value for '--share': expected at least 1"),
    ],
)
def test_a_wrong_value_is_named_in_words(arguments: str, said: str) -> None:
    done = CliRunner().invoke(app, arguments.split(), env={"COLUMNS": "300"})
    assert done.exit_code == 2 and said in done.stderr, done.stderr
    assert "Value error" not in done.stderr and "Input should" not in done.stderr
