from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from scipy.stats import studentized_range
from tables import scores_table

import quorate as q
from quorate.errors import InvalidInput, UnknownTerm
from quorate.estimate.differences.difference import difference
from quorate.estimate.ratings.leaderboard import leaderboard
from quorate.estimate.ratings.rank import rank

SIZES = {"item": 25, "judge": 4, "system": 5}


@pytest.fixture(scope="module")
def scored(judged):
    """Five systems a standard deviation apart, whose judges and items favour one or the other."""
    return judged(SIZES, fixed=(), seed=3)


@pytest.fixture(scope="module")
def board(scored):
    return leaderboard(scored)


def test_a_row_for_every_system_best_first(scored, board):
    frame = board.to_frame()
    names = ["system", "rating", "se", "low", "high", "rank_low", "rank_high", "group", "best"]
    assert frame.columns == names
    assert frame["rating"].is_sorted(descending=True)
    assert frame["best"].sum() == pytest.approx(1)
    for name, mean in zip(board.systems, board.rating, strict=True):
        assert mean == pytest.approx(scored.only("system", name).mean.mean())
    ranks = np.arange(1, 6)
    assert np.all(board.ranks.low <= ranks)
    assert np.all(ranks <= board.ranks.high)


def test_differences_hold_at_once_by_tukeys_range(board):
    frame = board.differences()
    assert len(frame) == 10
    own = board.difference(board.systems[0], board.systems[1])
    assert own.value == pytest.approx(frame["difference"][0])
    assert own.se == pytest.approx(frame["se"][0], rel=1e-6)
    assert frame["high"][0] - frame["low"][0] > np.diff(own.ends)[0]
    assert own.df == pytest.approx(board.df)
    tukey = studentized_range.ppf(0.95, 5, board.df) / np.sqrt(2)  # R: qtukey
    half = (frame["high"][0] - frame["low"][0]) / 2
    assert half / own.se == pytest.approx(tukey, rel=0.015)


@pytest.mark.slow
def test_pairs_of_a_table_with_gaps_are_those_of_compare_and_turn_with_their_sides(scored):
    gappy = scored.keep(np.arange(scored.n_cells) % 7 != 0)
    board = leaderboard(gappy)
    for (i, a), (j, b) in combinations(enumerate(board.systems), 2):
        own = difference(gappy, a, b)
        assert (board.pairs.value[i, j], board.pairs.value[j, i]) == pytest.approx((own.value, -own.value))


@pytest.mark.parametrize("short", [("judge", "system"), ("judge", "prompt")])
def test_pairs_are_those_of_compare_where_a_judge_never_met_a_system_or_a_prompt(judged, short):
    """Every item then has the same cells, though not as many of each."""
    whole = judged({"item": 10, "judge": 3, "prompt": 2, "system": 3}, fixed=(), seed=8)
    one, other = (whole.column(name) for name in short)
    some = whole.keep((one > 0) | (other > 0))
    board = leaderboard(some)
    for (i, a), (j, b) in combinations(enumerate(board.systems), 2):
        own = difference(some, a, b).estimate
        assert board.pairs.value[i, j] == pytest.approx(own.value)
    assert board.difference(a, b).se == pytest.approx(float(board.pairs.square[i, j] ** 0.5))


def test_means_of_systems_with_gaps_of_their_own_speak_for_other_judges_too(scored):
    """Each is of its own scores, which are not as many."""
    gaps = (scored.column("system") == 0) & (scored.column("item") == 3) & (scored.column("judge") == 1)
    board = leaderboard(scored.keep(~gaps))
    widths = [[mean.high - mean.low for mean in one.means] for one in (board.others, board)]
    assert np.all(np.greater(*widths))


def test_pairs_of_a_chosen_model_are_its_contrasts(scored):
    board = leaderboard(scored, random=["item", "item:judge"])
    first, last = (board.joint.systems.index(name) for name in (board.systems[0], board.systems[-1]))
    contrast = board.joint.contrast(np.eye(5)[first] - np.eye(5)[last])
    assert board.pairs.value[0, -1] == pytest.approx(contrast.value)
    assert board.pairs.value[-1, 0] == pytest.approx(-contrast.value)


def test_every_two_systems_are_compared_once(judged, monkeypatch):
    """For this setup and for others like it."""
    whole, asked = judged({"item": 10, "judge": 3, "system": 3}, keep=0.8, seed=8), []
    monkeypatch.setattr(
        "quorate.estimate.ratings.pair_errors.difference",
        lambda *given, **named: asked.append(given[1:]) or difference(*given, **named),
    )
    board = leaderboard(whole)
    assert board.others.pairs.square.max() > board.pairs.square.max()
    assert len(asked) == len({*map(frozenset, asked)}) == 3


def test_systems_with_too_few_scores_for_a_model_of_two_are_compared_by_that_of_all():
    """Direct assessments of translations: one of eight annotators for each segment of a system."""
    rng = np.random.default_rng(0)
    item, system = np.nonzero(rng.random((59, 4)) < 0.7)
    judge = rng.integers(0, 8, len(item))
    score = 70 + 4 * system + rng.normal(0, 6, 59)[item] + rng.normal(0, 6, len(item))
    columns = {"item": item, "system": [f"s{one}" for one in system], "judge": [f"j{one}" for one in judge]}
    table = q.read(pl.DataFrame(columns | {"score": score.round()}), announce=False)
    board = leaderboard(table)
    refused = 0
    for (i, a), (j, b) in combinations(enumerate(board.systems), 2):
        try:
            expected = difference(table, a, b).value
        except q.NotEstimable:
            refused += 1
            row = np.zeros(4)
            row[[board.joint.systems.index(a), board.joint.systems.index(b)]] = 1, -1
            expected = board.joint.contrast(row).value
        assert board.pairs.value[i, j] == pytest.approx(expected)
    assert refused == 1


def test_its_dependability_is_the_generalizability_coefficient_of_the_systems(scored, board):
    random = ["item", "judge", "system", "item:judge", "item:system", "judge:system", "cell"]
    fit = q.decompose(scored, random=random)
    assert board.dependability == pytest.approx(q.scores.dependability(fit, "system").generalizability, rel=1e-4)
    assert board.rankable
    assert "Not rankable" not in board.sentence


def test_noise_beyond_the_spread_is_not_rankable(judged):
    same = judged({"item": 10, "judge": 3, "system": 4}, fixed=(), sd={"system": 0.0, "judge:system": 1.0}, seed=2)
    board = leaderboard(same)
    assert not board.rankable
    assert board.others.groups == (board.systems,)
    assert board.common > 0.5
    assert "For judges like these: no two of 4 systems are told apart" in board.sentence
    assert "Not rankable for judges like these: the noise of a mean" in board.sentence
    assert "more judges or prompts would help most" in board.sentence


@pytest.mark.slow
def test_judges_as_a_panel_are_surer(scored, board):
    assert leaderboard(scored, targets={"judge": "panel"}).noise < board.noise
    assert np.all(board.pairs.square < board.others.pairs.square + np.eye(5))


@pytest.mark.slow
def test_the_same_seed_gives_the_same_ranks_and_plain_values(scored, board):
    one = board.to_dict()
    assert one == leaderboard(scored).to_dict()
    assert json.loads(json.dumps(one)) == one


def test_what_cannot_be_asked_is_refused(scored, board):
    with pytest.raises(InvalidInput, match="against itself"):
        board.difference("system0001", "system0001")
    with pytest.raises(UnknownTerm, match='no system "x"'):
        board.difference("system0001", "x")
    with pytest.raises(InvalidInput, match="level"):
        leaderboard(scored, level=1.5)


@pytest.mark.slow
def test_gaps_leave_the_fewest_degrees_of_freedom_and_the_variance_of_the_contrasts(judged):
    board = leaderboard(judged({"item": 12, "judge": 4, "system": 3}, fixed=(), keep=0.6, seed=4))
    df = board.pairs.freedom[np.triu_indices(3, 1)]
    assert board.df == df.min() < df.max()
    between = [board.difference(a, b) for a, b in combinations(board.systems, 2)]
    assert np.sort(df) == pytest.approx(sorted(one.df for one in between))
    assert np.trace(board.covariance) == pytest.approx(sum(one.variance for one in between) / 3, rel=0.05)


@pytest.mark.slow
def test_pairs_that_are_told_apart_are_said_where_groups_are_not(judged):
    """Best and worst differ, and those between them differ from neither: one group."""
    judgments = judged({"item": 30, "system": 3}, fixed=(), sd={"system": 0.0, "item:system": 0.5}, seed=1)
    shift = np.array([0.0, 0.3, 0.6])[judgments.column("system")]
    own = np.bincount(judgments.column("system"), judgments.mean) / 30
    score = judgments.mean - own[judgments.column("system")] + shift
    board = leaderboard(replace(judgments, mean=score, low=score, high=score))
    assert len(board.groups) == 1
    assert "leads 3 systems, not surely ahead of system0001; 1 of 3 pairs of systems is told apart" in board.sentence


def one_judge_decides():
    """Nine judges agree on three systems, but for one who puts the first far above the others."""
    rng = np.random.default_rng(5)
    rows = [
        (f"s{s}", f"i{i}", f"j{j}", rng.normal(0, 0.5) + np.sin(i) + 3.0 * (s == j == 0))
        for s in range(3)
        for i in range(12)
        for j in range(9)
    ]
    return pl.DataFrame(rows, schema=["system", "item", "judge", "score"], orient="row")


@pytest.mark.parametrize("fixed", [("judge",), ()])
def test_boards_comparisons_and_analyses_speak_for_the_same_judges(fixed):
    judgments, whom = q.read(one_judge_decides(), announce=False, fixed=fixed), "with these 9 judges"
    board, verdict, analysis = q.rank(judgments), q.compare(judgments, "s0", "s1"), q.analyze(judgments)
    assert board.scope == whom
    assert whom in board.sentence
    assert whom in verdict.sentence
    assert board.means[0].target["judge"] == verdict.difference.estimate.target["judge"]
    assert analysis.sentence == board.sentence
    assert "For judges like these: no two of 3 systems are told apart." in board.sentence
    same = q.compare(judgments, "s0", "s1", targets={"judge": "population"})
    assert verdict.others.estimate.ends == pytest.approx(same.estimate.ends, rel=1e-9)
    assert (verdict.for_others, same.others) == (same.outcome, None)
    assert f"For judges like these: {same.outcome.value} (95% interval " in verdict.sentence
    asked = {"targets": {"judge": "panel"}}  # who asks for the panel gets that alone
    assert (q.rank(judgments, **asked).others, q.compare(judgments, "s0", "s1", **asked).others) == (None, None)


@pytest.mark.slow
def test_with_judges_as_a_sample_systems_that_one_judge_decides_are_one_group():
    board = q.rank(q.read(one_judge_decides(), fixed=(), announce=False))
    assert len(board.others.groups) == 1
    assert {first for _, first in board.by_judges.without} != {board.systems[0]}


def test_boards_of_long_names_are_short_at_the_prompt(judged):
    frame = one_judge_decides().with_columns(system=pl.col("system") + "x" * 70_000)
    judgments = q.read(frame, announce=False)
    board = q.rank(judgments)
    for shown in (board, board.joint, board.joint.fit, board.joint.fit.point, board.means[0], *judgments.facets):
        assert len(repr(shown)) <= 200


def table(wild, judges=4, drop=0):
    """Three systems on 4 items of each of 3 categories, of which d varies so many times as much from item to item."""
    rng, rows = np.random.default_rng(1), []
    items, favours = rng.normal(0, 1, 12), rng.normal(0, 0.2, (3, judges))
    for s, name in enumerate("abd"):
        own = rng.normal(0, 0.5 * (wild if name == "d" else 1), 12)
        for i in range(12):
            for j in range(judges):
                score = 5 + 0.5 * (name == "a") + items[i] + own[i] + favours[s, j] + rng.normal(0, 0.4)
                rows.append((name, f"i{i}", f"c{i // 4}", f"j{j}", score))
    return scores_table(rows[: len(rows) - drop], "system item category judge score")


@pytest.mark.wide(1)
@pytest.mark.parametrize("drop", [0, 1])
def test_a_board_has_the_errors_of_pairs(drop):
    """Standard errors, degrees of freedom and verdicts are those of `compare`, however unlike a system is."""
    unlike = table(8, drop=drop)
    board = rank(unlike)
    place = {name: i for i, name in enumerate(board.systems)}
    frame = {(row["a"], row["b"]): row for row in board.differences("polars").to_dicts()}
    for (a, b), row in frame.items():
        one = difference(unlike, a, b)
        assert (row["difference"], row["se"]) == pytest.approx((one.value, one.se), rel=1e-9)
        assert board.pairs.df[place[a], place[b]] == pytest.approx(one.df, rel=1e-9)
        assert row["differ"] == (row["low"] > 0)
        assert row["high"] - row["low"] > np.ptp(one.estimate.ends)  # all at once
    with_d, without = ([row["se"] for pair, row in frame.items() if ("d" in pair) == there] for there in (True, False))
    assert min(with_d) > 1.5 * max(without) or drop == 0
    back = board.difference("b", "a")
    assert -back.value == pytest.approx(frame["a", "b"]["difference"])


def test_a_system_that_was_judged_on_easy_items_alone_stands_where_its_differences_put_it():
    """Systems 1, 0 and .5 better than their items, of which the hard ones are not of the second."""
    rng = np.random.default_rng(3)
    rows = [
        (system, item, f"j{j}", (7 if item < 10 else 3) + better + rng.normal() * 0.4)
        for system, better in (("good", 1), ("spared", 0), ("fair", 0.5))
        for item in range(20 if system != "spared" else 10)
        for j in range(3)
    ]
    frame = pl.DataFrame(rows, schema=["system", "item", "judge", "score"], orient="row")
    board = rank(q.read(frame, announce=False))
    assert board.systems == ("good", "fair", "spared")
    assert board.rating.argmax() == 2
    assert board.groups == (("good",), ("fair",), ("spared",))
    assert max(board.best, key=board.best.__getitem__) == board.by_judges.first == "good"
    (told,) = (one.sentence for one in board.caveats if one.code == "ordered-by-differences")
    assert told.endswith("though the mean of spared's own scores is higher than that of fair's")
    all_on_easy = rank(q.read(frame.filter(pl.col("item") < 10), announce=False))
    assert all_on_easy.systems == board.systems
    assert not [one for one in all_on_easy.caveats if one.code == "ordered-by-differences"]


def test_every_mean_has_the_error_of_its_own_scores():
    board = rank(table(8))
    se = dict(zip(board.systems, board.se.tolist(), strict=True))
    assert se["d"] > 1.5 * max(se[name] for name in "ab")
    assert all(mean.ends[0] < mean.value < mean.ends[1] for mean in board.means)


@pytest.mark.parametrize(
    ("items", "good", "bad"),
    [(3, [1] * 3, [0] * 3), (9, [1] * 9, [0] * 9), (9, [0.3 + 1.1 * i for i in range(9)], None)],
)
def test_systems_that_differ_by_the_same_on_all_items_are_told_apart_where_a_comparison_does(items, good, bad):
    """All right and all wrong: three items leave it open; so do any of scores without ends."""
    scores = {"good": good, "bad": bad or [score - 0.2 for score in good], "fair": [*good[:-1], (good[-1] + 0.3) / 2]}
    rows = [(system, item, float(score)) for system, own in scores.items() for item, score in enumerate(own)]
    table = scores_table(rows, "system item score")
    board, two = rank(table), q.compare(table, "good", "bad")
    i, j = board.systems.index("good"), board.systems.index("bad")
    assert board.ranks.above[i, j] == (two.outcome == "better") == (bad is not None and items > 3)
    assert board.pairs.half_width(0.975)[i, j] == pytest.approx(
        two.value - np.nan_to_num(two.estimate.low, nan=-np.inf)
    )


def test_copies_are_as_likely_first_and_nothing_is_said_of_their_noise():
    scores = np.random.default_rng(2).normal(size=(5, 3))
    rows = [(system, item, f"j{j}", scores[item, j]) for system in "abc" for item in range(5) for j in range(3)]
    board = rank(scores_table(rows, "system item judge score"))
    assert board.best == pytest.approx(dict.fromkeys("abc", 1 / 3))
    assert board.sentence.endswith("the same. All systems score the same on every item.")


@pytest.mark.slow
def test_copies_of_a_system_are_told_apart_from_nothing():
    rows = {"system": list("aabbcc"), "item": [1, 2] * 3, "score": [1.0, 2.0, 1.0, 2.0, 3.0, 7.0]}
    board = rank(q.read(pl.DataFrame(rows), announce=False))
    i, j = board.systems.index("a"), board.systems.index("b")
    assert board.pairs.square[i, j] == 0
    assert not board.ranks.above[i, j]
