"""Models of a checkpoint's document, as somebody writes them who needs neither RDF nor rules: the floor."""

from __future__ import annotations

from pydantic import BaseModel, Field, JsonValue


class Property(BaseModel):
    """A named value."""

    name: str
    value: JsonValue = None


class Rating(BaseModel):
    """A trait."""

    name: str
    description: str = ""
    best_rating: float = Field(alias="bestRating")
    worst_rating: float = Field(alias="worstRating")
    additional_type: str = Field(alias="additionalType")
    additional_property: list[Property] = Field(alias="additionalProperty", default=[])


class Text(BaseModel):
    """An answer or a template."""

    text: str


class Question(BaseModel):
    """A question."""

    text: str
    accepted_answer: Text = Field(alias="acceptedAnswer")
    has_part: Text = Field(alias="hasPart")
    rating: list[Rating] = []
    additional_property: list[Property] = Field(alias="additionalProperty", default=[])
    keywords: list[str] = []


class Item(BaseModel):
    """A question with its dates."""

    identifier: str = Field(alias="@id")
    date_created: str = Field(alias="dateCreated")
    date_modified: str = Field(alias="dateModified")
    item: Question


class Feed(BaseModel):
    """A benchmark."""

    identifier: str = Field(alias="@id")
    name: str
    description: str
    version: str
    creator: str
    date_created: str = Field(alias="dateCreated")
    date_modified: str = Field(alias="dateModified")
    rating: list[Rating]
    data_feed_element: list[Item] = Field(alias="dataFeedElement")
    additional_property: list[Property] = Field(alias="additionalProperty")
