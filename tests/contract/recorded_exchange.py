# SPDX-License-Identifier: Apache-2.0
"""Requests of API clients and their answers, as stored in a file and replayed to a server.

Texts of a request may have `${name}`: a value from an earlier answer, such as a token or an id.
"""

from __future__ import annotations

import base64
import csv
import gzip
import hashlib
import hmac
import io
import json
import queue
import re
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import httpx
from contract_server import ContractServer

RECORDED = Path(__file__).parent / "recorded"
EXCHANGES = RECORDED / "exchanges.json"
PLACE = re.compile(r"\$\{(\w+)\}")
PATIENCE_SECONDS = 60.0
Fields = dict[str, list[str]]


@dataclass(frozen=True)
class Exchange:
    """One request, and the form of its answer."""

    operation: str
    """Method and address, as in the API description."""
    address: str = ""
    """After /api/v1, filled in."""
    token: str | None = None
    """The value that authorises the request."""
    headers: dict[str, str] = field(default_factory=dict)
    json: Any = None
    text: str | None = None
    report: str | None = None
    """A body that is sent compressed (gzip, in base64)."""
    signature: tuple[str, str] | None = None
    """Header, and its text before the HMAC-SHA256 of the body."""
    keep: dict[str, str] = field(default_factory=dict)
    """Values that later requests need, each by its path in the answer: `0.id`."""
    until: str | None = None
    """The request is repeated until this path has a value other than null and []."""
    status: int = 0
    media: str = ""
    fields: Fields = field(default_factory=dict)
    """Each field of the answer with its JSON types."""


def read_exchanges() -> list[Exchange]:
    return [
        Exchange(**one | {"signature": tuple(one["signature"]) if one.get("signature") else None})
        for one in json.loads(EXCHANGES.read_text())
    ]


def write_exchanges(exchanges: list[Exchange]) -> None:
    """One line for each exchange, without empty fields."""
    lines = (
        json.dumps({name: value for name, value in asdict(one).items() if name == "json" or value})
        for one in exchanges
    )
    EXCHANGES.write_text("[\n" + ",\n".join(lines) + "\n]\n")


def packed(body: bytes) -> str:
    return base64.b64encode(gzip.compress(body, mtime=0)).decode()


def fields_of(value: Any) -> Fields:
    """The paths of a JSON document, such as `jobs[].id`, with their types."""
    found: dict[str, set[str]] = defaultdict(set)

    def walk(part: Any, path: str) -> None:
        found[path].add(_type(part))
        if isinstance(part, dict):
            for name, inner in part.items():
                walk(inner, f"{path}.{name}".lstrip("."))
        elif isinstance(part, list):
            for inner in part:
                walk(inner, f"{path}[]")

    walk(value, "")
    return {path: sorted(types) for path, types in sorted(found.items())}


def _type(value: Any) -> str:
    names = {dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null"}
    return names.get(type(value), "number")


def lost_fields(recorded: Fields, current: Fields) -> list[str]:
    """What an older API client would miss: fields that are gone or have another type.

    A value that was null may be anything now, and a value may be null now.
    """
    faults = []
    for path, types in recorded.items():
        if path not in current:
            faults.append(f"{path} is gone")
            continue
        before, now = set(types) - {"null"}, set(current[path]) - {"null"}
        if before and now - before:
            faults.append(f"{path} was {sorted(before)} and is {sorted(now)}")
    return faults


class Receiver:
    """A receiver of outgoing webhooks."""

    def __init__(self) -> None:
        messages: queue.Queue[bytes] = queue.Queue()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                messages.put(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._messages = messages
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/"

    def next(self) -> Any:
        return json.loads(self._messages.get(timeout=PATIENCE_SECONDS))

    def end(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def _is_complete(exchange: Exchange, document: Any) -> bool:
    """False while a value is missing that work in the background may still enter."""
    if exchange.until is not None and not _at(document, exchange.until):
        return False
    reads = exchange.operation.startswith("GET ")
    return not (reads and lost_fields(exchange.fields, fields_of(document)))


class Replay:
    """Sends requests to a server in order."""

    def __init__(self, server: ContractServer) -> None:
        self.server = server
        self.receiver = Receiver()
        self._http = httpx.Client(timeout=PATIENCE_SECONDS)
        self.values: dict[str, Any] = {
            "admin": server.admin["Authorization"].removeprefix("Bearer "),
            "agent": server.agent_token,
            "upload": server.project["upload_token"],
            "secret": server.project["webhook_secret"],
            "receiver": self.receiver.url,
        }

    def end(self) -> None:
        self.receiver.end()
        self._http.close()

    def send(self, exchange: Exchange) -> Exchange:
        """The exchange with the server's current answer."""
        if exchange.operation == "message":
            return _with(exchange, 0, "application/json", fields_of(self.receiver.next()))
        ends = time.monotonic() + PATIENCE_SECONDS
        while True:
            status, media, content = self._request(exchange)
            document = _document(media, content)
            if status >= 400 or _is_complete(exchange, document) or time.monotonic() > ends:
                break
            time.sleep(0.05)
        if status < 400:
            self.values |= {name: _secret(_at(document, place)) for name, place in exchange.keep.items()}
        return _with(exchange, status, media, fields_of(document))

    def _request(self, exchange: Exchange) -> tuple[int, str, bytes]:
        body, headers = self._body(exchange)
        headers |= {name: self.filled(value) for name, value in exchange.headers.items()}
        if exchange.token is not None:
            headers["Authorization"] = f"Bearer {self.values[exchange.token]}"
        if exchange.signature is not None:
            name, before = exchange.signature
            secret = self.values["secret"].encode()
            headers[name] = before + hmac.new(secret, body or b"", hashlib.sha256).hexdigest()
        url = f"{self.server.url}/api/v1{self.filled(exchange.address)}"
        method = exchange.operation.partition(" ")[0]
        self._http.cookies.clear()  # requests carry what is recorded, no more
        with self._http.stream(method, url, headers=headers, content=body) as answer:
            media = answer.headers.get("content-type", "").partition(";")[0]
            if answer.cookies:
                self.values["cookie"] = "; ".join(f"{name}={value}" for name, value in answer.cookies.items())
            content = _first_event(answer) if media == "text/event-stream" else answer.read()
            return answer.status_code, media, content

    def _body(self, exchange: Exchange) -> tuple[bytes | None, dict[str, str]]:
        if exchange.report is not None:
            return base64.b64decode(exchange.report), {
                "Content-Encoding": "gzip",
                "Content-Type": "application/json",
            }
        if exchange.text is not None:
            return exchange.text.encode(), {"Content-Type": "text/plain"}
        if exchange.json is not None:
            return json.dumps(self.filled(exchange.json)).encode(), {"Content-Type": "application/json"}
        return None, {}

    def filled(self, value: Any) -> Any:
        if isinstance(value, str):
            if whole := PLACE.fullmatch(value):
                return self.values[whole[1]]
            return PLACE.sub(lambda place: str(self.values[place[1]]), value)
        if isinstance(value, list):
            return [self.filled(one) for one in value]
        if isinstance(value, Mapping):
            return {name: self.filled(one) for name, one in value.items()}
        return value


def _with(exchange: Exchange, status: int, media: str, fields: Fields) -> Exchange:
    return Exchange(**vars(exchange) | {"status": status, "media": media, "fields": fields})


def _first_event(answer: httpx.Response) -> bytes:
    return next(line.removeprefix("data: ").encode() for line in answer.iter_lines() if line[:6] == "data: ")


def _document(media: str, content: bytes) -> Any:
    """The parts of an answer with fields: JSON, columns of a table, elements of XML."""
    if media in ("application/json", "text/event-stream", "application/sarif+json"):
        return json.loads(content) if content else None
    if media == "text/csv":
        return list(csv.DictReader(io.StringIO(content.decode())))
    if media.endswith("xml"):
        return dict(_elements(ElementTree.fromstring(content)))
    return None


def _elements(root: ElementTree.Element) -> Iterator[tuple[str, dict[str, str]]]:
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for element in root.iter():
        found[element.tag] |= element.attrib
    yield from found.items()


def _secret(value: Any) -> Any:
    """The part of a sign-in link that is sent."""
    return value.rpartition("#link=")[2] if isinstance(value, str) else value


def _at(document: Any, place: str) -> Any:
    for name in place.split("."):
        try:
            document = document[int(name) if name.isdigit() else name]
        except (LookupError, TypeError):
            return None
    return document
