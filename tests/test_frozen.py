"""Classes declared by `quorate.frozen` are as the standard library would have declared them."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError, asdict, field, fields, replace
from typing import ClassVar

import pytest

from quorate import frozen

WAYS = {"ours": frozen.dataclass, "original": dataclasses.dataclass}

FORMS = """
@dataclass(frozen=True)
class Plain:
    kind: ClassVar[str] = "plain"
    name: str
    sizes: tuple[int, ...] = (1, 2)
    labels: dict[str, str] = field(default_factory=dict, compare=False)
    note: str = field(default="", repr=False, compare=False)

@dataclass(frozen=True, kw_only=True)
class Named(Plain):
    level: float
    total: int = field(init=False, default=0)
    made: list[int] = field(init=False, default_factory=list, compare=False)

    def __post_init__(self):
        object.__setattr__(self, "total", sum(self.sizes))

@dataclass(frozen=True, eq=False, repr=False)
class Identity:
    value: float

@dataclass(frozen=True)
class Own(Plain):
    def __repr__(self):
        return "own"

    def __eq__(self, other):
        return isinstance(other, Own)

@dataclass(frozen=True)
class Hashed:
    value: int

    def __hash__(self):
        return 7

@dataclass(frozen=True)
class Nothing:
    pass

@dataclass(frozen=True, slots=True)
class Slots:
    value: int = 1

@dataclass()
class Changed:
    value: int = 1
"""
CALLS = {
    "Plain": [(("a",), {}), (("a", (3,)), {"note": "b"}), (("b",), {"labels": {"x": "y"}})],
    "Named": [(("a",), {"level": 0.5}), (("a", (3, 4)), {"level": 1.0})],
    "Identity": [((1.0,), {})],
    "Own": [(("a",), {}), (("b",), {})],
    "Hashed": [((1,), {}), ((2,), {})],
    "Nothing": [((), {})],
    "Slots": [((), {}), ((2,), {})],
    "Changed": [((), {}), ((2,), {})],
}


def declared(dataclass) -> dict[str, type]:
    """Classes of every form that the source has."""
    names = {"__name__": __name__, "ClassVar": ClassVar, "dataclass": dataclass, "field": field}
    exec(compile(FORMS, __file__, "exec", dont_inherit=True), names)
    return {name: names[name] for name in CALLS}


OURS, ORIGINAL = (declared(way) for way in WAYS.values())


@pytest.mark.parametrize("name", CALLS)
def test_classes_are_as_the_original_has_them(name):
    ours, original = OURS[name], ORIGINAL[name]
    assert [(one.name, one.type, one.kw_only) for one in fields(ours)] == [
        (one.name, one.type, one.kw_only) for one in fields(original)
    ]
    assert str(inspect.signature(ours)) == str(inspect.signature(original))
    assert ours.__init__.__qualname__ == original.__init__.__qualname__
    assert ours.__match_args__ == original.__match_args__
    assert (ours.__hash__ is None) == (original.__hash__ is None)


@pytest.mark.parametrize("name", CALLS)
def test_values_are_as_the_original_has_them(name):
    made = [OURS[name](*values, **named) for values, named in CALLS[name]]
    expected = [ORIGINAL[name](*values, **named) for values, named in CALLS[name]]
    assert list(map(asdict, made)) == list(map(asdict, expected))
    if name != "Identity":
        assert list(map(repr, made)) == list(map(repr, expected))
        assert made == [replace(one) for one in made]
    if name not in {"Changed", "Own"}:
        assert [hash(one) == hash(replace(one)) for one in made] == [
            hash(one) == hash(replace(one)) for one in expected
        ]
    assert [[one == other for other in made] for one in made] == [
        [one == other for other in expected] for one in expected
    ]
    assert all(one.__eq__(object()) is NotImplemented or name == "Own" for one in made)


def test_hashes_are_of_what_is_compared():
    plain = OURS["Plain"]
    assert hash(plain("a", note="x")) == hash(plain("a", note="y")) == hash(ORIGINAL["Plain"]("a"))
    assert plain("a", labels={"x": "y"}) == plain("a") != plain("b")


@pytest.mark.parametrize("way", [OURS, ORIGINAL], ids=WAYS)
def test_nothing_is_changed(way):
    made = way["Named"]("a", level=0.5)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'name'"):
        made.name = "b"
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'other'"):
        made.other = "b"
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'level'"):
        del made.level


@pytest.mark.parametrize("way", [OURS, ORIGINAL], ids=WAYS)
@pytest.mark.parametrize(
    ("values", "named"), [((), {}), (("a", (), {}, "", 0.5), {"level": 1}), (("a",), {"other": 1, "level": 1})]
)
def test_wrong_calls_are_refused(way, values, named):
    with pytest.raises(TypeError, match=r"__init__\(\) (missing 1 required|takes from|got an unexpected)"):
        way["Named"](*values, **named)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_either_inherits_from_ours(way):
    @way(frozen=True)
    class More(OURS["Plain"]):
        """A field more."""

        more: int = 3

    made = More("a", more=4)
    assert made == replace(made) != replace(made, more=5)
    assert repr(made).endswith(".More(name='a', sizes=(1, 2), labels={}, more=4)")
    for name in ("name", "more", "other"):
        with pytest.raises(FrozenInstanceError, match=f"cannot assign to field '{name}'"):
            setattr(made, name, 1)


@frozen.dataclass(frozen=True)
class Pair:
    """At the top of a module, so that it is pickled."""

    one: int
    other: object = None


def test_copies_and_pickles():
    pair = Pair(1, (2, 3))
    assert pickle.loads(pickle.dumps(pair)) == pair
    knot = Pair(1, [])
    knot.other.append(knot)
    assert repr(knot) == "Pair(one=1, other=[...])"
