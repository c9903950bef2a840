# SPDX-License-Identifier: Apache-2.0
"""Every command of nalm-server by its entry point: help with an example, and mistakes without a trace."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import typer.main
from nalm_server.cli import main as entry
from nalm_server.cli.command_reference import reference
from nalm_server.cli.common import JsonCommand, whole_file
from nalm_server.cli.main import app, main
from typer.testing import CliRunner

Call = Callable[..., tuple[int, str, str]]


def leaf_commands(command: Any, name: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if not hasattr(command, "list_commands"):
        yield name, command
        return
    for word in command.list_commands(None):
        yield from leaf_commands(command.get_command(None, word), (*name, word))


COMMANDS = [name for name, _ in leaf_commands(typer.main.get_command(app))]
assert len(COMMANDS) > 40
WRONG = [
    ("account add", "Mona Lisa", 2),
    ("account link", "nobody", 2),
    ("account disable", "nobody", 2),
    ("account password", "nobody --password short", 2),
    ("member add", "none mona", 2),
    ("member add", "none mona --role king", 2),
    ("member remove", "none mona", 2),
    ("member list", "none", 2),
    ("project add", "my/nf --repository /srv/nf.git", 2),
    ("token new", "agent --name a --project demo", 2),
    ("token new", "read --name a --project none", 4),
    ("token new", "admin --name a --days 999999999", 2),
    ("token revoke", "99", 4),
    ("token revoke", "99999999999999999999", 2),
    ("agent invite", "--pool Lab!", 2),
    ("agent invite", "--name a/b", 2),
    ("agent drain", "nowhere", 4),
    ("agent resume", "nowhere", 4),
    ("agent revoke", "nowhere", 4),
    ("agent move", "nowhere lab", 4),
    ("pool bind", "none lab", 4),
    ("pool bind", "none Lab!", 2),
    ("job request", "none main", 4),
    ("job request", "none main --kind speed", 2),
    ("job show", "99", 4),
    ("job show", "99999999999999999999", 2),
    ("job list", "--project none", 4),
    ("job cancel", "99", 4),
    ("job retry", "99", 4),
    ("job boost", "99", 4),
    ("job approve", "99", 4),
    ("job reject", "99", 4),
    ("backfill", "none aaaaaaa bbbbbbb", 4),
    ("backfill", "none a\nb bbbbbbb", 2),
    ("bisect", "none aaaaaaa bbbbbbb --scenario s", 4),
    ("bisect", "none aaaaaaa bbbbbbb --scenario ?", 2),
    ("experiment", "none features", 4),
    ("experiment", "none features --revision ?", 2),
    ("schedule add", "none nightly --cron never", 2),
    ("schedule list", "none", 4),
    ("schedule remove", "none nightly", 4),
    ("export", "none", 4),
    ("export", "none --format papyrus", 2),
    ("import", "none /dev/null --format csv", 4),
    ("import", "none /nowhere --format csv", 2),
    ("backup", "/nowhere/nalm.tar", 4),
    ("restore", "/dev/null", 4),
    ("retention", "--apply=maybe", 2),
    ("migrate", "--to nowhere", 4),
    ("settings", "--all", 2),
    ("worker", "", 2),
    ("beat", "", 2),
    ("serve", "", 2),
    ("up", "--port 99999", 2),
    ("demo", "--source /nowhere --once", 4),
]


@pytest.fixture
def call(
    tmp_path: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Call:
    """Calls the command as the shell does: exit code, what it says, what it complains of."""
    shutil.copy(sqlite_template, tmp_path / "nalm.db")
    monkeypatch.setenv("NALM_STATE_DIR", str(tmp_path))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)

    def called(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["nalm-server", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return called


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_help_shows_how_it_is_called(call: Call, words: tuple[str, ...]) -> None:
    code, said, _ = call(*words, "--help")
    assert code == 0
    assert f"nalm-server {' '.join(words)}" in said.partition("Example")[2], "an example"


def test_the_list_shows_what_each_says_of_itself(call: Call) -> None:
    group: Any = typer.main.get_command(app)
    for name, (_, shown) in entry.COMMANDS.items():
        said = group.get_command(None, name).help.partition("\n\n")[0]
        assert " ".join(said.split()) == shown
    assert "The report store" in call("--help")[1]


def test_the_reference_of_the_commands_is_current() -> None:
    committed = Path(__file__).parents[3] / "docs" / "nalm-server.md"
    assert committed.read_text() == reference(), (
        "run `python -m nalm_server.cli.command_reference > docs/nalm-server.md`, or `make openapi`"
    )


def test_the_reference_has_every_option() -> None:
    sections = dict(re.findall(r"^##+ (.+)\n((?:(?!##).*\n)*)", reference(), re.M))
    for words, command in leaf_commands(typer.main.get_command(app)):
        options = {name for one in command.params for name in one.opts if name.startswith("--")}
        missing = [name for name in options - {"--state", "--help"} if name not in sections[" ".join(words)]]
        assert not missing, words


def test_its_version_is_reported(call: Call) -> None:
    code, said, _ = call("--version")
    shown = re.fullmatch(r"nalm-server (\S+)(?: \(commit [0-9a-f]{12}(?:-dirty)?\))?\n", said)
    assert code == 0 and shown is not None and shown[1] == version("nalm-server")


@pytest.mark.parametrize("words", COMMANDS[::8], ids=" ".join)
def test_an_option_there_is_not_is_named(call: Call, words: tuple[str, ...]) -> None:
    names_the_option(call, words)


@pytest.mark.nightly
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_an_option_there_is_not_is_named_by_every_command(call: Call, words: tuple[str, ...]) -> None:
    names_the_option(call, words)


def names_the_option(call: Call, words: tuple[str, ...]) -> None:
    code, _, complaint = call(*words, "--no-such-thing")
    assert (code, "--no-such-thing" in complaint) == (2, True)


@pytest.mark.parametrize(("command", "given", "expected"), WRONG)
def test_a_mistake_is_reported_in_a_line(call: Call, command: str, given: str, expected: int) -> None:
    code, _, complaint = call(*command.split(), *given.split(" ") if given else ())
    assert code == expected, complaint
    assert "Traceback" not in complaint
    ours = [line for line in complaint.splitlines() if line.startswith(("nalm-server", "Error: "))]
    assert len(ours) == 1, complaint


@pytest.mark.parametrize("of", ["account", "agent", "job", "project", "token"])
def test_an_empty_list_says_so_beside_its_output(call: Call, of: str) -> None:
    code, output, complaint = call(of, "list", "--state", "new")
    what = "hosts" if of == "agent" else f"{of}s"
    assert (code, output) == (0, "") and f"no {what}" in complaint.splitlines()


@pytest.mark.nightly
def test_a_command_makes_no_server_where_none_is_named(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NALM_STATE_DIR")
    code, _, complaint = call("project", "list")
    assert (code, "no server is in .nalm/server" in complaint) == (4, True), complaint
    assert not (tmp_path / ".nalm").exists()
    assert call("project", "list", "--state", "new")[0] == 0


@pytest.mark.nightly
def test_a_migration_that_must_stop_the_running_version_says_so(call: Call, tmp_path: Path) -> None:
    assert call("migrate", "--online")[0] == 0
    assert call("migrate", "--to", "0023")[0] == 0
    code, _, complaint = call("migrate", "--online")
    assert (code, "stop it first" in complaint) == (3, True)
    assert call("migrate")[0] == 0


def test_a_wrong_value_is_named_in_words() -> None:
    done = CliRunner().invoke(app, ["up", "--port", "x"], env={"COLUMNS": "200"})
    assert done.exit_code == 2 and "expected an integer" in done.stderr
    assert "Input should" not in done.stderr


def test_json_takes_a_file_or_none_in_every_command_that_has_it() -> None:
    found = [
        (name, command, option)
        for name, command in leaf_commands(typer.main.get_command(app))
        for option in command.params
        if "--json" in option.opts
    ]
    assert found
    for name, command, option in found:
        assert isinstance(command, JsonCommand), name
        assert (option.is_flag, option.metavar) == (False, "[FILE]"), name


def test_an_added_project_is_json_on_standard_output_or_in_a_file_of_its_own(
    call: Call, tmp_path: Path
) -> None:
    made = ("project", "add", "--repository", "https://git.example.org/nf.git", "--unchecked")
    code, said, complaint = call(*made, "--json", "first")
    assert (code, json.loads(said)["name"]) == (0, "first"), complaint
    file = tmp_path / "second.json"
    code, said, complaint = call(*made, "second", "--json", str(file))
    secret = json.loads(file.read_text())["webhook_secret"]
    assert code == 0 and str(file) in said and secret not in said, complaint
    assert file.stat().st_mode & 0o777 == 0o600
    code, _, complaint = call(*made, "third", "--json", str(tmp_path / "none" / "third.json"))
    assert (code, "third.json" in complaint) == (4, True), complaint
    assert "third" not in call("project", "list")[1], "a project whose secrets nobody has is not added"


def test_the_list_of_tokens_says_whose_each_is_and_until_when_it_is_valid(call: Call, tmp_path: Path) -> None:
    made = ("project", "add", "demo", "--repository", "https://git.example.org/nf.git", "--unchecked")
    assert call(*made)[0] == 0
    of_project = ("--project", "demo")
    for name, more in (("old", of_project), ("new", of_project), ("gone", of_project), ("bench-07", ())):
        scope, days = ("upload" if more else "agent"), ("--days", "30") if name == "new" else ()
        assert call("token", "new", scope, "--name", name, *more, *days)[0] == 0
    with closing(sqlite3.connect(tmp_path / "nalm.db")) as database, database:
        database.execute("update tokens set expires_at = '2026-01-02 00:00:00' where name = 'old'")
        [expires, gone] = (
            database.execute(f"select {column} from tokens where name = ?", [name]).fetchone()[0]
            for column, name in (("expires_at", "new"), ("id", "gone"))
        )
    assert call("token", "revoke", str(gone))[0] == 0
    listed = [line.split("  ") for line in call("token", "list")[1].splitlines()]
    assert {name: (whose, state) for _, _, name, whose, state in listed if name != "upload demo"} == {
        "old": ("project demo", "expired 2026-01-02"),
        "new": ("project demo", f"valid until {expires[:10]}"),
        "gone": ("project demo", f"revoked {datetime.now(UTC):%Y-%m-%d}"),
        "bench-07": ("server", "valid until revoked"),
    }


def test_an_export_that_ends_early_leaves_the_former_file(tmp_path: Path) -> None:
    """Half a table looks like a table."""
    file = tmp_path / "rows.csv"
    file.write_bytes(b"whole")
    with pytest.raises(OSError, match="full"), whole_file(file) as out:
        out.write(b"half")
        raise OSError("the disk is full")
    assert file.read_bytes() == b"whole"
    with whole_file(file) as out:
        out.write(b"new")
    assert file.read_bytes() == b"new" and list(tmp_path.iterdir()) == [file]
