from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from quorate.errors import NotEstimable, UnknownTerm
from quorate.estimate.votes.margin import margin_of_votes
from quorate.estimate.votes.margins import margins
from quorate.table.read_votes import read_votes


@pytest.fixture(scope="module")
def crossed():
    """Pairs of x, y, z by 40 prompts and 8 judges; the votes on x and w stand alone."""
    rng, rows = np.random.default_rng(1), []
    for a, b in (("x", "y"), ("y", "z"), ("x", "z")):
        by_prompt, by_judge = rng.normal(0, 0.2, 40), rng.normal(0, 0.15, 8)
        for i, j in ((i, j) for i in range(40) for j in rng.choice(8, 4, replace=False).tolist()):
            rows.append((a, b, a if rng.random() < 0.55 + by_prompt[i] + by_judge[j] else b, f"p{i}", f"j{j}"))
    rows += [("x", "w", "x" if i % 3 else "w", f"q{i}", f"k{i}") for i in range(60)]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "winner", "prompt", "judge"], orient="row")
    return read_votes(frame, announce=False)


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
    one = margins(crossed.only("judge", "j1"), minimum=10)
    assert (one.cluster, [one.code for one in one.caveats]) == ((), ["one-level-on-pairs"])
    with pytest.raises(NotEstimable, match="one judge"):
        margins(crossed.only("judge", "j1"), minimum=10, cluster="judge")
    with pytest.raises(UnknownTerm):
        margins(crossed, minimum=10, cluster="batch")


def test_near_ties_and_the_law_count_votes_as_what_they_are_worth(crossed):
    found, alone = (margins(crossed, minimum=50, cluster=cluster) for cluster in (None, ()))
    near, independent = found.near_ties(0.2), alone.near_ties(0.2)
    assert near.n == pytest.approx(independent.n * found.typical_effect, rel=0.01)
    assert found.quantiles().n[2] == pytest.approx(alone.quantiles().n[2] * found.typical_effect, rel=0.01)
    assert found.law().mean_square < alone.law().mean_square
    assert (found.tie_margin >= alone.tie_margin).all()
