from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.analysis import views as of_views
from quorate.analysis.views import answer, needed
from quorate.analysis.words import number
from quorate.cli.spelling import in_options
from quorate.errors import InvalidInput
from quorate.estimate.means.mean import readings
from quorate.wording import decimals


def test_judges_fixed_or_random_have_the_same_two_readings(shape):
    for name in ("balanced", "random judges"):
        fit = shape(name).fit
        found = readings(fit)
        assert found.setup.ends == fit.mean.ends
        assert found.others.target["judge"] == "population"
        assert found.others.half_width > found.setup.half_width


def test_one_judge_says_nothing_about_others(shape):
    found = readings(shape("one judge").fit)
    assert "1 judge says nothing about other judges: three would" in found.reason
    assert readings(shape("items only").fit).others is None


def test_judges_absorbed_by_a_fixed_facet_stand_for_themselves(table):
    frame = table(prompts=0).with_columns(language=pl.col("judge").str.replace("judge", "language"))
    facets = {"item": "item", "judge": "judge", "language": "language"}
    fit = q.decompose(q.read(frame, facets=facets, fixed=["language"]), random=["item", "judge"])
    found = readings(fit)
    assert found.setup.se == fit.mean.se


def test_enough_is_said(demo):
    half = demo.widest.half_width
    found = answer(demo.widest, 0.95, 2 * half, demo.purchases)
    assert found.met
    assert found.half_width == half
    assert found.sentence.endswith(f"it is ±{number(half, decimals(half / 2))}: enough.")


def test_not_enough_says_what_buys_most(demo):
    found = answer(demo.widest, 0.95, demo.widest.half_width / 2, demo.purchases)
    assert not found.met
    assert f"this buys most: {demo.purchases[0].label} (" in found.sentence


def test_nothing_to_buy_is_no_advice(demo):
    assert answer(demo.widest, 0.95, demo.widest.half_width / 2, ()).sentence.endswith("not enough.")


def test_unequal_limits_are_both_said():
    rows = {"item": [i // 4 for i in range(80)], "judge": list("abcd") * 20}
    score = [float(i % 19 > 0) for i in range(80)]
    mean = q.decompose(q.read(pl.DataFrame(rows | {"score": score}), announce=False)).mean
    low, high = mean.ends
    places = decimals(0.01 / 2)
    shown = (
        f"it is {number(low, places)} to {number(high, places)}, half of which is {number((high - low) / 2, places)}"
    )
    assert shown in answer(mean, 0.95, 0.01, ()).sentence


def test_a_target_of_judges_holds_in_both(shape):
    found = readings(shape("random judges").fit, {"judge": q.pool(20)})
    assert found.setup.target["judge"] == q.pool(20)
    assert found.others is None or found.others.target["judge"] == q.pool(20)


def test_other_targets_hold_in_both_views(shape):
    found = readings(shape("balanced").fit, {"item": "finite"})
    assert found.setup.target["item"] == found.others.target["item"] == "finite"


def shares(share, marks=1, step=1):
    """Twenty items by two judges under two prompts."""
    rng = np.random.default_rng(5)
    rows = [
        (f"i{i}", f"j{j}", f"p{p}", int(rng.binomial(marks, share + 0.04 * (i % 3) - 0.04)) * step)
        for i in range(20) for j in range(2) for p in range(2)
    ]  # fmt: skip
    return q.read(pl.DataFrame(rows, schema=["item", "judge", "prompt", "score"], orient="row"), announce=False)


@pytest.mark.parametrize(
    ("share", "marks", "step", "link"),
    [(0.9, 1, 1, "logit"), (0.5, 1, 1, None), (0.1, 4, 1, "ordinal"), (0.5, 4, 1, None), (0.9, 4, 25, None)],
)
def test_scores_that_need_it(share, marks, step, link):
    assert needed(shares(share, marks, step)) == link


def test_an_analysis_has_it_unasked_and_not_where_it_is_not_wanted():
    found = q.analyze(shares(0.85))
    assert found.latent.link == "logit"
    assert found.to_dict()["latent"]["rank_correlation"] == pytest.approx(found.latent.rank_correlation)
    assert q.analyze(shares(0.85), link="identity").latent is None
    assert q.analyze(shares(0.5), link="ordinal").latent.link == "ordinal"
    assert q.analyze(shares(0.5)).latent is None


def test_what_cannot_be_had():
    with pytest.raises(InvalidInput, match="link: one of 'identity', 'logit', 'ordinal'"):
        q.analyze(shares(0.5), link="probit")
    with pytest.raises(InvalidInput, match='"logit" is for scores of two values'):
        q.analyze(shares(0.5, 4), link="logit")
    by_judge = q.analyze(shares(0.85), link="logit", residual_by="judge")
    assert by_judge.latent is None
    assert "residual variances here are by level" in by_judge.latent_reason


def test_a_check_that_is_left_out_names_how_to_ask_for_it(monkeypatch):
    monkeypatch.setattr(of_views, "MOST_CELLS", 10)
    found = q.analyze(shares(0.85))
    assert found.latent is None
    assert found.latent_reason.endswith('cells are many to check unasked (up to 10 are); ask for it with link="logit"')
    assert in_options(found.latent_reason).endswith("ask for it with --link logit")
    assert q.analyze(shares(0.85), link="logit").latent.link == "logit"
