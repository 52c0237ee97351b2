from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, UnknownTerm
from quorate.estimate.components.model import build, canonical, closure, leaves


@pytest.fixture
def study(simulate):
    frame = simulate({"item": 4, "prompt": 2, "judge": 2, "temperature": 2})
    frame = frame.with_columns(category=pl.col("item").str.slice(-1).replace_strict("0", "a", default="b"))
    facets = {name: name for name in ("item", "prompt", "judge", "temperature")}
    return q.read(frame, facets=facets, nested={"item": "category"}, fixed=("judge", "temperature"))


@pytest.fixture
def answers(simulate):
    frame = simulate({"item": 4, "answer": 3, "judge": 2})
    return q.read(frame, facets={name: name for name in ("item", "answer", "judge")}, nested={"answer": "item"})


def test_default_terms_are_those_of_the_paper(study):
    model = build(study, None, ())
    assert set(model.random) == {
        ("item",),
        ("prompt",),
        ("category",),
        ("item", "prompt"),
        ("item", "judge"),
        ("item", "temperature"),
        ("prompt", "judge"),
        ("prompt", "temperature"),
    }
    assert model.cell
    assert set(model.fixed) == {"judge", "temperature"}


def test_a_facet_does_not_interact_with_what_it_is_nested_in(answers):
    model = build(answers, None, ())
    assert ("item", "answer") not in model.random
    assert {("item",), ("answer",), ("item", "judge")} == set(model.random)  # answer:judge is the cell


def test_two_facets_have_no_interaction_apart_from_the_cell(judged):
    model = build(judged({"item": 3, "judge": 2}), None, ())
    assert model.random == (("item",),)
    assert model.cell


def test_a_covariate_is_neither_random_nor_in_interactions(study):
    model = build(study, None, ("prompt",))
    assert not any("prompt" in term for term in model.random)
    assert model.covariates == ("prompt",)


def test_terms_can_be_given_in_any_order_and_once(study):
    model = build(study, ["judge:item", "item", "item:judge"], ())
    assert model.random == (("item", "judge"), ("item",))
    assert not model.cell


def test_the_cell_can_be_named_or_spelled_out(study):
    for name in ("cell", "temperature:judge:prompt:item", "item:prompt:judge:temperature:category"):
        assert build(study, ["item", name], ()).cell


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("judge:item", "item:judge"),
        ("category:item", "item"),
        (" item : prompt ", "item:prompt"),
        ("temperature:prompt:judge:item", "cell"),
        ("cell", "cell"),
        ("replicate", "replicate"),
    ],
)
def test_canonical_names(study, name, wanted):
    assert canonical(study, name) == wanted


def test_leaves_leave_parents_out_and_closure_adds_them(study, answers):
    assert leaves(study, ["category", "prompt", "item"]) == ("item", "prompt")
    assert closure(study, ["item"]) == {"item", "category"}
    assert closure(answers, ["answer", "judge"]) == {"answer", "item", "judge"}


def test_unknown_facets_are_named(study):
    with pytest.raises(UnknownTerm, match="annotator"):
        build(study, ["item:annotator"], ())
    with pytest.raises(UnknownTerm, match="length"):
        build(study, None, ("length",))


def test_a_random_term_of_fixed_facets_is_refused(study):
    with pytest.raises(InvalidInput, match="fixed facets only"):
        build(study, ["item", "judge:temperature"], ())
