from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quorate as q
from quorate.estimate.means.intervals import between, score_ends, unseen


def scored(score, items=30, prompts=3, judges=3):
    item, prompt, judge = (at.ravel() for at in np.indices((items, prompts, judges)))
    columns = {"item": item, "prompt": prompt, "judge": judge, "score": score(len(item))}
    return q.read(pl.DataFrame(columns), announce=False)


@pytest.fixture(scope="module")
def rare():
    rng = np.random.default_rng(3)
    return q.decompose(scored(lambda n: (rng.random(n) < 0.97).astype(float)))


def test_shares_near_one_have_limits_within_the_scale(rare):
    low, high = rare.mean.interval()
    assert rare.mean.interval(method="satterthwaite")[1] > 1
    assert low < rare.mean.value < high < 1
    assert rare.mean.caveats[-1].code == "near-an-end"


def test_limits_of_log_odds_by_hand():
    """Share .9, standard error .03 by 2: log odds 2.197225 less and more .06 / .09."""
    low, high = between(4.6, 4 * 0.06, 100, (1, 5))
    ends = [1 + 4 / (1 + np.exp(-(np.log(9) + sign * 2 / 3))) for sign in (-1, 1)]
    assert (low, high) == pytest.approx(ends, rel=1e-12)


@given(
    value=st.floats(0, 1),
    half=st.floats(0, 1e6),
    n=st.integers(1, 10**6),
)
def test_limits_never_leave_the_scale(value, half, n):
    low, high = between(value, half, n, (0.0, 1.0))
    assert 0 <= low <= high + 1e-12 <= 1 + 1e-12


@pytest.mark.parametrize(
    ("scores", "ends"),
    [([0, 1], (0, 1)), ([0.0, 0.5], (0, 0.5)), ([1, 4, 5], (1, 5)), ([1.5, 2, 9], None), ([0, 60, 100], None)],
)
def test_which_scores_have_ends(scores, ends):
    assert score_ends(scored(lambda n: np.resize(scores, n))) == ends


def test_scores_without_ends_keep_students_interval(simulate):
    fit = q.decompose(
        q.read(simulate({"item": 40, "prompt": 6, "judge": 3}, sd={"prompt": 0.5}, seed=1), announce=False)
    )
    assert fit.variances["prompt"] > 0
    assert fit.mean.interval() == pytest.approx(fit.mean.interval(method="satterthwaite"), rel=1e-12)


def test_a_variance_of_zero_from_three_prompts_widens_the_interval(simulate):
    for seed in range(30):
        sd = {"prompt": 0.1, "item:prompt": 0.5}
        fit = q.decompose(q.read(simulate({"item": 20, "prompt": 3, "judge": 3}, sd=sd, seed=seed), announce=False))
        if fit.variances["prompt"] == 0:
            break
    assert set(unseen(fit.mean)) == {"prompt"}
    assert fit.mean.half_width() > 1.05 * fit.mean.half_width(method="satterthwaite")
    assert fit.mean_for(prompt="panel").half_width() <= fit.mean.half_width()


@pytest.mark.parametrize("seed", range(6))
def test_a_panel_is_never_wider_than_its_population(simulate, seed):
    sizes = {"item": 12, "prompt": 2, "judge": 3}
    table = q.read(simulate(sizes, sd={"prompt": 0.5, "judge": 0.2}, seed=seed), announce=False)
    fit = q.decompose(table)
    wide = fit.mean_for(judge="population", prompt="population").half_width()
    for panel in ({"judge": "panel"}, {"prompt": "panel"}, {"judge": "panel", "prompt": "panel"}):
        assert fit.mean_for(**{"judge": "population", "prompt": "population", **panel}).half_width() <= wide * (
            1 + 1e-9
        )


def test_a_panel_is_not_wider_on_ratings_by_people_and_models(shared):
    frame = pl.read_parquet(shared / "data" / "rating_scale_human_llm.parquet")
    fit = q.decompose(q.read(frame, announce=False))
    assert fit.mean_for(judge="panel").half_width() <= fit.mean_for(judge="population").half_width()
