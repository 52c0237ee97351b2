"""Both readings of real fits: the t over items, and what levels add; the same from every route."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

import quorate as q
from quorate.estimate.differences.difference import difference
from quorate.estimate.means.mean import readings
from quorate.estimate.ratings.leaderboard import leaderboard


def table(judged, sizes, **options):
    return judged(sizes, **options)


def over_items(judgments):
    item = judgments.level_codes(["item"])
    return np.bincount(item, judgments.mean) / np.bincount(item)


def test_the_mean_for_this_setup_is_the_t_over_item_means(judged):
    judgments = judged({"item": 25, "prompt": 2, "judge": 3}, seed=4)
    mean, means = q.decompose(judgments).mean, over_items(judgments)
    low, high = stats.t.interval(0.95, 24, means.mean(), stats.sem(means))
    assert mean.ends == pytest.approx((low, high), rel=1e-9)
    assert (mean.se, mean.df) == pytest.approx((stats.sem(means), 24), rel=1e-9)


def test_two_prompts_say_nothing_of_others_and_three_do(judged):
    two = readings(q.decompose(judged({"item": 25, "prompt": 2, "judge": 1}, seed=4)))
    assert two.others is None
    assert "2 prompts cannot tell how other prompts differ: a third would" in two.reason
    three = readings(q.decompose(judged({"item": 25, "prompt": 3, "judge": 1}, sd={"prompt": 1.0}, seed=4)))
    assert three.others.target["prompt"] == "population"
    assert three.others.half_width > three.setup.half_width
    assert three.others.value == three.setup.value


def test_what_drawn_prompts_add_by_hand(judged):
    """``(W - MS(item:prompt) / 2 n) / L`` with the t of L - 1 degrees of freedom, beside the t over items."""
    judgments = judged({"item": 25, "prompt": 4}, sd={"prompt": 0.5}, seed=4)
    score = np.zeros((25, 4))
    score[judgments.column("item"), judgments.column("prompt")] = judgments.mean
    left = score - score.mean(axis=1, keepdims=True) - score.mean(axis=0) + score.mean()
    noise = (left**2).sum() / (24 * 3) / 25
    part = (np.var(score.mean(axis=0), ddof=1) - noise / 2) / 4
    own = stats.t.ppf(0.975, 24) ** 2 * np.var(score.mean(axis=1), ddof=1) / 25
    half = np.sqrt(own + stats.t.ppf(0.975, 3) ** 2 * part)
    assert readings(q.decompose(judgments)).others.half_width == pytest.approx(half, rel=1e-8)


@pytest.mark.wide(1)
@pytest.mark.parametrize("keep", [1.0, 0.8])
def test_a_difference_has_one_p_value_whoever_asks(judged, keep):
    """In a complete table that of the paired t test; with gaps the same from `compare` and `rank`."""
    judgments = judged({"item": 20, "judge": 3, "system": 3}, keep=keep, seed=5)
    board = leaderboard(judgments)
    place = {name: at for at, name in enumerate(board.systems)}
    for a, b in (("system0000", "system0001"), ("system0002", "system0000")):
        found = difference(judgments, a, b)
        i, j = place[a], place[b]
        assert board.pairs.value[i, j] == pytest.approx(found.value, rel=1e-9)
        assert board.pairs.square[i, j] ** 0.5 == pytest.approx(found.se, rel=1e-9)
        assert board.pairs.df[i, j] == pytest.approx(found.df, rel=1e-9)
        others = board.others.pairs.half_width(0.975)[i, j]
        assert others == pytest.approx(np.ptp(found.others.estimate.ends) / 2, rel=1e-8)
        if keep == 1.0:
            sides = [over_items(judgments.only("system", name)) for name in (a, b)]
            assert found.p_difference() == pytest.approx(stats.ttest_rel(*sides).pvalue, rel=1e-9)


@pytest.mark.slow
def test_the_mean_of_a_system_is_the_same_from_its_board_and_by_itself(judged):
    judgments = judged({"item": 20, "judge": 3, "system": 3}, keep=0.9, seed=6)
    board = leaderboard(judgments)
    for name, mean in zip(board.systems, board.means, strict=True):
        alone = q.decompose(judgments.only("system", name)).mean
        assert (mean.value, *mean.ends) == (alone.value, *alone.ends)


@pytest.mark.slow
def test_categories_are_strata_and_take_no_verdict_away(simulate):
    """Two categories without effect: as good as no category at all, and not a sample of two."""
    frame = simulate({"item": 60, "judge": 3, "system": 2}, sd={"judge:system": 0.05}, seed=3)
    frame = frame.with_columns(category=pl.col("item").str.slice(-1).cast(pl.Int64) % 2)
    with_, without = (
        difference(q.read(one, announce=False), "system0000", "system0001") for one in (frame, frame.drop("category"))
    )
    assert with_.value == pytest.approx(without.value)
    assert with_.se == pytest.approx(without.se, rel=0.1)
    asked = difference(q.read(frame, announce=False), "system0000", "system0001", targets={"category": "population"})
    assert asked.estimate.high - asked.estimate.low > with_.estimate.high - with_.estimate.low
    assert "few-levels" in {one.code for one in asked.caveats}


def test_few_groups_that_stand_for_others_are_levels():
    """Six batches that differ more than their items: the t over batches; items are drawn within them."""
    rng, batch = np.random.default_rng(3), np.arange(60) // 10
    score = 3.0 * rng.normal(size=6)[batch] + 0.3 * rng.normal(size=60)
    frame = pl.DataFrame({"item": np.arange(60), "category": batch, "score": score})
    mean = q.decompose(q.read(frame, announce=False)).mean_for(category="population")
    means = score.reshape(6, 10).mean(axis=1)
    assert mean.half_width == pytest.approx(2.5706 * means.std(ddof=1) / np.sqrt(6), rel=0.01)


@pytest.mark.slow
def test_levels_are_told_apart_whatever_they_have_in_common():
    """Items asked once, prompts in turn, categories of 7, 5, 4 and 4: what all scores share is no spread of levels."""
    rng, category = np.random.default_rng(3), np.repeat([0, 1, 2, 3], [7, 5, 4, 4])
    score, prompt = rng.normal(size=20), np.arange(20) % 3
    found = []
    for moved in (0.0, 100.0):
        frame = pl.DataFrame({"item": np.arange(20), "prompt": prompt, "category": category, "score": score + moved})
        fit = q.decompose(q.read(frame, announce=False), random=["item", "prompt", "category"])
        reach = fit.mean_for(category="population", prompt="population").reach
        found.append([one.square for one in reach.effects])
    assert len(found[0]) == 2
    assert found[0] == pytest.approx(found[1], abs=1e-6)
    assert max(found[0]) < 1.0


def test_groups_that_are_too_small_to_be_strata_are_drawn_as_a_whole(simulate):
    """Passages of two items: the t over passages."""
    frame = simulate({"item": 40}, seed=3).with_columns(category=pl.col("item").str.slice(-4).cast(pl.Int64) // 2)
    judgments = q.read(frame, announce=False)
    passage = judgments.level_codes(["category"])
    means = np.bincount(passage, judgments.mean) / 2
    mean = q.decompose(judgments).mean
    assert (mean.se, mean.df) == pytest.approx((stats.sem(means), 19), rel=1e-6)


def test_judges_of_unequal_noise_with_gaps_are_covered_by_items(judged):
    """The standard error is that of items as they are, whatever the components say."""
    judgments = judged({"item": 60, "judge": 3}, keep=0.7, seed=2)
    mean = q.decompose(judgments).mean
    assert 0.5 < mean.se / (np.std(over_items(judgments), ddof=1) / 60**0.5) < 1.5
    assert 30 < mean.df < 60
