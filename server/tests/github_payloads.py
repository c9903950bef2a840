# SPDX-License-Identifier: Apache-2.0
"""Sends every example payload that GitHub's users have published, and says how each was answered.

`make test-github-payloads` fetches them (npm `@octokit/webhooks-examples`, MIT) and runs this.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from nalm_server.base.settings import Settings
from nalm_server.db import migrate
from nalm_server.webhooks.signature import sign
from nalm_server.webhooks.tasks import drain

sys.path.insert(0, str(Path(__file__).parent / "support"))
from nalm_server_harness import Clock, Service, make_service

NEW_CODE = {"opened", "synchronize", "reopened", "ready_for_review", "closed"}


def expected(event: str, payload: dict[str, Any]) -> int:
    """202 for what may lead to a measurement, 200 for everything else."""
    if event == "pull_request":
        retargeted = payload["action"] == "edited" and "base" in payload["changes"]
        return 202 if payload["action"] in NEW_CODE or retargeted else 200
    return 202 if event == "push" else 200


def send(service: Service, event: str, number: int, payload: dict[str, Any]) -> int:
    body = json.dumps(payload).encode()
    headers = {
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": f"example-{number}",
        "X-Hub-Signature-256": sign(service.secret, body),
    }
    answer = service.client.post("/api/v1/hooks/github?project=demo", content=body, headers=headers)
    return int(answer.status_code)


def examples(package: Path) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (index.parent.name, event["name"], payload)
        for index in sorted(package.glob("*/index.json"))
        for event in json.loads(index.read_text())
        for payload in event["examples"]
    ]


def main(package: Path) -> int:
    found = examples(package)
    wrong = []
    answers: Counter[tuple[str, int]] = Counter()
    with tempfile.TemporaryDirectory(prefix="nalm-payloads-") as home:
        url = f"sqlite:///{home}/nalm.db"
        migrate.upgrade(url)
        service = make_service(
            Settings(state_dir=Path(home), database_url=url, static_dir=Path(home)), Clock()
        )
        for number, (host, event, payload) in enumerate(found):
            status = send(service, event, number, payload)
            answers[event, status] += 1
            if status != expected(event, payload):
                wrong.append(f"{host} {event} {payload.get('action', '')}: {status}")
        drain(service.context)
        left = service.request("GET", "/projects/demo/deliveries?status=received", "admin")
        wrong += [f"not worked on: {one['event']}: {one['reason']}" for one in left]
        service.context.engine.dispose()
    for (event, status), count in sorted(answers.items()):
        print(f"{status} {count:4} {event}")
    print(f"{len(found)} examples, {len(wrong)} answered otherwise than they should be", *wrong, sep="\n  ")
    return 1 if wrong or not found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
