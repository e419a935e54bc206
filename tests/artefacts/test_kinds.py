"""Components: one class each, registered or from outside, checked where a profile names it, and
part of a recipe's key.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from typing import Annotated, ClassVar

import pytest
from pydantic import BeforeValidator, Field, PlainSerializer, SerializeAsAny, ValidationError

from pseudogec.artefacts import Component, Recipe, Registry, Section


class Shape(Component):
    def area(self) -> float:
        raise NotImplementedError


SHAPES = Registry(Shape, "shape")


@SHAPES.register
class Square(Shape):
    name: ClassVar[str] = "square"
    label: ClassVar[str] = "Square"
    side: float = Field(1.0, gt=0, description="metres")

    def area(self) -> float:
        return self.side**2


@SHAPES.register
class Circle(Shape):
    name: ClassVar[str] = "circle"
    label: ClassVar[str] = "Circle"
    radius: float


AnyShape = Annotated[
    SerializeAsAny[Shape], BeforeValidator(SHAPES.parse), PlainSerializer(SHAPES.dump)
]


class Garden(Section):
    beds: dict[str, AnyShape]


class Bed(Recipe):
    kind: ClassVar[str] = "bed"
    shape: Shape


OUTSIDE = """
from typing import ClassVar
from test_kinds import Shape

class Ring(Shape):
    name: ClassVar[str] = "ring"
    label: ClassVar[str] = "Ring"
    version: ClassVar[int] = 1
    width: int = 1

    def area(self):
        return 42.0 * self.width

class Unrelated:
    pass
"""


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "my_shapes.py").write_text(OUTSIDE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "test_kinds", sys.modules[__name__])
    monkeypatch.delitem(sys.modules, "my_shapes", raising=False)
    return "my_shapes:Ring"


def test_a_profile_names_a_kind_alone_or_with_its_fields() -> None:
    garden = Garden.model_validate(
        {"beds": {"roses": "square", "herbs": {"shape": "circle", "radius": 2}}}
    )
    assert garden.beds == {"roses": Square(), "herbs": Circle(radius=2)}
    assert garden.beds["roses"].area() == 1
    assert Garden.model_validate(garden.model_dump()) == garden
    assert garden.model_dump()["beds"]["roses"] == {"shape": "square", "side": 1.0}
    assert list(SHAPES) == [Square, Circle]


@pytest.mark.parametrize(
    ("bed", "place", "words"),
    [
        ("sqare", ("beds", "roses"), "`square`"),
        ({"shape": "square", "side": -1}, ("beds", "roses", "side"), "greater than 0"),
        ({"shape": "square", "sid": 1}, ("beds", "roses", "sid"), "Extra inputs"),
        ({"side": 1}, ("beds", "roses"), "square, circle"),
        ("pathlib:Path", ("beds", "roses"), "`Path`"),
    ],
)
def test_what_is_wrong_is_reported_at_its_place(
    bed: object, place: tuple[str, ...], words: str
) -> None:
    with pytest.raises(ValidationError) as refused:
        Garden.model_validate({"beds": {"roses": bed}})
    [error] = refused.value.errors()
    assert error["loc"] == place
    assert words in error["msg"]


def test_a_class_from_outside_is_used_like_one_of_ours(outside: str) -> None:
    garden = Garden.model_validate({"beds": {"roses": {"shape": outside, "width": 2}}})
    assert garden.beds["roses"].area() == 84
    assert garden.model_dump()["beds"]["roses"] == {"shape": outside, "width": 2}
    assert Garden.model_validate(garden.model_dump()) == garden


def test_name_version_and_fields_enter_the_key(
    outside: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shapes = [
        Square(),
        Square(side=2),
        Circle(radius=1),
        SHAPES.parse(outside),
        SHAPES.parse({"shape": outside, "width": 2}),
    ]
    for one, other in itertools.combinations(shapes, 2):
        assert Bed(shape=one).key != Bed(shape=other).key
    assert Bed(shape=SHAPES.parse("square")).key == Bed(shape=Square(side=1)).key
    assert Bed(shape=shapes[3]).content()["fields"]["shape"] == {
        "kind": outside,
        "version": 1,
        "width": 1,
    }
    before = Bed(shape=Square()).key
    monkeypatch.setattr(Square, "version", 2)
    assert Bed(shape=Square()).key != before


def test_keys_stay_what_they_are() -> None:
    """A change here makes every store of every user useless; change it only on purpose."""
    assert Bed(shape=Square(side=2)).key == "4a44c1b43690ebcd"
