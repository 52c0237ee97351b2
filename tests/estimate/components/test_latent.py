"""What a latent decomposition says of its components, beside the linear ones."""

import numpy as np
import polars as pl
import pytest
from reference.links_cases import SIMULATED

import quorate as q
from quorate.errors import InvalidInput, UnknownTerm
from quorate.planning.panel.strategies import compare_strategies

CASE = SIMULATED["cells"]


@pytest.fixture(scope="module")
def fit():
    rows = CASE.rows().with_row_index("replicate")
    facets = {name: name for name in (*CASE.facets, "replicate")}
    return q.decompose(q.read(rows, facets=facets, announce=False), link="logit", random=["item", "prompt", "cell"])


def test_shares_are_of_all_components_and_the_level_1_variance(fit):
    parts = {one.name: one for one in fit.components}
    assert sum(one.share for one in parts.values()) == pytest.approx(1)
    assert parts["replicate"].variance == fit.variance("replicate") == np.pi**2 / 3
    assert parts["judge"].kind == "sensitivity"
    assert parts["item"].linear == next(one.share for one in fit.linear.components if one.name == "item")


def test_intervals_hold_the_estimate_and_are_wide_for_few_levels(fit):
    for one in fit.components:
        if one.kind == "random":
            assert one.low <= one.variance <= one.high
            assert one.se > 0
    assert fit.variance("prompt") == 0
    assert "boundary" in {caveat.code for caveat in fit.caveats}


def test_terms_by_name(fit):
    assert fit.variance("cell") == fit.variance("judge:item:prompt") == fit.variances["cell"]
    assert fit.variance("judge") == fit.sensitivity("judge")
    with pytest.raises(UnknownTerm):
        fit.variance("item:prompt")


def test_rows_and_words(fit):
    assert [row["term"] for row in fit.rows()] == [one.name for one in fit.components]
    assert "Spearman's correlation of the two orders of components is" in fit.sentence
    assert "deviance" in fit.to_dict()
    assert -1 <= fit.rank_correlation <= 1
    assert fit.fixed_effects["(Intercept)"][0] == -fit.thresholds[0]


@pytest.mark.parametrize("plan", [q.scores.gaming, compare_strategies, q.compare])
def test_strategies_and_comparisons_refuse_log_odds_by_name(fit, plan):
    options = {q.compare: {"a": "x", "b": "y"}}
    with pytest.raises(InvalidInput, match="components of log odds are of another scale than scores"):
        plan(fit, **options.get(plan, {}))


def test_interactions_of_few_answers_a_level_are_said_to_be_too_small(fit):
    few = {caveat.code: caveat.sentence for caveat in fit.caveats}["few-answers-a-level"]
    assert "cell (" in few
    assert "item (" not in few


@pytest.mark.calibration
def test_how_much_too_small_they_are():
    """60 items, 4 prompts, 3 judges, twice: 6 and 8 answers a level; .49 is found .66 and .68 times as large (.05)."""
    ratios = []
    for study in range(25):
        rng = np.random.default_rng(study)
        item, prompt, judge, replicate = np.indices((60, 4, 3, 2)).reshape(4, -1)
        eta = rng.normal(0, 1, 60)[item] + rng.normal(0, 0.4, 4)[prompt] + rng.normal(0, 0.7, (60, 4))[item, prompt]
        eta = eta + rng.normal(0, 0.7, (60, 3))[item, judge]
        scores = (rng.random(len(eta)) < 1 / (1 + np.exp(-eta))).astype(int)
        frame = pl.DataFrame(
            {"item": item, "prompt": prompt, "judge": judge, "replicate": replicate, "score": scores},
        )
        terms = ("item", "prompt", "item:prompt", "item:judge")
        found = q.decompose(q.read(frame, announce=False), link="logit", random=terms)
        ratios.append([found.variance("item:prompt") / 0.49, found.variance("item:judge") / 0.49])
    assert np.mean(ratios, axis=0) == pytest.approx([0.66, 0.68], abs=0.15)
