from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from tables import votes_table

import quorate as q
from quorate.analysis.votes import INDEPENDENT, dependence, pair_view, votes_view, way
from quorate.decide.votes import verdict_of_votes
from quorate.errors import UnknownTerm
from quorate.reporting.pages.votes.page import decided, margins, methods, pairs
from quorate.table.read_votes import read_votes


@pytest.fixture(scope="module")
def view(votes_in_twos):
    return votes_view(votes_in_twos)


def test_all_is_found_once(view):
    assert len(view.found) == 3
    assert (view.near.count, view.near.tau) == (1, 0.1)
    assert [one.by for one in view.dependence] == ["prompt"]
    assert view.quantiles.margin == pytest.approx((0.06, 0.15, 0.3, 0.3, 0.3))
    assert view.support.facts.decisive == 1200


def test_a_facet_that_is_asked_for_must_be_there(view):
    with pytest.raises(UnknownTerm):
        list(dependence(view.votes, "judge", 200))


def test_all_pairs_are_judged_as_two_are(view):
    """Votes of a prompt come in twos that agree: as in a verdict on the two, in intervals, numbers and words."""
    assert view.found.by == "prompt"
    for row in view.rows():
        a, b = row["pair"].split(" vs ")
        one = verdict_of_votes(view.votes, a, b)
        assert (-row["high"], -row["low"]) == pytest.approx(one.estimate.ends)
        assert row["effect"] == pytest.approx(2, rel=0.01)
        if one.next_step:
            assert row["implied"] == pytest.approx(one.next_step.votes, rel=0.05)
    alone = votes_view(view.votes, cluster=())
    assert "taken-as-independent" in {one.code for one in alone.caveats}
    assert "by prompt as these are" in view.found.sentence
    assert "by prompt" not in alone.found.sentence
    assert [row["n"] for row in margins(view).rows] == pytest.approx(
        [2 * row["n"] for row in margins(alone).rows], rel=0.02
    )
    said = {
        name: str(figure(one).caption) for one in (view,) for name, figure in (("pairs", pairs), ("decided", decided))
    }
    assert all("clustered by prompt" in text for text in said.values())
    assert "Votes are clustered by prompt" in methods(view)
    assert view.to_dict()["margins"]["cluster"] == ["prompt"]


def test_votes_needed_are_those_of_a_verdict_on_the_two():
    """Of few judges, with ties, the formula says less; of many pairs it is all there is, by its name."""
    won = ["tie" if i % 6 == 0 else "model_a" if (i % 7 < 5) == (i % 5 > 0) else "model_b" for i in range(60)]
    rows = [(a, b, winner, i % 7) for a, b in combinations("wxyz", 2) for i, winner in enumerate(won)]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "winner", "judge"], orient="row")
    few, many = (
        votes_view(read_votes(some, announce=False)) for some in (frame.filter(pl.col("model_b") != "z"), frame)
    )
    assert [row["needed"] for row in pairs(few).rows] == [*few.needed]  # all alike
    step = verdict_of_votes(few.votes, *few.found.margins.pairs[0].split(" vs ")).next_step
    assert step.votes == few.needed[0] > 1.1 * few.found.margins.implied[0]
    assert {row["needed"] for row in pairs(many).rows} == {*many.found.margins.implied}
    assert pairs(many).headers["needed"] == "votes by formula"


def test_equal_budgets_are_those_of_the_formula(view):
    """A pair at 30%, one at 50% and one at 80%: with 500 votes, the median study is that of the pair between."""
    one = view.equal[3]
    assert one.votes == 500
    assert one.low == pytest.approx(view.found.z(500, (0.1,))[0])
    assert view.reach == pytest.approx(1.959964, abs=1e-6)
    assert view.exit_code == 0


def test_early_votes_are_half_of_the_fewest_where_pairs_have_few(view):
    assert view.stability.first == 50
    assert votes_view(view.votes, minimum=60).stability.first == 30
    assert votes_view(view.votes, minimum=4).stability.first == 2
    few = votes_view(view.votes, minimum=3)
    assert few.stability is None
    assert few.stability_reason.endswith("raise minimum")


def test_rows_that_stand_for_several_votes_have_no_order():
    frame = pl.DataFrame({"model_a": ["x"], "model_b": ["y"], "for_x": [220], "for_y": [280]})
    found = votes_view(read_votes(frame, wins=["for_x", "for_y"], announce=False))
    assert found.stability is None
    assert "have no order" in found.stability_reason
    assert found.to_dict()["stability"] is None
    assert [one["votes"] for one in found.to_dict()["equal_budget"]] == [50, 100, 200, 500, 1000]


def test_what_few_votes_leave_unknown():
    rng = np.random.default_rng(1)
    rows = [(str(i), "base", "model_a" if won else "model_b") for i in range(6) for won in rng.random(12) < 0.6]
    view = votes_view(votes_table(rows, "model_a model_b winner"), minimum=10)
    assert "noise-of-votes" in {one.code for one in view.caveats}
    assert "not known without the noise of the votes" in view.near.sentence
    assert "not known without the noise of the votes" in view.sentence
    assert view.to_dict()["corrected"] is None
    assert view.to_dict()["near_ties"]["corrected"] is None
    assert [figure.rows[0]["corrected"] for figure in (margins(view), decided(view))] == pytest.approx(
        [np.nan] * 2, nan_ok=True
    )
    assert "nan" not in decided(view).caption.finding


def test_the_same_votes_are_counted_in_other_ways(votes_in_twos):
    view = pair_view(votes_in_twos, "y", "x", cluster="prompt")
    assert way(view.verdict) == "by prompt"
    ((name, other),) = view.others
    assert name == INDEPENDENT
    assert other.difference.se < view.verdict.difference.se
    assert view.to_dict() == {**view.verdict.to_dict(), "concentration": None}
    assert view.exit_code == view.verdict.exit_code == 0


def test_ties_are_counted_in_other_ways_where_there_are_any():
    frame = pl.DataFrame({"model_a": ["x"] * 60, "model_b": ["y"] * 60, "winner": ["x", "y", "tie"] * 20})
    view = pair_view(read_votes(frame, announce=False), "x", "y")
    assert [name for name, _ in view.others] == ["votes independent, ties as halves"]
    assert view.others[0][1].difference.n == 60


def test_a_pilot_is_not_compared_with_other_pairs(votes_in_twos):
    view = pair_view(votes_in_twos, "x", "y", minimum=1000)
    assert view.every is None
    assert "1,000" in view.every_reason
    assert len(pair_view(votes_in_twos, "x", "y").every.found) == 3


def test_systems_must_be_there(votes_in_twos):
    with pytest.raises(UnknownTerm):
        pair_view(votes_in_twos, "x", "nobody")


def test_what_is_wrong_with_the_votes_is_said_with_what_to_know_of_the_verdict():
    frame = pl.DataFrame({"model_a": ["x"] * 90, "model_b": ["y"] * 90, "winner": ["x", "tie", "tie"] * 30})
    view = pair_view(read_votes(frame, announce=False), "x", "y")
    assert "mostly-ties" in [one.code for one in view.caveats]
    assert set(view.verdict.caveats) <= set(view.caveats)


def test_whether_few_types_hold_the_signal_is_said_where_votes_have_types():
    shares = [0.9, 0.5, 0.5, 0.5, 0.5, 0.5]
    rows = [("x", "y", "xy"[i >= 60 * p], f"t{t}") for t, p in enumerate(shares) for i in range(60)]
    schema = ["model_a", "model_b", "winner", "prompt_type"]
    votes = q.read_votes(pl.DataFrame(rows, schema=schema, orient="row"), announce=False)
    view = pair_view(votes, "x", "y")
    assert view.concentration == q.votes.concentration([54, *[30] * 5], [60] * 6, level=0.95)
    assert view.to_dict()["concentration"]["recommended"]
    few = pair_view(votes.keep(np.arange(votes.rows) % 30 == 0), "x", "y")
    assert few.concentration is None
    assert "at least 4 of each" in few.concentration_reason
