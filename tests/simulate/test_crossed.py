"""Judgments of a crossed design: the law that they are drawn from, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import quorate as q
from quorate.errors import InvalidInput, UnknownTerm
from quorate.simulate import draw_judgments

LAW = q.components(
    {
        "category": 0.3,
        "item": 0.5,
        "prompt": 0.4,
        "item:prompt": 0.2,
        "prompt:temperature": 0.1,
        "cell": 0.1,
        "replicate": 0.6,
    },
    sensitivity={"temperature": 1.0},
)
LEVELS = {"item": 60, "prompt": 20, "temperature": 3, "category": 12}
REACH = {"category": 1.0, "item": 0.6, "prompt": 1.0}
"""Three standard errors, relative; .25 where a component has hundreds of levels."""
TERMS = ("category", "item", "prompt", "item:prompt", "prompt:temperature", "cell")


@pytest.fixture(scope="module")
def fit():
    drawn = draw_judgments(LAW, levels=LEVELS, replicates=4, effects={"temperature": (0.0, 1.0, 5.0)}, rng=1)
    return q.decompose(drawn, random=TERMS)


def test_estimates_are_those_of_the_law(fit):
    for term, variance in LAW.random.items():
        assert fit.variances[term] == pytest.approx(variance, rel=REACH.get(term, 0.25)), term


def test_fixed_levels_have_their_means(fit):
    means = [level.effect for level in q.scores.effects(fit, "temperature")]
    assert np.diff(means) == pytest.approx([1.0, 4.0], abs=0.6)


def test_the_table_is_crossed_and_items_lie_in_categories():
    drawn = draw_judgments(LAW, levels=LEVELS, replicates=2)
    assert (drawn.n_cells, drawn.n_answers) == (3600, 7200)
    assert drawn.facet("item").parent == "category"
    assert drawn.facet("temperature").fixed
    assert np.bincount(drawn.column("category")).tolist() == [300] * 12
    assert np.array_equal(drawn.mean, draw_judgments(LAW, levels=LEVELS, replicates=2).mean)


def test_effects_of_a_term_keep_its_order():
    """prompt:item is given prompt first, and stands where its item and its prompt do."""
    given = np.arange(6.0).reshape(2, 3)
    law = q.components({"item": 0.0})
    drawn = draw_judgments(law, levels={"item": 3, "prompt": 2}, effects={"prompt:item": given, "cell": given.T})
    item, prompt = drawn.column("item"), drawn.column("prompt")
    assert np.array_equal(drawn.mean, 2 * given[prompt, item])


@pytest.mark.parametrize("tails", [None, 5.0])
def test_replicates_have_the_variance_asked_for(tails):
    law = q.components({"item": 0.0, "replicate": 9.0})
    drawn = draw_judgments(
        law, levels={"item": 4000, "judge": 2}, replicates=5, residual=np.array([1.0, 4.0]), tails=tails, rng=2
    )
    within = [drawn.ss[drawn.column("judge") == judge].mean() / 4 for judge in (0, 1)]
    assert within == pytest.approx([1.0, 4.0], rel=0.1)
    between = [drawn.mean[drawn.column("judge") == judge].var() * 5 for judge in (0, 1)]
    assert between == pytest.approx([1.0, 4.0], rel=0.1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"levels": {"item": 0}}, "levels: item: must be a whole number"),
        ({"levels": {"prompt": 3}}, "levels: a number of items is needed, got prompt"),
        ({"levels": {"item": 3}, "replicates": 1.5}, "levels: replicates: must be a whole number"),
        ({"levels": {"item": 3}, "effects": {"item": (1.0, 2.0)}}, r"effects: item needs the shape \(3,\), got \(2,\)"),
        ({"levels": {"item": 3}, "tails": 2.0}, "tails: more than 2 degrees of freedom"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(InvalidInput, match=message):
        draw_judgments(q.components({"item": 1.0}), **options)


def test_a_term_without_levels():
    with pytest.raises(UnknownTerm, match='no levels "prompt"; there are "item"'):
        draw_judgments(q.components({"prompt": 1.0}), levels={"item": 3})
