from __future__ import annotations

import json

import pytest

import quorate as q
from quorate.analysis.ratings import RatingsView
from quorate.reporting import ratings_figures as figures


def drawn(chart):
    import vl_convert

    out = vl_convert.vegalite_to_svg(chart.to_dict())
    assert "NaN" not in out
    return out


@pytest.mark.parametrize("name", ["leaderboard", "ranks", "pairs"])
@pytest.mark.parametrize("count", [2, 3, 55])
def test_charts_of_few_and_of_many_systems(ballots, name, count):
    labels = tuple(f"model-{i:02d}" for i in range(count))
    out = drawn(getattr(figures, name)(RatingsView(q.rank(ballots(labels, each=40)))))
    if name != "pairs":
        assert all(f">{label}<" in out for label in labels)  # no label is dropped for room


def test_systems_stay_in_order_and_show_their_ranks(ballots):
    view = RatingsView(q.rank(ballots(tuple("cab"), each=60)))
    out = drawn(figures.leaderboard(view))
    places = [out.index(f">{name}</text>") for name in "cab"]
    assert places == sorted(places)
    assert ">rank</text>" in out
    assert all(f">{rank}</text>" in out for rank in (1, 2, 3))


def test_rank_groups_are_bands(ballots):
    shaded = [row["side"] > 0 for row in rows(figures.leaderboard(RatingsView(q.rank(ballots()))))]
    assert shaded == [True, False, True]
    one = RatingsView(q.rank(ballots(("a", "b"), 10, 0.2)))
    assert "rect" not in json.dumps(figures.leaderboard(one).to_dict()["layer"])


def test_what_cannot_be_ranked_is_grey(rated):
    sure, unsure = (RatingsView(q.rank(rated(gap, 0.6 * (gap == 0)))) for gap in (0.4, 0.0))
    assert {row["colour"] for row in rows(figures.leaderboard(sure))} == {"#0072B2"}
    assert {row["colour"] for row in rows(figures.leaderboard(unsure))} == {"#7F7F7F"}


def test_hostile_labels_are_drawn(ballots, hostile):
    view = RatingsView(q.rank(ballots(hostile, each=40)))
    for name in ("leaderboard", "ranks", "pairs"):
        assert "<script>" not in drawn(getattr(figures, name)(view))


def rows(chart):
    spec = chart.to_dict()
    own = [part["data"]["values"] for part in (spec, *spec["layer"]) if "values" in part.get("data", {})]
    return max([*spec.get("datasets", {}).values(), *own], key=len)
