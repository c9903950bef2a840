# SPDX-License-Identifier: Apache-2.0
"""How the command `nalm` begins, and what its help says of options."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from nalm_agent.shell.app import app
from nalm_agent.shell.commands import LazyGroup
from typer.testing import CliRunner


def test_the_version_needs_no_command() -> None:
    code = "import sys; sys.argv = ['nalm', '--version']\nfrom nalm_agent.shell.entry import main; main()\n"
    code += "print(sorted({'typer', 'pydantic', 'numpy', 'rich', 'nalm_agent.shell.app'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("nalm ") and done.stdout.endswith("[]\n")


LOADED = """
import os, sys
from nalm_agent.shell.app import app
from nalm_agent.shell.commands import LazyGroup
known = set(sys.modules)
for name, command in LazyGroup().commands.items():
    if os.fork() == 0:
        command.loaded()
        print(name, *sorted(set(sys.modules) - known), flush=True)
        os._exit(0)
    os.wait()
"""
NEEDLESS = {"numpy", "pydantic", "scipy", "httpx", "nalm_core.report.run_report", "nalm_core.verdict.verdict"}
MODULES_OF_NALM = 25


def test_the_help_of_a_command_loads_nothing_that_measures_or_judges() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    loaded = {name: set(modules) for name, *modules in map(str.split, done.stdout.splitlines())}
    assert loaded.keys() == LazyGroup().commands.keys()
    assert {name: found for name, modules in loaded.items() if (found := modules & NEEDLESS)} == {}
    ours = {name: sum(one.startswith("nalm_") for one in modules) for name, modules in loaded.items()}
    assert max(ours.values()) <= MODULES_OF_NALM, ours


@pytest.mark.parametrize("command", ["", "check", "model", "model queue", "experiment", "hook", "agent"])
def test_help_loads_neither_pydantic_nor_rich(command: str) -> None:
    """Typer loads one to check an option, the other to draw boxes: each takes a third of the time."""
    code = f"import sys; sys.argv = {['nalm', *command.split(), '--help']}\n"
    code += "from nalm_agent.shell.entry import main\n"
    code += "try:\n    main()\nexcept SystemExit:\n    print({'pydantic', 'rich'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "\nOptions:\n" in done.stdout and done.stdout.endswith("\nset()\n")


def test_a_command_hides_the_token_of_the_environment() -> None:
    code = "import os, sys; sys.argv = ['nalm', '--help']\nfrom nalm_agent.shell.entry import main\n"
    code += "try:\n    main()\nexcept SystemExit:\n    print(*(one for one in os.environ if 'TOKEN' in one))"
    environment = os.environ | {"NALM_TOKEN": "nalm_secret"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.endswith("\n\n"), done.stdout[-200:]


def test_an_example_is_a_line_with_what_it_does_beside_it() -> None:
    said = CliRunner().invoke(app, ["bisect", "--help"]).output
    assert said.endswith("""
  Examples:
    nalm bisect v1.0 main
    nalm bisect v1.0 main --metric ipp --stage nat  exact and faster
""")


def test_an_interrupt_while_the_command_is_loaded_leaves_no_trace(tmp_path: Path) -> None:
    """The command waits for ever while it is loaded: its first module reads an empty pipe."""
    (tmp_path / "typer.py").write_text("import sys\nprint('loading', flush=True)\nsys.stdin.readline()\n")
    code = "from nalm_agent.shell.entry import main; main()"
    nalm = subprocess.Popen(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert nalm.stdout is not None and nalm.stdout.readline() == "loading\n"
    nalm.send_signal(signal.SIGINT)
    _, said = nalm.communicate(timeout=60)
    assert nalm.returncode == 130
    assert said == "nalm: interrupted\n"


@pytest.mark.parametrize("command", ["check", "compare", "bisect", "top", "doctor"])
def test_help_shows_flags_without_a_value(command: str) -> None:
    said = CliRunner().invoke(app, [command, "--help"]).output
    assert "<bool>" not in said and "--" in said
