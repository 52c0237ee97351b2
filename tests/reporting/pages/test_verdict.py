from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest
from charts import image
from tables import scores_table, votes_table

import quorate as q
from quorate.reporting.pages.verdict import (
    all_pairs_page,
    compared,
    interval,
    methods,
    next_step,
    page,
    sections,
    sources,
    why_detectable,
)
from quorate.reporting.report import page_of
from quorate.wording import margin


@pytest.fixture(scope="module")
def close(ballots):
    """An undecided verdict of votes."""
    return q.compare(ballots(each=20, spread=0.2), "a", "b")


@pytest.fixture(scope="module")
def scored(rated):
    """A verdict of scores, with a margin."""
    return q.compare(rated(), "system 0", "system 2", margin=0.1)


@pytest.fixture(scope="module")
def open_scores(rated):
    """An undecided verdict of scores, with prices."""
    return q.compare(rated(gap=0.1, favour=0.05, judges=6), "system 0", "system 1", prices={"call": 0.5})


def names(found):
    return [part.name for part in sections(found)]


@pytest.mark.wide(2)
@pytest.mark.parametrize(
    ("systems", "margin", "says"),
    [
        ((0, 2), None, "system 0 is better than system 2"),
        ((2, 0), None, "system 2 is worse than system 0"),
        ((0, 2), 5.0, "system 0 and system 2 are equivalent within 5"),
    ],
)
def test_the_page_begins_with_the_outcome(rated, systems, margin, says):
    found = q.compare(rated(), *(f"system {one}" for one in systems), margin=margin)
    assert page(found).sentence.startswith(says)


@pytest.mark.slow
def test_what_would_decide_is_there_while_it_is_open(ballots, close, scored, open_scores):
    assert names(q.compare(ballots(), "a", "c")) == ["verdict"]
    assert names(close) == ["verdict", "next"]
    assert names(scored) == ["verdict", "items", "sources"]
    assert names(open_scores) == ["verdict", "next", "items", "sources"]


def test_that_nothing_would_is_said():
    frame = pl.DataFrame({"model_a": ["x"] * 2, "model_b": ["y"] * 2, "winner": ["x", "y"]})
    _, step = sections(q.compare(q.read_votes(frame, announce=False), "x", "y"))
    assert step.figures == ()
    assert step.text[0].startswith("Nothing that could be bought would")


def test_where_the_interval_lies(scored):
    figure = interval(scored)
    assert figure.caption.finding == "The 95% interval excludes zero: better"
    assert figure.caption.lines[0] == "Mean score of system 0 less that of system 2."
    assert figure.caption.lines[2].startswith("Dotted: what counts as equal, -0.1 to 0.1 (p = ")
    assert [row["interval"] for row in figure.rows] == ["this setup", "others like it", "90% interval, for equivalence"]
    assert figure.rows[0]["low"] < figure.rows[2]["low"]
    assert (figure.rows[0]["low"], figure.rows[0]["high"]) == scored.estimate.ends


def test_votes_are_shown_as_shares(ballots):
    found = q.compare(ballots(), "a", "b")
    (row,) = interval(found).rows
    assert row["value"] == pytest.approx(0.5 + found.difference.value)


def test_equivalence_is_shown_by_the_interval_that_it_rests_on():
    rows = pl.DataFrame({"model_a": ["x"], "model_b": ["y"], "a": [200], "b": [200]})
    found = q.compare(q.read_votes(rows, wins=["a", "b"], announce=False), "x", "y", margin=0.2)
    finding = interval(found).caption.finding
    assert finding == "The 90% interval, 45.8% to 54.2%, lies within what counts as equal"


@pytest.mark.parametrize("margin", [None, 0.04])
def test_the_difference_with_what_counts_as_equal(ballots, rated, margin):
    for found in (
        q.compare(ballots(), "a", "b", margin=margin),
        q.compare(rated(), "system 0", "system 1", margin=margin, limits={"items": [50, 500], "judges": [4, 8]}),
    ):
        assert image(interval(found)).count("stroke-dasharray") == (1 if margin is None else 3)


def test_hostile_names_are_drawn(ballots, hostile):
    assert "<img" not in image(interval(q.compare(ballots(hostile), hostile[0], hostile[1])))


def test_where_the_uncertainty_comes_from(rated):
    figure = sources(q.compare(rated(favour=0.6), "system 0", "system 1", targets={"judge": "population"}))
    assert figure.rows[0]["source"] == "judge"
    assert sum(row["share_of_variance"] for row in figure.rows) == pytest.approx(1)
    assert "of the uncertainty of the difference comes from judge" in figure.caption.finding
    assert ">judge</text>" in image(figure)


def test_votes_that_would_decide(close):
    figure = next_step(close)
    assert "would find a difference, if the margin is " in figure.caption.finding
    assert [set(row) for row in figure.rows] == [{"study", "assumed", "votes"}] * 2


def test_votes_that_would_decide_have_prices():
    rows = [("y", "z", "y" if i // 2 % 10 < 5 else "z", f"p{i // 2}") for i in range(400)]
    found = q.compare(votes_table(rows, "model_a model_b winner prompt"), "y", "z", margin=0.03, budget=1000, price=0.5)
    likely, least, own = next_step(found).rows
    assert likely["votes"] == found.next_step.votes
    assert likely["price"] == pytest.approx(found.next_step.cost)
    assert least["assumed"] == "0"
    assert own["study"] == "of your budget shows equivalence"
    assert own["assumed"].endswith((" or less", "no margin"))
    assert (own["votes"], own["price"]) == (1000, 500)


def test_a_budget_that_would_find_a_difference_says_which():
    frame = pl.DataFrame({"model_a": ["x"] * 100, "model_b": ["y"] * 100, "winner": ["x"] * 55 + ["y"] * 45})
    found = q.compare(q.read_votes(frame, announce=False), "x", "y", budget=500)
    assert next_step(found).rows[2] == {
        "study": "of your budget shows a difference",
        "assumed": f"{found.next_step.seen_by_budget:.3f} or more",
        "votes": 500,
    }


def test_the_study_of_scores_that_would_decide(open_scores, scored):
    figure = next_step(open_scores)
    said = {row["what"]: row["value"] for row in figure.rows}
    assert said["judgments of both"] == open_scores.next_step.calls
    assert {"items", "judges", "layout", "price", "chance"} <= set(said)
    assert figure.caption.lines[0].startswith("A new study of ")
    assert next_step(scored) is None


def test_why_a_detectable_difference_is_far_beyond_the_interval(scored, close):
    low, high = scored.difference.at(scored.level).ends

    def seen(value):
        made = replace(scored)
        made.__dict__["detectable"] = value
        return made

    far = seen(3 * (high - low) / 2)
    said = why_detectable(far)
    assert said.startswith("The smallest difference is that of new studies of this design, ")
    assert compared(far).caption.lines == (said,)
    for near in (seen(high - low), seen(None), close):
        assert why_detectable(near) == ""


def test_what_was_compared(ballots, scored):
    figure = compared(q.compare(ballots(), "a", "b", margin=0.05))
    said = {row["what"]: row["value"] for row in figure.rows}
    assert (said["votes that count"], said["outcome"]) == (60, "better")
    assert said["share of votes for the first, 95% interval"].startswith("73.3%, ")
    assert "p of a margin that large" in said
    assert figure.caption.finding == "What was compared: a and b"
    said = {row["what"]: row["value"] for row in compared(scored).rows}
    assert (said["first system"], said["items"], said["method"]) == ("system 0", 40, "paired")


def test_a_difference_by_one_model_is_not_said_to_be_that_of_the_means():
    """Half of the items are those of one system alone, and easy."""
    rows = [("x", i, 5 + 4 * (i > 9) + (7 * i) % 5 / 9) for i in range(20)]
    rows += [("y", i, 5 + (11 * i) % 7 / 9) for i in range(10)]
    found = q.compare(pl.DataFrame(rows, schema=["system", "item", "score"], orient="row"), "x", "y")
    said = {row["what"]: str(row["value"]) for row in compared(found).rows}
    own = [float(said[f"mean of {side}'s own scores, 95% interval"].split(",")[0]) for side in "xy"]
    assert own[0] - own[1] > 2 * float(said["difference, by one model of both, 95% interval"].split(",")[0])
    assert not any("difference of the means" in what for what in said)


def test_what_is_said_around_the_figures(scored):
    page = page_of(scored)
    assert page.title == "system 0 against system 2"
    assert page.options == "level 0.95, power 0.9, margin 0.1"


@pytest.mark.slow
def test_shares_near_one_half_are_told_from_it():
    rows = pl.DataFrame({"model_a": ["x"], "model_b": ["y"], "a": [5_000_000], "b": [5_004_000]})
    found = q.compare(q.read_votes(rows, wins=["a", "b"], announce=False), "x", "y")
    assert "x wins 49.980% of 10,004,000 decisive votes" in found.sentence
    assert f"a margin of {margin(found.detectable)} or more" in found.sentence


@pytest.mark.slow
def test_methods_of_scores(rated, scored):
    said = methods(scored)
    assert "by 160 pairs of scores on 40 items, paired in shared cells" in said
    assert "Equivalence is a difference below 0.1 either way" in said
    joint = methods(q.compare(rated(), "system 0", "system 2", method="joint"))
    assert "by 320 scores on 40 items, by one model for the scores of both" in joint


def test_methods_of_votes(ballots):
    said = methods(q.compare(ballots(), "a", "b"))
    assert "by 60 votes, with an exact 95% interval (Clopper and Pearson, 1934) and an exact two-sided" in said
    assert "No margin of equivalence was stated." in said


@pytest.fixture(scope="module")
def verdicts_found():
    """x beats y and z by far; y and z are close, on 40 prompts by 6 judges of whom one voted on few."""
    rows = []
    for a, b, wins in (("x", "y", 36), ("x", "z", 33), ("y", "z", 21)):
        for judge in range(6):
            prompts = range(40 if judge else wins // 5)
            rows += [(f"p{n}", f"j{judge}", a, b, a if (7 * n + judge) % 40 < wins else b) for n in prompts]
    return q.compare(votes_table(rows, "prompt judge model_a model_b winner"), margin=0.05)


def test_every_pair_is_a_row_the_largest_difference_first(verdicts_found):
    (section,) = all_pairs_page(verdicts_found).sections
    (figure,) = section.figures
    assert [row["pair"] for row in figure.rows] == ["x against y", "x against z", "z against y"]
    for row, pair in zip(figure.rows, sorted(verdicts_found.pairs, key=lambda one: -abs(one.value - 0.5)), strict=True):
        assert [row[name] for name in ("value", "low", "high")] == [pair.value, pair.low, pair.high]
    assert figure.caption.finding.startswith("2 of 3 pairs")
    assert len(figure.chart()["layer"]) > 3  # no difference, both edges of equal, and the intervals


def test_all_pairs_have_the_caveats_of_the_board_and_name_the_pair_to_decide(verdicts_found):
    page = all_pairs_page(verdicts_found)
    assert [one.sentence for one in verdicts_found.board.caveats] == list(page.caveats)
    assert page.next_step.command == "quorate compare FILE z y"


@pytest.mark.slow
def test_equal_systems_of_scores_are_not_told_apart():
    rows = [(s, i, j, (i * 7 + j * 3 + k) % 5) for k, s in enumerate("xyz") for i in range(12) for j in range(3)]
    scores = scores_table(rows, "system item judge score")
    made = all_pairs_page(q.compare(scores))
    assert "0 are told apart" in made.sentence
    assert "mean score of the first less that of the second" in made.sections[0].figures[0].caption.lines[0].casefold()
