# SPDX-License-Identifier: Apache-2.0
"""Calls from a package to packages above it, without importing them. `app.wiring` connects them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
F = TypeVar("F", bound=Callable[..., object])


class Event(Generic[P]):
    """An event. Subscribers run in the order of their subscription, inside the transaction of the
    event."""

    def __init__(self) -> None:
        self._subscribers: list[Callable[P, object]] = []

    def subscribe(self, subscriber: Callable[P, object]) -> None:
        self._subscribers.append(subscriber)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> None:
        for subscriber in self._subscribers:
            subscriber(*args, **kwargs)


class Port(Generic[F]):
    """A function that exactly one package above provides."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._provider: F | None = None

    def provide(self, provider: F) -> None:
        self._provider = provider

    @property
    def call(self) -> F:
        if self._provider is None:
            raise RuntimeError(f"{self._name} is not connected: import nalm_server.app.wiring first")
        return self._provider
