from __future__ import annotations

import quorate as q
from quorate.analysis.ratings import RatingsAnalysis


def test_ratings_of_votes(ballots):
    votes = ballots()
    view = RatingsAnalysis(q.rank(votes), votes)
    assert (view.of_votes, view.unit, view.n, view.pairs) == (True, "rating, log odds", 180, 3)
    assert RatingsAnalysis(q.rank(votes).elo()).unit == "Elo points"
    assert view.names == ["a", "b", "c"]
    assert view.told_apart == 3
    assert view.rankable
    assert view.to_dict()["systems"][0]["system"] == "a"


def test_means_of_scores(rated):
    view = RatingsAnalysis(q.rank(rated()))
    assert (view.of_votes, view.unit, view.n) == (False, "mean score", 480)
    assert view.rankable


def test_systems_that_noise_hides_are_not_rankable(rated):
    assert not RatingsAnalysis(q.rank(rated(gap=0.0, favour=0.6))).rankable


def test_labels_are_fit_to_be_shown_and_told_apart(ballots, hostile):
    names = RatingsAnalysis(q.rank(ballots((*hostile, "x" * 4999)))).names
    assert len(set(names)) == len(hostile) + 1
    assert max(map(len, names)) <= 90
    assert not any("\n" in name or "\x00" in name for name in names)


def test_no_effect_of_order_was_estimated(ballots, rated):
    assert RatingsAnalysis(q.rank(ballots())).position_words == ""
    assert RatingsAnalysis(q.rank(rated())).position_words == ""
