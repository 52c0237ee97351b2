from __future__ import annotations

import polars as pl
import pytest

from quorate.analysis.pair import pair_view
from quorate.reporting import votes_pair_section as section
from quorate.reporting.verdict_captions import headline
from quorate.table.read_votes import read_votes


@pytest.fixture(scope="module")
def votes():
    """Three systems: x is far behind, y and z are nearly tied; votes of a prompt come in twos that agree."""
    rows = [
        (a, b, b if i // 2 % 10 < wins else a, f"p{i // 2}")
        for a, b, wins in (("x", "y", 8), ("y", "z", 5), ("x", "z", 8))
        for i in range(400)
    ]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "winner", "prompt"], orient="row")
    return read_votes(frame, announce=False)


def test_the_verdict_comes_before_all_pairs(votes):
    first, second, *_ = section.pair_sections(pair_view(votes, "x", "y"))
    assert (first.name, second.name) == ("verdict", "margins")
    assert first.text[0].startswith("x is worse than y: x wins 20.0% of 400 decisive votes")
    assert [figure.name for figure in first.figures] == ["verdict"]


def test_without_other_pairs_the_reason_is_said(votes):
    parts = section.pair_sections(pair_view(votes, "x", "y", minimum=1000))
    assert [part.name for part in parts] == ["verdict", "margins", "health"]
    assert parts[1].text[0].startswith("All pairs are not compared: ")


def test_what_would_decide_is_a_table_with_prices(votes):
    verdict = pair_view(votes, "y", "z", margin=0.03, budget=1000, price=0.5).verdict
    likely, least, own = section.steps(verdict)
    assert likely["votes"] == verdict.next_step.votes
    assert likely["price"] == pytest.approx(verdict.next_step.cost)
    assert least["assumed"] == "0"
    assert own["study"] == "of your budget shows equivalence"
    assert own["assumed"].endswith((" or less", "no margin"))
    assert (own["votes"], own["price"]) == (1000, 500)
    (figure,) = [one for one in section.pair_sections(pair_view(votes, "y", "z"))[0].figures if one.name == "verdict"]
    assert figure.caption.finding == "The interval for y includes one half: undecided"
    assert section.steps(pair_view(votes, "x", "y").verdict) == []


def test_every_way_to_count_has_its_interval_and_outcome(votes):
    asked, other = section.ways(pair_view(votes, "y", "x", margin=0.05))
    assert asked["way"] == "votes independent"
    assert other["way"] == "by prompt"
    assert asked["low"] < asked["wins"] < asked["high"]
    assert other["outcome"] == "better"
    assert other["p_equal"] > 0.9


@pytest.mark.parametrize(
    ("a", "b", "margin", "says"),
    [
        ("y", "x", None, "y is better than x"),
        ("x", "y", None, "x is worse than y"),
        ("y", "z", None, "Undecided whether y or z is preferred, which is no sign that they are alike"),
        ("y", "z", 0.2, "y and z are equivalent within a margin of 0.2"),
    ],
)
def test_the_headline_is_the_outcome_alone(votes, a, b, margin, says):
    verdict = pair_view(votes, a, b, margin=margin).verdict
    assert headline(verdict) == says
    assert section.summary(verdict)[0]["value"] == verdict.outcome.value


def test_equivalence_is_shown_by_the_interval_that_it_rests_on(votes):
    view = pair_view(votes, "y", "z", margin=0.2)
    finding = section.pair_sections(view)[0].figures[0].caption.finding
    assert finding == "The 90% interval for y, 45.8% to 54.2%, lies within what counts as equal"


def test_a_budget_that_would_find_a_difference_says_which(votes):
    frame = pl.DataFrame({"model_a": ["x"] * 100, "model_b": ["y"] * 100, "winner": ["x"] * 55 + ["y"] * 45})
    verdict = pair_view(read_votes(frame, announce=False), "x", "y", budget=500).verdict
    assert section.steps(verdict)[2] == {
        "study": "of your budget shows a difference",
        "assumed": f"{verdict.next_step.seen_by_budget:.3f} or more",
        "votes": 500,
    }


def test_the_chart_is_drawn_with_the_margin_of_equivalence(votes):
    import vl_convert

    figure = section.pair_sections(pair_view(votes, "y", "z", margin=0.05))[0].figures[0]
    drawn = vl_convert.vegalite_to_svg(figure.chart.to_dict())
    assert "NaN" not in drawn
    assert drawn.count("stroke-dasharray") == 3
    assert figure.caption.lines[-1].startswith("Dotted: shares that count as equal, 0.45 to 0.55 (p = ")


def test_tile_and_sentence_round_alike():
    rows = pl.DataFrame({"model_a": ["x"], "model_b": ["y"], "a": [5_000_000], "b": [5_004_000]})
    view = pair_view(read_votes(rows, wins=["a", "b"], announce=False), "x", "y", cluster=None)
    _, share, seen = section.summary(view.verdict)
    assert share["value"] == "49.980%"
    said = section.pair_sections(view)[0].text[0]
    assert f"x wins {share['value']} of 10,004,000 decisive votes" in said
    assert f"a margin of {seen['value']} or more" in said


def test_nothing_in_a_caption_is_an_order(votes):
    lines = section.pair_sections(pair_view(votes, "y", "z"))[0].figures[0].caption.lines
    assert "Where outcomes differ, the verdict rests on how votes are counted." in lines
