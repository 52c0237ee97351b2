"""The fewest votes that flip the first by win rate, against trying all."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import votes_table

import quorate as q
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.ratings.fragility import LeaderFlip, cheapest_flip, flips, fragility
from quorate.numerics.ratings.bradley_terry import Design, fit
from quorate.numerics.ratings.existence import exists
from quorate.numerics.ratings.ties import tie_model


def votes_of(counts, names="xyz"):
    """Votes for the first, for the second and ties of every pair that has some."""
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    rows = [(*pair, *count) for pair, count in zip(pairs, counts, strict=True) if sum(count)]
    return votes_table(rows, "model_a model_b a b t", wins=("a", "b", "t"))


def by_trying(counts):
    """Fewest decisive votes to leave out of three pairs so that another is strictly first; None if none do."""
    cells = np.array(counts, dtype=float)
    best = None
    sides = [range(int(n) + 1) for n in cells[:, :2].ravel()]
    first = None
    for gone in sorted(product(*sides), key=sum):
        left = cells.copy()
        left[:, :2] -= np.array(gone).reshape(3, 2)
        (xy, xz, yz) = left
        won = np.array([xy[0] + xz[0] + (xy[2] + xz[2]) / 2, xy[1] + yz[0] + (xy[2] + yz[2]) / 2,
                        xz[1] + yz[1] + (xz[2] + yz[2]) / 2])  # fmt: skip
        total = np.array([xy.sum() + xz.sum(), xy.sum() + yz.sum(), xz.sum() + yz.sum()])
        if not any(gone):
            rate = np.divide(won, total, out=np.full(3, -1.0), where=total > 0)
            first = int(np.argmax(rate))
        elif total[first] > 0:
            rate = np.divide(won, total, out=np.full(3, -1.0), where=total > 0)
            if rate.max() > rate[first] + 1e-12:
                best = sum(gone)
                break
    return best


CELL = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2))


@given(st.lists(CELL, min_size=3, max_size=3).filter(lambda cells: all(map(sum, cells))))
def test_no_fewer_votes_flip_the_first(counts):
    expected = by_trying(counts)
    votes = votes_of(counts)
    if expected is None:
        with pytest.raises(NotEstimable, match="stays first whatever votes are left out"):
            fragility(votes)
        return
    found = fragility(votes)
    assert found.exact
    assert found.dropped == expected == sum(count for *_, count in found.drops)
    assert all(count <= votes.wins(winner, loser) for winner, loser, count in found.drops)


def test_a_pair_by_hand():
    """55 to 45: without 11 votes for x, y has 45 of 89."""
    found = fragility(votes_of([(55, 45, 0)], names="xy"))
    assert (found.top, found.contender, found.dropped, found.votes) == ("x", "y", 11, 100)
    assert found.drops == (("x", "y", 11),)
    assert found.share == 0.11
    assert found.sentence == "Without 11 votes of 100 (0.11 of them) y would be ahead of x, first by win rate."


def test_of_two_that_are_as_near_the_one_with_more_wins_is_named():
    """y has 11 of 20, x 11 of 23, z 5 of 11; without two votes either comes first."""
    found = fragility(votes_of([(8, 8, 0), (3, 4, 0), (3, 1, 0)]))
    assert (found.top, found.contender, found.dropped) == ("y", "x", 2)


def test_ratings_of_a_pair_need_as_many():
    found = fragility(votes_of([(55, 45, 10)], names="xy"), by="bradley-terry")
    assert (found.dropped, found.drops, found.exact) == (11, (("x", "y", 11),), False)


def test_a_vote_that_must_stay_does_not_end_the_search():
    """A vote whose absence leaves a system unrated is passed over; where all are, that is said and no more."""
    found = fragility(votes_of([(4, 1, 0), (0, 1, 0), (1, 4, 0)]), by="bradley-terry")
    assert (found.top, found.contender, found.dropped) == ("z", "x", 2)
    with pytest.raises(NotEstimable, match="no flip of x was found that leaves all systems rated"):
        fragility(votes_of([(2, 1, 0)], "xy"), by="bradley-terry")


@pytest.mark.slow
def test_ratings_over_many_systems_flip_as_said():
    """Left out, the named votes do put the contender ahead."""
    rng = np.random.default_rng(1)
    strength = np.linspace(0.5, 0, 6)
    names = "uvwxyz"
    counts = []
    for i in range(6):
        for j in range(i + 1, 6):
            wins = rng.binomial(200, 1 / (1 + np.exp(strength[j] - strength[i])))
            counts.append((wins, 200 - wins, 20))
    votes = votes_of(counts, names)
    for ties in ("half", "davidson"):
        found = fragility(votes, by="bradley-terry", ties=ties)
        pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
        gone = {(w, loser): n for w, loser, n in found.drops}
        left = [
            (a - gone.get((x, y), 0), b - gone.get((y, x), 0), t)
            for (x, y), (a, b, t) in zip(pairs, counts, strict=True)
        ]
        before, after = (q.rank(each, ties=ties).systems for each in (votes, votes_of(left, names)))
        assert before[0] == found.top
        assert after.index(found.contender) < after.index(found.top)
        assert 0 < found.share < 0.02


@pytest.mark.slow
def test_wmt_leaderboards_hang_on_few_votes(shared):
    votes = q.read_votes(shared / "data" / "wmt15_human_pairwise.parquet", announce=False).only(
        "prompt_type", "fin-eng"
    )
    rate, rating = (fragility(votes, by=by) for by in ("win rate", "bradley-terry"))
    assert rate.top == rating.top
    assert 0 < rate.share < 0.1
    assert rating.contender == rate.contender


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "elo"}, 'by: must be one of win rate, bradley-terry, got "elo"'),
        ({"ties": "davidson"}, "ties: expects one of half, drop for win rate, got 'davidson'"),
        ({"contenders": 0}, "contenders: must be a whole number of at least 1"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(InvalidInput, match=message):
        fragility(votes_of([(2, 1, 0)], names="xy"), **options)


DESIGN = Design(3, np.array([0, 0, 1]), np.array([1, 2, 2]), np.zeros(1), tie_model("half"))


def fewest(counts, most):
    """Fewest votes that flip the first, over all ways to leave out at most so many."""
    top = int(np.argmax(fit(DESIGN, counts[..., None]).theta[:3, 0]))
    ways = sorted((w for w in product(range(most + 1), repeat=6) if sum(w) <= most), key=sum)
    for gone in ways:
        left = counts.copy()
        left[0, :, :2] -= np.array(gone).reshape(3, 2)
        if (left >= 0).all() and exists(DESIGN, left[..., None])[0]:
            theta = fit(DESIGN, left[..., None]).theta[:3, 0]
            if theta.max() > theta[top] + 1e-9:
                return sum(gone)
    return None


@pytest.mark.wide(2)
@pytest.mark.parametrize("seed", range(4))
def test_it_is_at_most_one_vote_from_the_best(seed):
    rng = np.random.default_rng(seed)
    counts = np.zeros((1, 3, 3))
    counts[0, :, :2] = rng.integers(4, 12, (3, 2))
    top, flip = cheapest_flip(DESIGN, counts, 2)
    best = fewest(counts, 5)
    assert top == int(np.argmax(fit(DESIGN, counts[..., None]).theta[:3, 0]))
    if best is not None:
        assert best <= flip.dropped <= best + 1
    assert sum(count for *_, count in flip.drops) == flip.dropped


@pytest.mark.wide(2)
@pytest.mark.parametrize(("seed", "fewest_votes"), [(2, 3), (5, 18), (8, 27), (13, 20)])
def test_no_vote_of_a_flip_could_stay(seed, fewest_votes):
    """Influence alone asks for 1 to 7 votes more than these, all of one kind."""
    counts = np.zeros((1, 3, 3))
    counts[0, :, :2] = np.random.default_rng(seed).integers(20, 60, (3, 2))
    top, flip = cheapest_flip(DESIGN, counts, 2)
    ((winner, loser, dropped),) = flip.drops
    assert dropped == fewest_votes
    assert flips(DESIGN, counts, top, flip)
    assert not flips(DESIGN, counts, top, LeaderFlip(flip.system, dropped - 1, ((winner, loser, dropped - 1),)))


def test_as_many_of_the_next_are_tried_as_are_asked_for():
    """y is nearer to x; z, with few votes, comes first without fewer of them."""
    counts = np.zeros((1, 3, 3))
    counts[0, :, 0], counts[0, :, 1] = [60, 9, 8], [50, 6, 7]
    order = np.argsort(-fit(DESIGN, counts[..., None]).theta[:3, 0]).tolist()
    (top, one), (_, two) = (cheapest_flip(DESIGN, counts, contenders) for contenders in (1, 2))
    assert (top, one.system, two.system) == (order[0], order[1], order[2])
    assert two.dropped < one.dropped


def test_a_vote_that_cannot_be_spared_is_passed_over():
    """z has beaten x once and y once: neither can go, and leaving out votes for z would leave it without a rating."""
    counts = np.zeros((1, 3, 3))
    counts[0, :, 0], counts[0, :, 1] = [4, 0, 1], [1, 1, 4]
    top, flip = cheapest_flip(DESIGN, counts, 2)
    assert top == 2
    assert flip is None or flips(DESIGN, counts, top, flip)
    pair = LeaderFlip(0, 2, ((2, 0, 1), (2, 1, 1)))
    assert not flips(DESIGN, counts, top, pair) or flip is not None


def test_votes_without_which_there_are_no_ratings_stay():
    """Each of the others has beaten the first once; leaving out votes never leaves a system without ratings."""
    counts = np.zeros((1, 3, 3))
    counts[0, :, 0], counts[0, :, 1] = [9, 9, 5], [1, 1, 5]
    _, flip = cheapest_flip(DESIGN, counts, 2)
    left = counts.copy()
    for winner, loser, count in flip.drops:
        pair = {(0, 1): 0, (0, 2): 1, (1, 2): 2}[min(winner, loser), max(winner, loser)]
        left[0, pair, int(winner > loser)] -= count
    theta = fit(DESIGN, left[..., None]).theta[:3, 0]
    assert exists(DESIGN, left[..., None])[0]
    assert theta[flip.system] > theta[0]


def test_who_never_lost_stays_first_and_the_rated_are_those_of_the_board():
    """A system above all others has no contender; below all, it is left out as `quorate.rank` leaves it out."""

    def of(*more):
        rows = [("a", "b", 6, 5), ("b", "c", 6, 3), ("a", "c", 5, 2), *more]
        return fragility(votes_table(rows, "model_a model_b a b", wins=("a", "b")), by="bradley-terry")

    among, below = of(), of(("a", "last", 9, 0))
    assert (below.top, below.contender, below.dropped, below.votes) == (among.top, among.contender, among.dropped, 27)
    with pytest.raises(NotEstimable, match='"best" stands above all others, and stays there whatever votes'):
        of(("best", "a", 4, 0))


@pytest.fixture(scope="module")
def frame():
    """Votes on three systems of which two are close, either way round, by several judges on prompts of their own."""
    rng = np.random.default_rng(3)
    sides = [rng.permutation(["x", "y", "z"])[:2] for _ in range(150)]
    strength = {"x": 0.5, "y": 0.4, "z": -0.5}
    chance = [1 / (1 + np.exp(strength[b] - strength[a])) for a, b in sides]
    winner = np.where(rng.random(150) < 0.1, "tie", np.where(rng.random(150) < chance, *np.transpose(sides)))
    columns = {"model_a": [a for a, _ in sides], "model_b": [b for _, b in sides], "winner": winner}
    return pl.DataFrame(columns | {"judge": [f"j{i % 4}" for i in range(150)], "prompt": np.arange(150)})


@pytest.mark.parametrize("by", ["win rate", "bradley-terry"])
def test_without_the_named_rows_another_system_is_first(frame, by):
    found = q.votes.fragility(q.read_votes(frame, announce=False), by=by)
    rows = [one.row for one in found.dropped_rows]
    assert (len(rows), rows) == (found.dropped, sorted(set(rows)))
    for one in found.dropped_rows:
        row = frame.row(one.row - 1, named=True)
        assert {one.winner, one.loser} == {row["model_a"], row["model_b"]}
        assert (row["winner"], row["judge"], str(row["prompt"])) == (
            one.winner,
            one.labels["judge"],
            one.labels["prompt"],
        )
    left = frame.with_row_index("row", offset=1).filter(~pl.col("row").is_in(rows)).drop("row")
    votes = q.read_votes(left, announce=False)
    if by == "bradley-terry":
        assert q.rank(votes, ties="half", cluster=()).systems[0] == found.contender
    else:
        pairs = votes.pairs()
        won = dict.fromkeys(votes.models, 0.0)
        of = dict(won)
        for k, (a, b) in enumerate(pairs.names):
            tied = pairs.ties[k] / 2
            won[a], won[b] = won[a] + pairs.a_wins[k] + tied, won[b] + pairs.b_wins[k] + tied
            of[a], of[b] = of[a] + pairs.votes[k], of[b] + pairs.votes[k]
        assert max(won, key=lambda name: won[name] / of[name]) == found.contender


def test_rows_keep_their_numbers_where_others_are_left_out(frame):
    votes = q.read_votes(frame, announce=False)
    some = votes.only("judge", "j1")
    assert some.source_row.tolist() == [i + 1 for i in range(150) if i % 4 == 1]
    assert some.reordered(np.arange(some.rows)[::-1]).source_row[0] == some.source_row[-1]


def test_counted_rows_have_no_numbers(frame, tmp_path):
    frame.drop("prompt", "judge").write_parquet(tmp_path / "votes.parquet")
    votes = q.read_votes(tmp_path / "votes.parquet", counted=True, announce=False)
    assert votes.rows < 150
    assert votes.source_row is None
    found = q.votes.fragility(votes)
    assert found.dropped_rows == ()
    assert found.dropped == q.votes.fragility(q.read_votes(frame, announce=False)).dropped


def test_votes_of_rows_that_stand_for_several():
    frame = pl.DataFrame({"model_a": "x", "model_b": "y", "winner": ["x", "y", "x"], "count": [5, 4, 5]})
    found = q.votes.fragility(q.read_votes(frame, announce=False))
    assert sum(one.votes for one in found.dropped_rows) == found.dropped
    assert [(one.row, one.votes) for one in found.dropped_rows] == [(1, 5), (3, found.dropped - 5)]
