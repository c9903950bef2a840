# SPDX-License-Identifier: Apache-2.0
"""No message for a person begins with the class of the error that a validator raised."""

from __future__ import annotations

from typing import Any

import pytest
from nalm_core.models.documents.base import Document, read_document
from nalm_core.models.quantity import ModelInputError
from nalm_core.text.mistakes import first_mistake, message_of, words
from pydantic import BaseModel, ValidationError, field_validator


class Load(BaseModel):
    share: float
    kind: str = "closed"

    @field_validator("kind")
    @classmethod
    def _known(cls, kind: str) -> str:
        if kind != "closed":
            raise ValueError("Kinds are: closed")
        assert kind
        return kind


class LoadDocument(Document):
    kind: str

    @field_validator("kind")
    @classmethod
    def _known(cls, kind: str) -> str:
        raise ValueError("Kinds are: closed")


def mistakes(**given: object) -> list[Any]:
    with pytest.raises(ValidationError) as raised:
        Load.model_validate(given)
    return list(raised.value.errors())


def test_the_text_of_a_validator_stands_alone() -> None:
    (mistake,) = mistakes(share=1, kind="open")
    assert mistake["msg"] == "Value error, Kinds are: closed", "as pydantic has it"
    assert message_of(mistake) == "Kinds are: closed"
    assert words(mistake) == "kinds are: closed"


def test_the_first_mistake_has_its_place() -> None:
    assert first_mistake(mistakes(share="much", kind="open")) == "share: expected a number"
    assert first_mistake(mistakes(share=1, kind="open")) == "kind: kinds are: closed"


def test_a_model_s_document_says_it_so() -> None:
    with pytest.raises(ModelInputError) as raised:
        read_document(LoadDocument, {"kind": "open"})
    assert "Value error" not in str(raised.value) and "kinds are: closed" in str(raised.value)
