from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.special import expit
from scipy.stats import chi2_contingency, f, ttest_ind
from tables import scores_table, votes_table

import quorate as q
from quorate.decide.outcome import Outcome, brown_forsythe, outcome_by, types_of_votes
from quorate.decide.scores import verdict_of_scores
from quorate.decide.votes import verdict_of_votes
from quorate.errors import InvalidInput, UnknownTerm
from quorate.numerics.inference import holm


def test_votes_get_their_verdict(between):
    votes = between(52, 48, 25, prompt=[f"p{i // 5}" for i in range(125)])
    options = {"margin": 0.05, "ties": "half", "cluster": "prompt", "budget": 500, "price": 0.5, "power": 0.8}
    found = q.compare(votes, "x", "y", **options)
    assert found.to_dict() == verdict_of_votes(votes, "x", "y", **options).to_dict()
    assert found.outcome is Outcome.UNDECIDED
    strict = q.compare(between(60, 40), "x", "y", level=0.99, claim="better")
    assert (strict.outcome, strict.exit_code) == (Outcome.UNDECIDED, 2)


def test_a_facet_means_nothing_for_votes(between):
    with pytest.raises(InvalidInput, match=r"system: is for scores, and these are votes; leave it out"):
        q.compare(between(5, 5), "x", "y", system="system")


@pytest.fixture
def scores(judged):
    return judged({"item": 20, "judge": 3, "model": 2}, fixed=())


def test_scores_get_their_verdict(scores):
    options = {"system": "model", "margin": 3.0, "level": 0.9, "targets": {"judge": "panel"}, "prices": {"call": 0.01}}
    found = q.compare(scores, "model0000", "model0001", **options)
    assert found.to_dict() == verdict_of_scores(scores, "model0000", "model0001", **options).to_dict()
    assert found.difference.se > 0
    with pytest.raises(UnknownTerm, match='no facet "system"'):
        q.compare(scores, "model0000", "model0001")


@pytest.mark.parametrize("option", [{"ties": "half"}, {"cluster": "judge"}])
def test_options_of_votes_mean_nothing_for_scores(scores, option):
    with pytest.raises(InvalidInput, match=rf"{next(iter(option))}: is for votes, and these are scores; leave it out"):
        q.compare(scores, "model0000", "model0001", system="model", **option)


@pytest.mark.slow
def test_a_budget_is_for_both(scores, between):
    options = {"system": "model", "targets": {"judge": "population"}, "budget": 50, "margin": 0.5}
    found = q.compare(scores, "model0000", "model0001", **options)
    assert found.next_step.budget == 50
    assert not found.next_step.affordable
    for budget in (0, -1, float("nan"), float("inf"), "10", True):
        with pytest.raises(InvalidInput, match="budget: must be above 0, got"):
            q.compare(scores, "model0000", "model0001", system="model", budget=budget)
    with pytest.raises(InvalidInput, match="budget: a number of judgments, whole"):
        q.compare(between(52, 48), "x", "y", budget=10.5)


@pytest.mark.parametrize("table", [7, None, {"a": 1}])
def test_anything_else_is_refused(table):
    with pytest.raises(InvalidInput, match=r"expects what quorate\.read or quorate\.read_votes returns.*read it first"):
        q.compare(table, "x", "y")


def votes_on(pairs):
    """Votes between two systems each: how many there are, and how many the first wins."""
    rows = [(a, b, "model_a" if i < wins else "model_b") for (a, b), (wins, n) in pairs.items() for i in range(n)]
    return votes_table(rows, "model_a model_b winner")


@pytest.fixture(scope="module")
def three():
    """x is better than y and z, which are alike."""
    return votes_on({("x", "y"): (140, 200), ("x", "z"): (145, 200), ("y", "z"): (401, 800)})


def test_all_pairs_by_votes_are_those_of_the_board(three):
    found, board = q.compare(three, margin=0.12), q.rank(three)
    assert [(one.a, one.b, one.outcome.value) for one in found.pairs] == [
        ("x", "y", "better"),
        ("x", "z", "better"),
        ("y", "z", "equivalent"),
    ]
    for one, row in zip(found.pairs, board.differences("polars").to_dicts(), strict=True):
        rate = board.probability(one.a, one.b)
        assert one.value == pytest.approx(rate.value)
        assert (one.low, one.high) == pytest.approx([expit(row[name]) for name in ("low", "high")])
        assert one.low < rate.at(0.95).low < rate.at(0.95).high < one.high  # all at once
    assert (found.counts["equivalent"], found.exit_code, found.level) == (1, 0, 0.95)
    assert found.sentence == (
        "x is better than every other; 2 of 3 pairs of systems are told apart and 1 equivalent, at 95% for all pairs "
        "at once."
    )
    assert q.compare(three).counts["undecided"] == 1
    alike = q.compare(votes_on({("x", "y"): (100, 200), ("x", "z"): (180, 200), ("y", "z"): (180, 200)}))
    assert alike.sentence.startswith("None is shown to be better than x and y; 2 of 3 pairs")
    assert q.compare(votes_on({("x", "y"): (100, 200), ("y", "z"): (9, 20)})).sentence.startswith("0 of")
    assert found.rows()[0] == {"a": "x", "b": "y", "outcome": "better", "share": found.pairs[0].value} | {
        name: getattr(found.pairs[0], name) for name in ("low", "high")
    }


def test_all_pairs_by_scores_are_those_of_the_board_whose_differences_are_those_of_two(judged):
    judgments = judged({"item": 12, "judge": 3, "system": 3}, fixed=("judge",), seed=4)
    own = np.array([0.0, 2.0, 2.1])[judgments.column("system")]
    moved = judgments.mean + own
    table = replace(judgments, mean=moved, low=moved, high=moved)
    found = q.compare(table, margin=0.3)
    assert found.told_apart == q.rank(table).told_apart
    for one in found.pairs:
        alone = q.compare(table, one.a, one.b).difference
        assert one.value == pytest.approx(alone.value)
        assert one.low < alone.at(0.95).low < alone.at(0.95).high < one.high
    assert "at 95% for all pairs at once" in repr(found)


def test_who_never_lost_is_better_where_chance_is_no_explanation_and_stands_first():
    pairs = {("x", "y"): (40, 40), ("x", "z"): (40, 40), ("y", "z"): (20, 40), ("v", "y"): (2, 2)}
    found = q.compare(votes_on(pairs))
    said = {(one.a, one.b): (one.outcome.value, one.value) for one in found.pairs}
    assert said["x", "y"] == said["x", "z"] == ("better", None)
    assert said["v", "y"] == said["v", "z"] == said["v", "x"] == ("undecided", None)
    assert found.told_apart == q.rank(votes_on(pairs)).told_apart == 2
    assert "Without a finite rating" in found.sentence


@pytest.mark.parametrize(
    "option",
    [
        {"claim": "better"},
        {"power": 0.8},
        {"price": 0.1},
        {"budget": 90},
        {"ties": "pessimistic"},
    ],
)
def test_what_is_of_two_systems_is_refused_of_all_pairs(three, option):
    with pytest.raises(InvalidInput, match=f"{next(iter(option))}: is for two systems; name two of"):
        q.compare(three, **option)


def test_one_name_and_too_many_systems_are_refused(three):
    with pytest.raises(InvalidInput, match='neither for all pairs, got "x" alone'):
        q.compare(three, "x")
    with pytest.raises(InvalidInput, match=r"level: must lie between 0\.5 and 1"):
        q.compare(three, level=0.1)
    many = votes_on({(f"s{n}", f"s{n + 1}"): (1, 2) for n in range(301)})
    with pytest.raises(InvalidInput, match="a, b: name two of 302 systems, too many for all pairs"):
        q.compare(many)


@pytest.mark.parametrize(
    ("value", "p_difference", "p_equivalence", "outcome"),
    [
        (0.3, 0.04, None, Outcome.BETTER),
        (-0.3, 0.04, None, Outcome.WORSE),
        (0.3, 0.06, None, Outcome.UNDECIDED),
        (0.3, 0.04, 0.5, Outcome.BETTER),
        (0.3, 0.04, 0.04, Outcome.EQUIVALENT),  # real, but within the margin
        (-0.3, 0.5, 0.04, Outcome.EQUIVALENT),
        (-0.3, 0.5, 0.06, Outcome.UNDECIDED),
    ],
)
def test_equivalence_comes_first_then_the_sign(value, p_difference, p_equivalence, outcome):
    assert outcome_by(value, p_difference, p_equivalence, 0.05) is outcome


@pytest.mark.slow
def test_not_worse_is_shown_by_the_interval_where_nothing_is_decided():
    d = 0.3 + np.tile([-0.6, 0.6], 6)
    rows = {"system": ["a"] * 12 + ["b"] * 12, "item": [*range(12)] * 2, "score": [*d, *np.zeros(12)]}
    scores = q.read(pl.DataFrame(rows), announce=False)
    found = q.compare(scores, "a", "b", margin=0.5, claim="not worse")
    assert found.outcome is Outcome.UNDECIDED
    assert -0.5 < found.estimate.ends[0] < 0
    assert (found.supported, found.exit_code) == (True, 0)
    assert not q.compare(scores, "b", "a", margin=0.5, claim="not worse").supported


def test_not_worse_is_shown_by_the_two_sided_interval(between):
    """260 of 500: 95% from -.0247, 90% from -.0175."""
    for margin, shown in ((0.02, False), (0.026, True)):
        found = q.compare(between(260, 240), "x", "y", margin=margin, claim="not worse")
        assert (found.outcome, found.supported) == (Outcome.UNDECIDED, shown)


# Types of prompts beside a verdict.


def votes(rng, shares, n=100, of=1):
    rows = [
        ("x", "y", f"t{t}", f"p{t}-{i // of}", "xy"[int(rng.random() > p)])
        for t, p in enumerate(shares)
        for i in range(n)
    ]
    return votes_table(rows, "model_a model_b prompt_type prompt winner")


def scores_of_by_type(by_category, *, items=15, judges=3):
    """Two systems that differ by so much on each category, and noise."""
    rng = np.random.default_rng(3)
    rows = [
        (s, f"{c}{i}", c, f"j{j}", rng.normal() + gap * (s == "x") + i % 4)
        for s in "xy"
        for c, gap in by_category.items()
        for i in range(items)
        for j in range(judges)
    ]
    names = ["system", "item", "category", "judge", "score"]
    return q.read(pl.DataFrame(rows, schema=names, orient="row"), announce=False)


@pytest.mark.parametrize("of", [1, 2])
def test_types_that_go_opposite_ways_are_said_beside_undecided(of):
    found = q.compare(votes(np.random.default_rng(1), (0.8, 0.2), of=of), "x", "y")
    assert found.outcome.value == "undecided"
    assert found.p_types < 1e-4
    assert "not the same on every prompt type (p < .0001): x is better on t0 and worse on t1 (Holm over 2)" in (
        found.sentence
    )
    assert found.to_dict()["types"]["each"][1]["type"] == "t1"


def test_scores_by_category_are_said_beside_the_verdict_and_held_together_by_holm():
    judgments = scores_of_by_type({"code": 1.5, "math": -1.5, "chat": 0.1})
    found = q.compare(judgments, "x", "y")
    assert "not the same on every category (p < .0001): x is better on code and worse on math" in found.sentence
    each = found.types.each
    assert [one.p_adjusted for one in each] == pytest.approx(holm(np.array([one.p for one in each])))
    alone = q.compare(judgments.only("category", "code"), "x", "y")
    code = next(one for one in each if one.type == "code")
    low, _ = alone.estimate.ends
    assert (code.value, code.low, code.p) == (alone.difference.value, low, alone.p_difference)


def test_without_types_or_with_few_items_of_each_there_is_no_test(between):
    assert q.compare(between(70, 30), "x", "y").types is None
    assert q.compare(scores_of_by_type({"code": 1.0, "math": 0.0}, items=9), "x", "y").types is None
    assert q.compare(scores_of_by_type({"code": 1.0}), "x", "y").p_types is None


def test_two_groups_are_the_test_of_welch():
    """Of two groups it is the t test of unequal variances, as scipy has it."""
    groups = np.array([1.0, 2, 3, 4]), np.array([2.0, 4, 6, 8, 10])
    mean, variance = (np.array([of(one) for one in groups]) for of in (np.mean, lambda one: one.var(ddof=1)))
    n = np.array([4.0, 5.0])
    expected = ttest_ind(*groups, equal_var=False).pvalue
    assert brown_forsythe(mean, variance, n, n - 1) == pytest.approx(expected)


def test_several_groups_by_the_formulas_of_brown_and_forsythe_and_of_mehrotra():
    """``F* = sum n (m - mean)^2 / sum (1 - n / N) s^2``; numerator df of Mehrotra, the other of Satterthwaite."""
    mean, variance, n = np.array([1.0, 2.5, 2.0]), np.array([1.0, 4.0, 9.0]), np.array([12.0, 8.0, 20.0])
    part = n / 40
    spread = (1 - part) * variance
    statistic = n @ (mean - part @ mean) ** 2 / spread.sum()
    matrix = np.diag(variance) @ (
        np.eye(3) - np.outer(np.ones(3), part)
    )  # of which the statistic is a trace of squares
    first = np.trace(matrix) ** 2 / np.trace(matrix @ matrix)
    second = spread.sum() ** 2 / (spread**2 / (n - 1)).sum()
    assert brown_forsythe(mean, variance, n, n - 1) == pytest.approx(f.sf(statistic, first, second))


def test_types_of_independent_votes_are_compared_by_pearsons_test():
    """As SciPy has it for a table of two rows."""
    rows = [("x", "y", t, "xy"[i >= won]) for t, won in zip("abc", (60, 75, 66), strict=True) for i in range(100)]
    found = q.compare(votes_table(rows, "model_a model_b prompt_type winner"), "x", "y")
    assert found.p_types == pytest.approx(chi2_contingency([[60, 75, 66], [40, 25, 34]], correction=False).pvalue)


def test_types_of_ten_items_are_compared_by_their_item_means():
    """Of two categories by Welch's t test."""
    judgments = scores_of_by_type({"code": 0.5, "math": 0.0}, items=10)
    item, category, x = (judgments.column(name) for name in ("item", "category", "system"))
    gap = np.bincount(item, judgments.mean * np.where(x == 0, 1, -1)) / np.bincount(item, x == 0)
    of = np.zeros(len(gap), dtype=int)
    of[item] = category
    expected = ttest_ind(gap[of == 0], gap[of == 1], equal_var=False).pvalue
    assert q.compare(judgments, "x", "y").p_types == pytest.approx(expected)


def test_types_without_any_spread():
    n = np.array([10.0, 10.0])
    assert brown_forsythe(np.ones(2), np.zeros(2), n, n - 1) == 1
    assert brown_forsythe(np.array([0.0, 1.0]), np.zeros(2), n, n - 1) == 0


@pytest.mark.slow
def test_equal_types_are_seldom_told_apart():
    rng = np.random.default_rng(2)
    p = [types_of_votes(votes(rng, (0.6, 0.6, 0.6), 40), "x", "y").p for _ in range(40)]
    assert np.mean(np.array(p) < 0.05) < 0.2


@pytest.mark.parametrize("names", [("alpha", "zeta"), ("zeta", "alpha")])
def test_of_two_systems_by_votes_the_better_stands_first_whatever_it_is_called(names):
    better, worse = names
    columns = {"model_a": [better] * 60, "model_b": [worse] * 60, "winner": ["model_a"] * 45 + ["model_b"] * 15}
    found = q.compare(pl.DataFrame(columns))
    assert (found.a, found.outcome.value, found.exit_code) == (better, "better", 0)


def test_all_pairs_say_for_whom_they_hold_and_how_many_do_for_others():
    rng = np.random.default_rng(5)
    cells = [
        (s, i, j, float(10 * k + rng.normal())) for k, s in enumerate("xyz") for i in range(15) for j in ("u", "v", "w")
    ]
    said = q.compare(scores_table(cells, "system item judge score")).sentence
    assert said.endswith("for all pairs at once, with these 3 judges. For judges like these 3 are told apart.")


def board_of_votes(direct: int, seed: int = 2) -> q.Votes:
    """500 votes on x and y against z, of which x wins more, and some between x and y."""
    rng = np.random.default_rng(seed)
    sides = [("x", "z")] * 250 + [("y", "z")] * 250 + [("x", "y")] * direct
    chance = {("x", "z"): 0.85, ("y", "z"): 0.6, ("x", "y"): 0.5}
    rows = [(k, a, b, "model_a" if rng.random() < chance[a, b] else "model_b") for k, (a, b) in enumerate(sides)]
    frame = pl.DataFrame(rows, schema=["prompt", "model_a", "model_b", "winner"], orient="row")
    return q.read_votes(frame, announce=False)


def test_of_two_systems_among_more_it_is_said_which_votes_speak_and_what_all_of_them_say():
    votes = board_of_votes(20)
    found, board = q.compare(votes, "x", "y"), q.rank(votes)
    assert (found.difference.n, found.outcome.value, found.on_board.outcome.value) == (20, "undecided", "better")
    gap = board.difference("x", "y")
    assert (found.on_board.share, found.on_board.low, found.on_board.high) == tuple(
        map(board.share, (gap.value, *gap.at(0.95).ends))
    )
    assert "Only the votes between the two speak here; by all 520 on 3 systems" in found.sentence
    assert found.sentence.endswith("and the answer is another: better.")
    assert q.analyze(votes, "x", "y").verdict.on_board == found.on_board
    assert found.to_dict()["on_board"]["outcome"] == "better"


def test_of_two_systems_alone_no_other_votes_are_spoken_of():
    found = q.compare(board_of_votes(200).pair("x", "y"), "x", "y")
    assert found.on_board is None
    assert "Only the votes" not in found.sentence


def test_two_systems_that_never_met_are_referred_to_the_board():
    with pytest.raises(q.InvalidInput, match=r"no vote compares.*rank, and compare without names"):
        q.compare(board_of_votes(0), "x", "y")


@pytest.mark.parametrize(("seed", "n"), [(2, 254), (42, 44), (47, 47)])
def test_with_ties_as_halves_an_interval_leaves_out_no_difference_only_where_the_verdict_does(seed, n):
    """By its errors alone each began above one half, beside a sign test that left it open."""
    rng = np.random.default_rng(seed)
    rng.integers(20, 300)
    won = np.where(rng.random(n) < 0.1, "tie", np.where(rng.random(n) < 0.57, "model_a", "model_b"))
    columns = {"prompt": [*range(n)], "model_a": ["x"] * n, "model_b": ["y"] * n, "winner": won}
    found = q.compare(q.read_votes(pl.DataFrame(columns), announce=False), "x", "y", ties="half")
    assert found.outcome is Outcome.UNDECIDED
    assert found.estimate.low == 0.0 < found.estimate.high
