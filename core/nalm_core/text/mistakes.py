# SPDX-License-Identifier: Apache-2.0
"""Messages about invalid values, for the person who entered them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

from nalm_core.text.plain_text import plain_line

P = ParamSpec("P")
T = TypeVar("T")

_EXPECTED: Final = {
    "missing": "is missing",
    "int": "expected an integer",
    "float": "expected a number",
    "bool": "expected true or false",
    "string_type": "expected text",
    "list_type": "expected a list",
    "tuple_type": "expected a list",
    "dict_type": "expected a table of names and values",
    "model_type": "expected a table of names and values",
    "model_attributes_type": "expected a table of names and values",
    "finite_number": "expected a finite number",
    "greater_than": "expected more than {gt}",
    "greater_than_equal": "expected at least {ge}",
    "less_than": "expected less than {lt}",
    "less_than_equal": "expected at most {le}",
    "multiple_of": "expected a multiple of {multiple_of}",
    "too_short": "expected at least {min_length} entries",
    "too_long": "expected at most {max_length} entries",
    "string_too_short": "expected at least {min_length} characters",
    "string_too_long": "expected at most {max_length} characters",
    "string_pattern_mismatch": "expected text of the form {pattern}",
    "enum": "expected {expected}",
    "literal_error": "expected {expected}",
    "json_invalid": "not JSON: {error}",
    "extra_forbidden": "is not known",
}
_FAMILIES: Final = ("int", "float", "bool")


def words(mistake: Mapping[str, Any]) -> str:
    """The message for one of pydantic's errors(), in lower case; pydantic's own text by default."""
    kind = str(mistake["type"])
    family = kind.partition("_")[0]
    form = _EXPECTED.get(kind) or (_EXPECTED[family] if family in _FAMILIES else None)
    if form is not None:
        return form.format(**mistake.get("ctx", {}))
    text = message_of(mistake)
    return text[:1].lower() + text[1:]


def in_words(process: Callable[P, T]) -> Callable[P, T]:
    """The function with the messages of errors that pydantic caused in words: of Typer's BadParameter."""

    @wraps(process)
    def processed(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return process(*args, **kwargs)
        except Exception as error:
            errors = getattr(error.__cause__, "errors", None)
            if errors is not None and hasattr(error, "message"):
                error.message = plain_line(words(errors()[0]))
            raise

    return processed


def message_of(mistake: Mapping[str, Any]) -> str:
    """pydantic's own text, without the class that it puts before the text of a validator."""
    return str(mistake["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ")


def first_mistake(mistakes: Sequence[Mapping[str, Any]]) -> str:
    """The first of pydantic's errors() as `path: message`."""
    first = mistakes[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {words(first)}" if place else words(first)
