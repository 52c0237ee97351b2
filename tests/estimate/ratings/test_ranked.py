from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from scipy.stats import t

import quorate as q
from quorate.caveats import few_clusters, taken_as_independent
from quorate.estimate.ratings.ranked import Board, at_once, by_judges, may_be_first, standing, top

NAMES = tuple("abcdefgh")


class Stated(Board):
    """A board of which everything is said."""

    def __init__(self, **said):
        vars(self).update(said)


def board(groups, first=1, told=()):
    """Eight systems of which so many may be first, and every one of these is as good as the others."""
    above = np.triu(np.ones((8, 8), dtype=bool), 1)
    above[:first, :first] = False
    return Stated(
        systems=NAMES,
        rating=np.arange(8.0)[::-1] / 3,
        se=np.full(8, 0.5),
        intervals=np.arange(16.0).reshape(8, 2),
        ranks=SimpleNamespace(low=1 + above.sum(axis=0), high=np.arange(8) + 1, above=above),
        level=0.95,
        group=np.array(groups),
        caveats=tuple(told),
    )


def test_systems_by_group():
    assert Stated(systems=("x", "y", "z"), group=np.array([2, 1, 2])).groups == (("y",), ("x", "z"))


def test_the_short_form_has_three():
    assert top(board([1] * 8)) == "a 2.333, b 2, c 1.667, ..."
    assert top(Stated(systems=("x", "y"), rating=np.array([1.0, 0.0]))) == "x 1, y 0"


def test_who_may_be_first_is_what_ranks_say():
    assert standing(board([1, 2, 2, 2, 2, 2, 2, 2])).startswith("a is first of 8 systems; 28 of 28 pairs")
    two = board([1] * 8, first=2)
    assert may_be_first(two) == ("a", "b")
    assert standing(two).startswith("a leads 8 systems, not surely ahead of b; 27 of 28 pairs")
    assert standing(board([1] * 8, first=7)).startswith("a leads 8 systems, not surely ahead of 6 of them")
    assert standing(board([1] * 8, first=8)) == "No two of 8 systems are told apart, at 95% for all ranks at once."


def test_ranks_of_votes_that_are_wrongly_taken_as_independent_hold_only_if_they_were():
    dependent = board([1] * 8, told=[taken_as_independent({"prompt": 2.0})])
    assert at_once(dependent) == "for all ranks at once, were votes independent, which they need not be"
    assert at_once(dependent) in standing(dependent)
    assert at_once(board([1] * 8, told=[few_clusters("judge", 5, 5.0)])) == "for all ranks at once"


def test_a_row_for_every_system():
    rows = board([1] * 8).rows()
    assert list(rows[0]) == ["system", "rating", "se", "low", "high", "rank_low", "rank_high", "group"]
    assert [row["low"] for row in rows] == [0, 2, 4, 6, 8, 10, 12, 14] == board([1] * 8).low.tolist()
    assert [row["high"] for row in rows] == board([1] * 8).high.tolist()


def scored(favoured=8.0, judges=5):
    """Six items: y is a little better than x with every judge but the last, who favours x by far."""
    rows = [
        (
            system,
            item,
            f"j{j}",
            5 + item % 3 + (0.5 if system == "y" else 0) + (favoured if (system, j) == ("x", judges - 1) else 0),
        )
        for system in "xy"
        for item in range(6)
        for j in range(judges)
    ]
    frame = pl.DataFrame(rows, schema=["system", "item", "judge", "score"], orient="row")
    return q.read(frame, announce=False)


def test_one_judge_decides_the_first_place():
    found = by_judges(scored())
    assert (found.first, found.median, found.trimmed) == ("x", "y", "y")
    assert dict(found.without) == {"j0": "x", "j1": "x", "j2": "x", "j3": "x", "j4": "y"}
    assert found.sentence == (
        "The highest mean is that of x, but without j4 that of y; the first is y by the median of judges and by "
        "their trimmed mean."
    )
    assert [row["same"] for row in found.rows()] == [True] * 4 + [False] * 3


def test_nothing_hangs_on_a_judge():
    found = by_judges(scored(favoured=0.0, judges=3))
    assert found.trimmed is None
    assert (
        found.sentence == "y has the highest mean without any one of 3 judges; the first is y by the median of judges."
    )


def test_harder_items_of_a_judge_favour_nobody():
    table = scored(favoured=0.0, judges=3)
    hard = (table.column("judge") == 0) & (table.column("item") < 3) & (table.column("system") == 1)
    assert by_judges(table.keep(~hard)).first == "y"


@pytest.mark.parametrize("seed", range(6))
def test_judges_with_gaps_say_who_is_best_on_the_same_items(seed):
    """Against least squares with an indicator of every system and item, judge by judge."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"s{s}", i, f"j{j}", 3 * (i % 4) + rng.normal() + 0.2 * s)
        for s in range(3)
        for i in range(12)
        for j in range(5)
        if (i % 4 + s) % 4 or rng.random() < 0.3
    ]
    frame = pl.DataFrame(rows, schema=["system", "item", "judge", "score"], orient="row")
    means = []
    for (_judge,), own in frame.sort("judge").group_by("judge", maintain_order=True):
        design = np.hstack([own.select(name).to_dummies().to_numpy() for name in ("system", "item")])
        systems = np.linalg.lstsq(design, own["score"].to_numpy())[0][:3]
        means.append(systems - systems.mean())
    found = by_judges(q.read(frame, announce=False))

    def first(of):
        return f"s{int(np.argmax(of))}"

    assert (found.first, found.median) == (first(np.mean(means, axis=0)), first(np.median(means, axis=0)))
    assert [name for _, name in found.without] == [first(np.mean(np.delete(means, j, 0), axis=0)) for j in range(5)]
    assert found.trimmed == first(np.sort(means, axis=0)[1:-1].mean(axis=0))
    assert "highest mean on the same items" in found.sentence


def test_a_median_is_not_the_opinion_of_the_judge_who_is_neither_lenient_nor_harsh():
    """By two of three x is better, of whom one gives 1 more to all and one 2 less."""
    scores = {"x": (3, 2, 1), "y": (2, 2.5, 0)}
    rows = [(s, i, f"j{j}", own + 0.1 * i) for s in "xy" for i in range(4) for j, own in enumerate(scores[s])]
    frame = pl.DataFrame(rows, schema=["system", "item", "judge", "score"], orient="row", strict=False)
    assert by_judges(q.read(frame, announce=False)).median == "x"


def test_of_equal_systems_without_a_judge_the_first_by_all_judges_counts():
    scores = {"x": (1, 2, 3), "y": (2, 2, 3), "z": (0, 0, 0)}
    rows = [(s, i, f"j{j}", own + 0.1 * i) for s in "xyz" for i in range(4) for j, own in enumerate(scores[s])]
    found = by_judges(
        q.read(pl.DataFrame(rows, schema=["system", "item", "judge", "score"], orient="row"), announce=False)
    )
    assert (found.first, found.median, {first for _, first in found.without}) == ("y", "y", {"y"})


def test_items_of_one_system_each_say_who_has_the_highest_mean():
    """The mean of a judge over the systems of an item says nothing where each item is of one system."""
    rows = [(s, f"{s}{i}", f"j{j}", 3 + "xzy".index(s) + i % 2) for s in "xyz" for i in range(4) for j in range(3)]
    found = by_judges(
        q.read(pl.DataFrame(rows, schema=["system", "item", "judge", "score"], orient="row"), announce=False)
    )
    assert (found.first, found.median, {first for _, first in found.without}) == ("y", "y", {"y"})


def test_what_cannot_be_seen():
    assert by_judges(scored(judges=2)) is None
    table = scored()
    assert by_judges(table.keep((table.column("judge") > 0) | (table.column("system") > 0))) is None
    assert by_judges(table, "judge") is None


@pytest.mark.wide(1)
@pytest.mark.parametrize(("fixed", "others"), [(("judge",), True), ((), True), (("judge", "prompt"), True)])
def test_the_board_says_for_whom(judged, fixed, others):
    board = q.rank(judged({"item": 12, "judge": 5, "prompt": 2, "system": 3}, fixed=fixed, seed=3))
    assert any(f"with these {two}" in board.sentence for two in ("5 judges and 2 prompts", "2 prompts and 5 judges"))
    assert ("For judges like these, with these 2 prompts" in board.sentence) is others
    unsaid = "2 prompts cannot tell how other prompts differ: a third would"
    assert (unsaid in board.sentence) is ("prompt" not in fixed)
    assert board.opinion.startswith("A mean of judges is the judges' opinion")
    assert board.to_dict()["by_judges"]["first"] == board.systems[0]


COUNTS = [("a", "b", 60, 40), ("a", "c", 80, 20), ("b", "c", 55, 45), ("c", "d", 50, 50), ("b", "d", 60, 45)]


def board_of(times=1, counts=COUNTS, **options):
    rows = [(a, b, won * times, lost * times) for a, b, won, lost in counts]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "a", "b"], orient="row")
    return q.rank(q.read_votes(frame, wins=("a", "b"), announce=False), **options)


@pytest.fixture(scope="module")
def found():
    return board_of()


def test_gaps_are_those_of_differences_and_their_intervals_hold_for_three_pairs_of_neighbours(found):
    for pair in found.neighbours:
        gap = found.difference(pair.first, pair.second)
        half = t.ppf(1 - 0.05 / (2 * 3), gap.df) * gap.se
        assert (pair.gap, pair.low, pair.high) == pytest.approx((gap.value, gap.value - half, gap.value + half))
        assert pair.told_apart == (pair.low > 0)
        assert (pair.more == 0) == pair.told_apart


def test_with_the_votes_it_takes_the_gap_is_as_far_from_0_as_a_chance_of_09_asks(found):
    pair = min(found.neighbours, key=lambda one: one.votes)
    more = board_of(2000)  # votes that only scale: the gap stays, its standard error follows
    gap = more.difference(pair.first, pair.second)
    limit = t.ppf(1 - 0.05 / (2 * 3), gap.df)
    se = gap.se * np.sqrt(more.n / pair.votes)
    assert gap.value / se == pytest.approx(limit + 1.2816, rel=0.01)
    assert all(one.told_apart for one in board_of(4000).neighbours)


def test_in_points_gaps_are_larger_and_votes_the_same(found):
    for pair, points in zip(found.neighbours, found.elo().neighbours, strict=True):
        assert points.gap == pytest.approx(pair.gap * 400 / np.log(10))
        assert abs(points.votes - pair.votes) <= 1


def test_of_two_systems_the_verdict_says_what_more_votes_would_do():
    board = board_of(counts=[("a", "b", 61, 40)])
    assert (board.neighbours, board.neighbours_words) == ((), "")


def test_what_is_said(found):
    said = found.neighbours_words
    left = [pair for pair in found.neighbours if not pair.told_apart]
    assert said.startswith(f"{len(left)} of 3 pairs of neighbours are not told apart. Were gaps as estimated, ")
    assert f"{min(pair.more for pair in left):,} more votes would tell " in said
    assert board_of(4000).neighbours_words == ""
    even = board_of(counts=[("a", "b", 50, 50), ("b", "c", 50, 50), ("a", "c", 50, 50)])
    assert all(pair.votes is pair.more is None for pair in even.neighbours)
    assert "no number of votes would tell" in even.neighbours_words
    assert json.loads(json.dumps(found.to_dict()))["neighbours"] == [pair.to_row() for pair in found.neighbours]
