from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from tables import scores_table, votes_table

import quorate as q
from quorate.decide.anytime import anytime_difference, anytime_mean
from quorate.decide.compare import compare
from quorate.decide.outcome import Outcome
from quorate.decide.stop import monitor, monitor_all, stopping_rule
from quorate.errors import InvalidInput, NotEstimable
from quorate.numerics.sequential.confidence_sequence import bounded_mean
from quorate.table.read_votes import read_votes


def test_it_stops_at_the_first_look_that_decides(between):
    found = monitor(between(40, 0), "x", "y")
    assert found.outcome is Outcome.BETTER
    assert found.evidence[found.stopped - 1] >= np.log(20) > found.evidence[found.stopped - 2]
    worse = monitor(between(40, 0), "y", "x")
    assert worse.outcome is Outcome.WORSE
    assert (found.exit_code, worse.exit_code) == (0, 2)
    assert found.p_value <= 0.05


def test_it_goes_on_while_undecided(between):
    found = monitor(between(3, 2), "x", "y")
    assert (found.outcome, found.stopped, found.exit_code) == (Outcome.UNDECIDED, None, 2)
    assert found.sentence.startswith("Go on: undecided whether x or y is preferred; x wins 60.0% of 5 votes")


def test_equivalence_only_with_a_margin(between):
    order = {"time": [float(i % 500) for i in range(1000)]}
    votes = between(500, 500, **order)
    assert monitor(votes, "x", "y").outcome is Outcome.UNDECIDED
    assert monitor(votes, "x", "y", margin=0.1).outcome is Outcome.EQUIVALENT


def test_votes_are_taken_in_the_order_of_their_time(between):
    found = monitor(between(2, 2, time=[3.0, 4.0, 1.0, 2.0]), "x", "y")
    assert found.wins.tolist() == [0, 0, 1, 2]


def test_votes_that_share_a_judge_are_looked_at_seldom_and_by_clusters(between):
    """29 to 21, 52 to 48 and 130 to 70: the third look decides, and 30 more votes are not counted."""
    rng, won = np.random.default_rng(1), []
    for x, y in ((29, 21), (23, 27), (78, 22), (0, 30)):
        won += rng.permutation(["x"] * x + ["y"] * y).tolist()
    columns = {
        "model_a": ["x"] * 230,
        "model_b": ["y"] * 230,
        "winner": won,
        "judge": [f"j{i % 20}" for i in range(230)],
    }
    found = monitor(read_votes(pl.DataFrame(columns), announce=False), "x", "y")
    assert found.n.tolist() == [50, 100, 200]
    assert found.cluster == ("judge",)
    first = pl.DataFrame({name: column[:200] for name, column in columns.items()})
    last = compare(read_votes(first, announce=False), "x", "y")
    assert np.exp(-found.evidence[-1]) == pytest.approx(last.p_difference * 12)
    assert (found.low[-1], found.high[-1]) == pytest.approx(last.difference.at(1 - 0.05 / 12).ends)
    assert [one.code for one in found.caveats] == [one.code for one in last.caveats]
    assert (found.outcome, found.left) == (Outcome.BETTER, 30)


@pytest.mark.parametrize("cluster", [(), "judge"])
def test_votes_after_the_stop_are_counted_but_not_as_evidence(between, cluster):
    """80 votes for x, then 120 for y: the claim stands as it was made, and no number is of what came later."""
    labels = [f"j{i % 20}" for i in range(200)]
    found = monitor(between(80, 120, judge=labels), "x", "y", cluster=cluster)
    at = 50 if cluster else 16
    assert (found.outcome, found.n[-1], found.left, len(found.n)) == (Outcome.BETTER, at, 200 - at, found.stopped)
    assert f"100.0% of {at} votes" in found.sentence
    assert found.sentence.endswith(
        f"{200 - at} votes after that are not counted: the claim was made at the stop, and what they say is no "
        "evidence for it."
    )
    early = monitor(between(at, 0, judge=labels[:at]), "x", "y", cluster=cluster)
    plain = found.to_dict()
    assert plain["left"] == 200 - at
    for name in ("n", "wins", "low", "high", "p_value"):
        assert plain[name] == early.to_dict()[name]
    assert len(found.rows()) == len(early.rows())


def test_votes_that_wait_for_the_next_look_are_said(between):
    waiting = monitor(between(60, 60, judge=[f"j{i % 10}" for i in range(120)], time=TURNS), "x", "y")
    assert waiting.left == 20
    assert "20 votes after that are not counted yet. The next look is at 200 votes." in waiting.sentence


TURNS = [*range(0, 120, 2), *range(1, 120, 2)]
"""Of 60 votes for either system, one after the other."""


def test_before_the_first_look_nothing_is_known(between):
    found = monitor(between(20, 0, judge=[f"j{i % 10}" for i in range(20)]), "x", "y")
    assert (found.outcome, found.n.tolist(), found.p_value) == (Outcome.UNDECIDED, [20], 1)
    assert found.sentence.endswith("The next look is at 50 votes.")
    later = monitor(between(60, 60, judge=[f"j{i % 10}" for i in range(120)], time=TURNS), "x", "y")
    assert later.sentence.endswith("The next look is at 200 votes.")


def test_one_judge_so_far_says_nothing_of_others(between):
    found = monitor(between(200, 0, judge=["a"] * 60 + [f"j{i % 7}" for i in range(140)]), "x", "y")
    assert (found.low[0], found.high[0], found.evidence[0]) == (-0.5, 0.5, 0)


def test_votes_are_independent_only_if_that_is_said(between):
    votes = between(40, 0, judge=[f"j{i % 10}" for i in range(40)])
    found = monitor(votes, "x", "y", cluster=())
    assert len(found.n) + found.left == 40
    assert [one.code for one in found.caveats] == ["taken-as-independent"]


def test_ties_count_as_asked(between):
    votes = between(2, 0, 2)
    assert monitor(votes, "x", "y", ties="half").wins.tolist() == [1, 2, 2.5, 3]
    assert len(monitor(votes, "x", "y").n) == 2


@pytest.mark.slow
def test_stopping_rule_is_never_wrong_more_often_than_promised():
    rule = stopping_rule(0, 2000)
    assert rule.found <= 0.05
    assert rule.peeking > 0.4
    assert stopping_rule(0.1, 2000).expected < stopping_rule(0.1, 2000).fixed


def test_refusals(between):
    with pytest.raises(InvalidInput, match="tuned"):
        monitor(between(3, 2), "x", "y", tuned=0)
    with pytest.raises(InvalidInput, match="most"):
        stopping_rule(0.1, 10**6)
    with pytest.raises(InvalidInput, match="single votes"):
        monitor(between(1, 1, count=[3, 2]), "x", "y")
    with pytest.raises(NotEstimable, match="none between"):
        monitor(between(0, 0, 3), "x", "y")


# Standings: every pair at one level, ranks that the orders leave open, and what is refused.


def board(shares, n, seed=1, **more):
    """Votes on every two systems in turn; ``shares`` by pair for the first."""
    rng, rows = np.random.default_rng(seed), []
    for _ in range(n):
        for (a, b), share in shares.items():
            rows.append({"model_a": a, "model_b": b, "winner": "model_a" if rng.random() < share else "model_b"})
    frame = pl.DataFrame(rows)
    return read_votes(frame.with_columns(**more) if more else frame, announce=False)


CLEAR = {("x", "y"): 0.9, ("y", "z"): 0.55, ("x", "z"): 0.95}


@pytest.fixture(scope="module")
def votes():
    return board(CLEAR, 60)


@pytest.fixture(scope="module")
def found(votes):
    return monitor_all(votes)


def test_every_pair_is_watched_at_the_level_that_they_share(votes, found):
    own = {(one.a, one.b): one for one in found.monitors}
    assert found.pairs == 3
    for pair, one in own.items():
        alone = monitor(votes, *pair, level=1 - 0.05 / 3)
        assert one.outcome is Outcome.UNDECIDED or one.p_value <= 0.05 / 3
        assert (one.outcome, one.stopped, one.level) == (alone.outcome, alone.stopped, alone.level)
        assert one.low == pytest.approx(alone.low)
    assert found.ordered == (("x", "y"), ("x", "z"))
    assert found.ranks == {"x": (1, 1), "y": (2, 3), "z": (2, 3)}
    assert (found.undecided, found.exit_code) == (1, 2)
    assert "2 are in a known order and 1 is undecided. x is first. The chance that anything" in found.sentence


def test_a_board_that_may_grow_pays_for_all_its_pairs(votes):
    grown = monitor_all(votes, systems=10)
    assert grown.pairs == 45
    assert all(one.level == pytest.approx(1 - 0.05 / 45) for one in grown.monitors)
    assert all(one.stopped is None or one.stopped > 10 for one in grown.monitors)


def test_pairs_with_too_few_votes_are_undecided_and_cost_nothing():
    seldom = board({("x", "y"): 0.9}, 60).rows
    frame = {"model_a": ["x"] * 60 + ["z"] * 4, "model_b": ["y"] * 60 + ["x"] * 4, "winner": ["model_a"] * 64}
    some = monitor_all(read_votes(pl.DataFrame(frame), announce=False))
    assert seldom == 60
    assert (len(some.monitors), some.few, some.undecided) == (1, 2, 2)
    assert some.ranks == {"x": (1, 2), "y": (2, 3), "z": (1, 3)}


def test_no_order_is_decided_by_fewer_votes_than_those_that_are_passed_over():
    """One vote less than the least, all for one system, decides nothing."""
    from quorate.decide.stop import _least

    for alpha in (0.05, 0.001, 1e-5):
        least = _least(alpha, 0.1)
        frame = {"model_a": ["x"] * least, "model_b": ["y"] * least, "winner": ["model_a"] * least}
        whole = read_votes(pl.DataFrame(frame), announce=False)
        assert monitor(whole, "x", "y", level=1 - alpha).outcome is Outcome.BETTER
        fewer = whole.keep(np.arange(least) < least - 1)
        assert monitor(fewer, "x", "y", level=1 - alpha).outcome is Outcome.UNDECIDED


def test_equal_systems_are_equivalent_within_a_margin():
    alike = monitor_all(board({("x", "y"): 0.5, ("y", "z"): 0.5, ("x", "z"): 0.5}, 900), margin=0.15)
    assert [one.outcome for one in alike.monitors] == [Outcome.EQUIVALENT] * 3
    assert (alike.undecided, alike.exit_code, alike.ordered) == (0, 0, ())
    assert "3 are equivalent and 0 are undecided" in alike.sentence


def test_it_is_plain_and_has_a_row_per_system(found):
    plain = json.loads(json.dumps(found.to_dict()))
    assert [row["system"] for row in plain["systems"]] == ["x", "y", "z"]
    assert {row["outcome"] for row in plain["verdicts"]} == {"better", "undecided"}
    assert len(found.to_frame()) == 3


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"systems": 2}, "systems: a number at least 3, which is how many there are"),
        ({"systems": 2.5}, "systems"),
        ({"level": 0.3}, "level: must lie between 0.5 and 1"),
        ({"tuned": 0}, "tuned"),
    ],
)
def test_what_is_out_of_range_is_refused(votes, options, line):
    with pytest.raises(InvalidInput, match=line):
        monitor_all(votes, **options)


def test_decided_pairs_leave_more_to_the_others():
    """x beats y and z at once; y against z has evidence between 1 over .05 / 3 and 1 over .05 / 2."""
    order = [("x", "y", 60, 0), ("x", "z", 60, 0), ("y", "z", 32, 9)]
    rows = [(a, b, name) for a, b, won, lost in order for name in [a, b] * lost + [a] * (won - lost)]
    votes = votes_table(rows, "model_a model_b winner")
    evidence = monitor(votes, "y", "z", level=1 - 1e-9).p_value
    assert 0.05 / 3 < evidence <= 0.05 / 2
    found = monitor_all(votes)
    assert (found.ordered, found.undecided) == ((("x", "y"), ("x", "z"), ("y", "z")), 0)
    assert found.monitors[-1].level == pytest.approx(1 - 0.05 / 2)
    assert [list(row.values()) for row in found.rows()] == [["x", 1, 1, 2, 0], ["y", 2, 2, 1, 1], ["z", 3, 3, 0, 2]]
    assert monitor_all(votes, margin=0.01).undecided == 1
    assert monitor_all(votes, systems=5).undecided == 1


def test_votes_that_suffice_for_what_decided_pairs_leave_are_watched_from_the_start():
    """19 votes for one system decide at .05 / 3, 18 at .05 / 2."""
    for least, left in ((18, 0), (17, 1)):
        pairs = [("x", "y")] * 60 + [("x", "z")] * 60 + [("y", "z")] * least
        rows = [(a, b, a) for a, b in pairs]
        votes = votes_table(rows, "model_a model_b winner")
        assert monitor_all(votes).undecided == left


def test_a_p_value_that_was_reached_stays(between):
    early, later = monitor(between(8, 0), "x", "y"), monitor(between(8, 8), "x", "y")
    assert later.evidence[-1] < later.evidence.max()
    assert later.p_value == pytest.approx(early.p_value)


# Intervals for items one after the other: the sequence of `bounded_mean`, over items and differences of items.


ITEMS = 80


@pytest.fixture(scope="module")
def table():
    """Amber is better by 2, give or take 1, on items that the two share; a judge is left out of some."""
    rows = [
        {"item": f"i{i:02}", "system": name, "judge": judge, "score": 5.0 + 2 * (name == "amber") + (i % 3 - 1) * sign}
        for i in range(ITEMS)
        for name, sign in (("amber", 1), ("basalt", 0))
        for judge in "mn"[: 1 + (i % 4 > 0)]
    ]
    return q.read(pl.DataFrame(rows), announce=False)


def test_every_item_counts_once(table):
    found = anytime_mean(table, (1, 9))
    means = [(5.0 + 7.0 + (i % 3 - 1)) / 2 for i in range(ITEMS)]
    share = [(mean - 1) / 8 for mean in means]
    mean = sum(share) / ITEMS
    low, high = bounded_mean(ITEMS, mean, sum((one - mean) ** 2 for one in share), 0.05)
    assert (found.value, found.items) == (pytest.approx(sum(means) / ITEMS), ITEMS)
    assert (found.low, found.high) == pytest.approx((1 + 8 * float(low), 1 + 8 * float(high)))


def test_scores_of_an_item_count_alike_whoever_gave_them():
    rows = [(i, judge, take, score) for i in range(6) for judge, take, score in (("a", 0, 4), ("b", 0, 7), ("b", 1, 7))]
    assert anytime_mean(scores_table(rows, "item judge replicate score"), (1, 9)).value == pytest.approx(6)


def test_a_difference_is_decided_in_both_directions(table):
    better, worse = (anytime_difference(table, *pair, (1, 9)) for pair in (("amber", "basalt"), ("basalt", "amber")))
    assert (better.outcome, worse.outcome) == (Outcome.BETTER, Outcome.WORSE)
    assert (better.value, better.items) == (pytest.approx(2 - 1 / ITEMS), ITEMS)
    share = (2 + np.arange(ITEMS) % 3 - 1 + 8) / 16
    ends = bounded_mean(ITEMS, share.mean(), ((share - share.mean()) ** 2).sum(), 0.05)
    assert (better.low, better.high) == pytest.approx(tuple(16 * float(end) - 8 for end in ends))
    assert (better.low, better.high) == pytest.approx((-worse.high, -worse.low))
    few = table.keep(table.column("item") < 5)
    assert anytime_difference(few, "amber", "basalt", (1, 9)).outcome is Outcome.UNDECIDED


def test_what_cannot_be_compared_is_said(table):
    alone = (table.column("item") % 2 == 0) == (table.column("system") == 0)
    with pytest.raises(NotEstimable, match="no item has scores of both"):
        anytime_difference(table.keep(alone), "amber", "basalt", (1, 9))
    with pytest.raises(InvalidInput, match="scores are from 1 to 5"):
        anytime_mean(table, (1, 5))
    none = anytime_mean(table.keep(table.n < 0), (1, 9))
    assert (none.items, none.low, none.high) == (0, 1, 9)
