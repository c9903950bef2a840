# SPDX-License-Identifier: Apache-2.0
"""`nalm gdb` works behind gdb's debug adapter (DAP), which nvim-dap, Emacs and other editors start."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from tiny import NALM

SPEAKS_DAP = 14
Message = dict[str, Any]


def gdb_version() -> int:
    said = subprocess.run(["gdb", "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"(\d+)\.\d+", said.splitlines()[0])
    assert found, said
    return int(found[1])


pytestmark = pytest.mark.skipif(
    gdb_version() < SPEAKS_DAP, reason=f"gdb {gdb_version()} speaks no DAP: {SPEAKS_DAP} and later do"
)


class Editor:
    """The side of DAP that asks."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin and process.stdout
        self._to, self._from = process.stdin, process.stdout
        self._numbers = itertools.count(1)
        self._waiting: list[Message] = []

    def send(self, command: str, **arguments: object) -> int:
        number = next(self._numbers)
        body = json.dumps({"seq": number, "type": "request", "command": command, "arguments": arguments})
        self._to.write(f"Content-Length: {len(body)}\r\n\r\n{body}".encode())
        self._to.flush()
        return number

    def ask(self, command: str, **arguments: object) -> Message:
        """The answer's body; the request must have succeeded."""
        return self.answer(self.send(command, **arguments))

    def answer(self, number: int) -> Message:
        found = self._first(lambda one: one["type"] == "response" and one["request_seq"] == number)
        assert found["success"], found
        return dict(found.get("body") or {})

    def event(self, name: str) -> Message:
        found = self._first(lambda one: one["type"] == "event" and one["event"] == name)
        return dict(found.get("body") or {})

    def typed(self, command: str, frame: int) -> str:
        """What the REPL shows for a line typed into it."""
        return str(self.ask("evaluate", expression=command, context="repl", frameId=frame)["result"])

    def _first(self, expected: Callable[[Message], bool]) -> Message:
        """The first message of the kind that is or comes; the others are kept."""
        for at, one in enumerate(self._waiting):
            if expected(one):
                return self._waiting.pop(at)
        while not expected(one := self._read()):
            self._waiting.append(one)
        return one

    def _read(self) -> Message:
        length = 0
        while line := self._from.readline().strip():
            name, _, value = line.partition(b":")
            if name == b"Content-Length":
                length = int(value)
        assert length, "gdb ended"
        return dict(json.loads(self._from.read(length)))


@contextmanager
def adapter() -> Iterator[Editor]:
    command = [str(NALM), "gdb", "--", "-nx", "-q", "--interpreter=dap"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        editor = Editor(process)
        yield editor
        editor.ask("disconnect", terminateDebuggee=True)
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()


def stopped_frame(editor: Editor) -> int:
    thread = editor.event("stopped")["threadId"]
    return int(editor.ask("stackTrace", threadId=thread)["stackFrames"][0]["id"])


def test_figures_in_the_repl_of_an_editor(tiny_nf: list[str]) -> None:
    with adapter() as editor:
        editor.ask("initialize", adapterID="gdb", clientID="test")
        launched = editor.send("launch", program=tiny_nf[0], args=tiny_nf[1:])
        editor.event("initialized")
        editor.ask("setFunctionBreakpoints", breakpoints=[{"name": "beta_process"}])
        editor.ask("configurationDone")
        editor.answer(launched)
        frame = stopped_frame(editor)
        assert json.loads(editor.typed("nalm stages --json", frame))["packets"] == 0
        editor.ask("continue", threadId=1)
        frame = stopped_frame(editor)
        assert json.loads(editor.typed("nalm since --json", frame))["packets"] == 32
        assert editor.typed("nalm stages", frame).startswith("stage ")
        assert "beta_process" in editor.typed("nalm lcores", frame)
