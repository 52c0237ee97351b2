"""Studies with a goal, carried out on scores whose truth is known."""

from dataclasses import replace

import numpy as np
import pytest

from quorate.decide.goals.goal import CompareGoal, Offer
from quorate.decide.goals.plans import crossed
from quorate.errors import InvalidInput, NotEstimable
from quorate.simulate import simulate_goal
from quorate.simulate.goals.goal import told, world

LAW = {"item": 0.1, "item:judge": 0.1, "cell": 0.2}
OFFER = Offer(tuple(f"i{n}" for n in range(300)), ("a", "b"), systems=("x", "y"), calls=1200, looks=3)


def test_rates_say_what_is_spent_and_how_often_the_goal_is_reached():
    goal = CompareGoal("x", "y", margin=0.4)
    rates = simulate_goal(goal, OFFER, LAW, effect=0.8, studies=4)
    assert rates.reached == 1
    assert replace(rates, wrong=0.05).right == pytest.approx(0.95)
    assert rates.outcomes == {"better": 1.0}
    assert 120 <= rates.calls <= rates.most_calls <= 1200
    assert sum(rates.ended.values()) == pytest.approx(1)
    assert rates.sentence.startswith(f"Expect {rates.calls:,.0f} calls")
    assert rates.error(0.5) == pytest.approx(0.5 / 4**0.5)
    assert simulate_goal(goal, OFFER, LAW, effect=0.8, studies=4) == rates
    assert simulate_goal(goal, OFFER, LAW, effect=0.8, studies=4, seed=2) != rates
    with pytest.raises(InvalidInput, match="studies"):
        simulate_goal(goal, OFFER, LAW, studies=0)


# Scores of everything that may be bought.


OFFERED = Offer(tuple(f"i{n:04}" for n in range(2000)), ("a", "b"), ("p", "q"), ("x", "y"), calls=1, replicates=2)


def test_scores_have_the_components_and_the_difference():
    law = {"item": 1.0, "item:judge": 0.5, "cell": 0.25, "replicate": 0.5}
    drawn = world(OFFERED, law, (2.0, 0.0), np.random.default_rng(1), noise={"b": 2.0})
    score = drawn.score
    assert (score[:, 0] - score[:, 1]).mean() == pytest.approx(2.0, abs=0.15)
    within = score.var(axis=-1, ddof=1).mean(axis=(0, 1, 2))
    assert within == pytest.approx([0.5, 2.0], rel=0.1)
    made = drawn.asked(crossed(OFFERED, {"item": 30, "judge": 2, "prompt": 1, "replicate": 2}), drawn.nothing())
    table = drawn.judgments(made)
    assert (table.n_answers, table.n_cells) == (240, 120)
    assert table.ss.sum() == pytest.approx(((score - score.mean(axis=-1, keepdims=True)) ** 2)[made].sum())


def test_a_facet_with_one_level_has_no_effect_of_its_own():
    one = Offer(("i", "j"), ("a", "b"), calls=1)
    found = told({"prompt": 1.0, "item:prompt": 2.0, "item": 1.0, "prompt:judge": 4.0, "cell": 1.0}, one)
    assert found == {"item": 3.0, "judge": 4.0, "cell": 1.0}
    with pytest.raises(InvalidInput, match="components: terms are of item"):
        told({"colour": 1.0}, one)


def test_of_every_category_there_are_other_components_and_another_difference():
    kinds = Offer(OFFERED.items, ("a", "b"), systems=("x", "y"), categories=("p", "q", "q", "q") * 500, calls=1)
    law = {"item": {"p": 1.0, "q": 0.0}, "cell": {"p": 0.25, "q": 4.0}, "replicate": 0.0}
    score = world(kinds, law, ({"p": 2.0, "q": -1.0}, 0.0), np.random.default_rng(2)).score[..., 0, :, 0]
    is_p = np.array(kinds.group_order) == "p"
    gap = (score[:, 0] - score[:, 1]).mean(axis=-1)
    assert (gap[is_p].mean(), gap[~is_p].mean()) == pytest.approx((2.0, -1.0), abs=0.2)
    assert (gap[is_p].var(), gap[~is_p].var()) == pytest.approx((2 * (1.0 + 0.25 / 2), 2 * 4.0 / 2), rel=0.15)
    own = score.mean(axis=(1, 2))
    assert own[is_p].var() == pytest.approx((1.0 + 0.25 / 2) / 2, rel=0.15)
    alike = {"item": {"p": 0.3, "q": 0.3}, "judge": {"p": 0.2, "q": 0.2}, "cell": {"p": 0.1, "q": 0.1}}
    same = {"item": 0.3, "judge": 0.2, "cell": 0.1}
    drawn = [world(kinds, own, (0.5, 0.0), np.random.default_rng(3)).score for own in (alike, same)]
    assert np.array_equal(*drawn)


@pytest.mark.parametrize(("categories", "said"), [(("p", "q"), '"q" has none'), (None, "the items have no categories")])
def test_a_category_of_which_nothing_is_said_is_refused(categories, said):
    offer = Offer(("i", "j"), ("a",), systems=("x", "y"), categories=categories, calls=1)
    for law, effect in (({"item": {"p": 1.0}}, 0.0), ({"item": 1.0}, {"p": 1.0})):
        with pytest.raises(NotEstimable, match=f"by category one is needed for each, and {said}"):
            world(offer, law, (effect, 0.0), np.random.default_rng(1))
