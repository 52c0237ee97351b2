from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from tables import votes_table

from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.votes.margin import margin_of_votes
from quorate.estimate.votes.margins import margins
from quorate.numerics.votes.binomial import clopper_pearson
from quorate.table.read_votes import read_votes


def counted(wins_a, wins_b, ties=None):
    names = [f"m{i:03d}" for i in range(len(wins_a))]
    columns = {"model_a": names, "model_b": ["z"] * len(names), "a": list(wins_a), "b": list(wins_b)}
    wins = ["a", "b"] + (["t"] if ties is not None else [])
    return read_votes(
        pl.DataFrame({**columns, **({"t": list(ties)} if ties is not None else {})}), wins=wins, announce=False
    )


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(4)
    wins = rng.binomial(400, rng.uniform(0.3, 0.7, 60))
    return margins(counted(400 - wins, wins))


def test_one_pair():
    found = margins(counted([220], [280], [100]))
    assert found.pairs == ("m000 vs z",)
    assert found.margin.tolist() == [pytest.approx(0.06)]
    low, high = clopper_pearson(280, 500, 0.95)
    assert (found.low[0] + 0.5, found.high[0] + 0.5) == (pytest.approx(low), pytest.approx(high))
    assert found.implied.tolist() == [730]
    assert found.tie_share.tolist() == [pytest.approx(1 / 6)]


@pytest.mark.parametrize(("ties", "margin"), [("drop", 0.06), ("half", 30 / 600), ("pessimistic", 380 / 600 - 0.5)])
def test_encodings_of_ties(ties, margin):
    found = margins(counted([220], [280], [100]), ties=ties)
    assert (found.margin[0], found.tie_share[0]) == pytest.approx((margin, 1 / 6))


def test_a_margin_of_zero_needs_no_finite_number():
    found = margins(counted([150, 100], [150, 200]))
    assert found.implied[0] == np.inf
    assert found.to_dict()["implied"][0] is None


def test_quantiles(found):
    asked = found.quantiles((0.1, 0.5), rng=1)
    assert asked.margin == pytest.approx(np.quantile(found.absolute, (0.1, 0.5)))
    assert all(a <= b <= c for a, b, c in zip(asked.low, asked.margin, asked.high, strict=True))
    assert all(a <= b <= c for a, b, c in zip(asked.n_low, asked.n, asked.n_high, strict=True))
    assert asked.margin == found.quantiles((0.1, 0.5), rng=2).margin
    narrow = replace(found, level=0.5).quantiles((0.1, 0.5), rng=1)
    assert all(a < b < c < d for a, b, c, d in zip(asked.low, narrow.low, narrow.high, asked.high, strict=True))
    assert asked == found.quantiles((0.1, 0.5), rng=1)
    assert asked.to_frame().shape[0] == 2


def test_near_ties(found):
    near = found.near_ties(0.05, rng=1)
    assert near.count == (found.absolute <= 0.05).sum()
    assert near.low < near.share < near.high
    assert near.corrected_low < near.corrected < near.corrected_high
    assert near.median == pytest.approx(np.median(found.absolute[found.absolute <= 0.05]))
    assert f"{near.count} of 60 pairs" in near.sentence


def test_no_near_ties_is_not_known_to_be_none():
    near = margins(counted([100] * 8, [200] * 8)).near_ties(0.1)
    assert near.count == 0
    assert near.high == pytest.approx(1 - 0.025 ** (1 / 8))
    assert np.isnan(near.median)
    assert json.loads(json.dumps(near.to_dict()))["n"] is None


def test_tied_pairs_seem_apart_and_the_law_knows():
    """Of 400 tied pairs with 200 votes each, a third seems to be more than .035 apart."""
    rng = np.random.default_rng(5)
    wins = rng.binomial(200, 0.5, 400)
    found = margins(counted(200 - wins, wins))
    law = found.law()
    assert abs(law.mean_square) < law.mean_square_raw / 5
    assert law.share_below(0.035) > (found.absolute <= 0.035).mean() + 0.1


def test_refusals(found):
    for wrong in ({"level": 1.0}, {"alpha": 0.0}, {"power": 0.01}):
        with pytest.raises(InvalidInput, match=next(iter(wrong))):
            margins(counted([100], [200]), **wrong)
    with pytest.raises(InvalidInput, match="tau"):
        found.near_ties(0.5)
    with pytest.raises(InvalidInput, match="probabilities"):
        found.quantiles((1.2,))


@pytest.mark.slow
def test_wmt15(shared):
    """712 pairs have 200 votes, 706 of them 200 decisive ones; without rows that were not looked at, 346."""
    path = shared / "data" / "wmt15_human_pairwise.parquet"
    votes = read_votes(path, facets={"expanded": "expanded"}, announce=False)
    every = votes.within("prompt_type")
    assert int((every.pairs().votes >= 200).sum()) == 712
    found = margins(every, cluster=())
    assert (len(found), found.left_out) == (706, 18)
    near = found.near_ties()
    assert near.count == 286
    assert near.n == 1104
    looked_at = margins(votes.only("expanded", "false").within("prompt_type"), cluster=())
    assert len(looked_at) == 346
    assert looked_at.quantiles().margin == pytest.approx((0.0270, 0.0609, 0.1264), abs=1e-4)


@pytest.fixture(scope="module")
def crossed():
    """Pairs of x, y, z by 40 prompts and 8 judges; the votes on x and w stand alone."""
    rng, rows = np.random.default_rng(1), []
    for a, b in (("x", "y"), ("y", "z"), ("x", "z")):
        by_prompt, by_judge = rng.normal(0, 0.2, 40), rng.normal(0, 0.15, 8)
        for i, j in ((i, j) for i in range(40) for j in rng.choice(8, 4, replace=False).tolist()):
            rows.append((a, b, a if rng.random() < 0.55 + by_prompt[i] + by_judge[j] else b, f"p{i}", f"j{j}"))
    rows += [("x", "w", "x" if i % 3 else "w", f"q{i}", f"k{i}") for i in range(60)]
    return votes_table(rows, "model_a model_b winner prompt judge")


@pytest.mark.wide(4)
@pytest.mark.parametrize("ties", ["drop", "half", "pessimistic"])
@pytest.mark.parametrize("cluster", [None, (), "judge", ("judge", "prompt")])
def test_margins_are_those_of_a_verdict_on_the_two(crossed, ties, cluster):
    """Default, independence, one facet and two: the intervals of `compare`, pair by pair, and its design effects."""
    found = margins(crossed, minimum=50, cluster=cluster, ties=ties)
    for i, pair in enumerate(found.pairs):
        a, b = pair.split(" vs ")
        one = margin_of_votes(crossed, a, b, cluster=cluster, ties="drop" if ties == "half" else ties)
        low, high = one.at(0.95).ends
        assert (-found.high[i], -found.low[i]) == pytest.approx((low, high), abs=1e-12)
        spread = (0.25 - found.margin[i] ** 2) * found.effect[i] / found.n[i]
        assert one.se**2 * (1 + 1e-9) >= spread or found.effect[i] == 1
    assert found.cluster == {None: ("prompt", "judge"), "judge": ("judge",)}.get(cluster, cluster)
    shared = found.effect > 1
    assert shared.any() == (cluster != ())
    shared &= found.margin != 0
    assert (found.implied > margins(crossed, minimum=50, cluster=(), ties=ties).implied)[shared].all()


def test_what_is_said_of_how_votes_are_taken(crossed):
    assert [one.code for one in margins(crossed, minimum=50).caveats] == ["few-clusters-on-pairs"]
    left, few = margins(crossed, minimum=50, cluster="prompt"), margins(crossed, minimum=50, cluster=())
    assert [one.code for one in left.caveats] == [one.code for one in few.caveats] == ["taken-as-independent"]
    by_judge = margins(crossed, minimum=50, cluster="judge")
    shared = [effect for pair, effect in zip(by_judge.pairs, by_judge.effect, strict=True) if "w" not in pair]
    assert len(shared) == 3
    assert f"(variance by it: {sorted(shared)[1]:.3g} times one vote's)" in left.caveats[0].sentence
    one = margins(crossed.only("judge", "j1"), minimum=10)
    assert (one.cluster, [one.code for one in one.caveats]) == ((), ["one-level-on-pairs"])
    with pytest.raises(NotEstimable, match="one judge"):
        margins(crossed.only("judge", "j1"), minimum=10, cluster="judge")
    with pytest.raises(UnknownTerm):
        margins(crossed, minimum=10, cluster="batch")


@pytest.mark.parametrize(("judges", "by"), [(5, ()), (6, ("judge",))])
def test_judges_of_a_pair_are_clusters_from_six_on(judges, by):
    rows = [("x", "y", "xy"[i % 3 == 0], f"j{i % judges}") for i in range(60)]
    assert margins(votes_table(rows, "model_a model_b winner judge"), minimum=50).cluster == by


def test_a_row_that_stands_for_several_votes_repeats_its_prompt():
    columns = {"model_a": ["x"] * 40, "model_b": ["y"] * 40, "winner": ["x", "y"] * 20, "prompt": range(40)}
    votes = read_votes(pl.DataFrame({**columns, "count": [3] * 40}), announce=False)
    assert (margins(votes, minimum=50).cluster, margins(votes, minimum=50).effect[0] > 2) == (("prompt",), True)


def test_near_ties_and_the_law_count_votes_as_what_they_are_worth(crossed):
    found, alone = (margins(crossed, minimum=50, cluster=cluster) for cluster in (None, ()))
    assert found.typical_effect == sorted(found.effect)[1:3] @ np.array([0.5, 0.5])
    near, independent = found.near_ties(0.2), alone.near_ties(0.2)
    assert near.n == pytest.approx(independent.n * found.typical_effect, rel=0.01)
    assert found.quantiles().n[2] == pytest.approx(alone.quantiles().n[2] * found.typical_effect, rel=0.01)
    assert found.law().mean_square < alone.law().mean_square
