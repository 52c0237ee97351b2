from __future__ import annotations

import json
from dataclasses import replace

import pytest
from under_way import scored, voted

import quorate as q
from quorate.analysis.goals.path import GoalPath
from quorate.decide.goals.goal import Spent
from quorate.decide.goals.look import Contest, Ending, Look, Power
from quorate.reporting.pages.interim import estimates, methods, page, path_section


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return q.interim(scored(tmp_path_factory.mktemp("study"), calls=60, items=16))


def test_the_curve_has_every_look_and_both_intervals(found):
    figure = estimates(found)
    assert [row["n"] for row in figure.rows] == [look.n for look in found.looks]
    spec = figure.chart()
    marks = [layer["mark"]["type"] for layer in spec["layer"]]
    assert marks == ["area", "line", "line", "line"]
    assert "NaN" not in json.dumps(spec)
    assert figure.headers["always_low"] == "low, to decide by"


@pytest.mark.parametrize(
    ("spending", "said"),
    [("late", "O'Brien and Fleming 1979)."), ("early", "Pocock 1977)."), (None, "one analysis was narrow enough.")],
)
def test_methods_say_how_rounds_were_analysed(found, spending, said):
    path = GoalPath("which is better", (), "calls", 400.0, spending=spending)
    assert methods(replace(found, path=path)).endswith(said)


def test_one_look_is_no_curve(found):
    assert estimates(type(found)(found.status, "scores", 0.95, found.looks[:1])).chart is None


@pytest.fixture(scope="module", params=["scored", "voted"])
def interim_page_found(request, found, tmp_path_factory):
    if request.param == "scored":
        return page(found)
    return page(q.interim(voted(tmp_path_factory.mktemp("study"), calls=60, items=16)))


def test_what_is_on_it(interim_page_found):
    names = [section.name for section in interim_page_found.sections]
    decided = "share of votes" in interim_page_found.sentence  # 60 votes of two judges decide, 60 scores do not
    parts = ["progress", "estimate", "decided", *([] if decided else ["next"]), "agreement"]
    assert [name for name in names if name != "sources"] == parts
    progress = interim_page_found.sections[0].figures[0]
    assert [row["judge"] for row in progress.rows] == ["m", "n"]
    assert sum(row["answered"] for row in progress.rows) == 60
    assert interim_page_found.tiles[0].label.startswith("of 64 cells finished (94%)")
    agreement = interim_page_found.sections[-1].figures[0]
    assert agreement.caption.finding.startswith("Answers of two of the models")
    assert not any(text.endswith("..") for section in interim_page_found.sections for text in section.text)


def look(number, half, money=0.0, **more):
    own = {"judgments": 10, "value": 0.2, "se": 0.1, "df": 9.0, "fraction": number / 3, "alpha": 0.02, "bound": 2.0}
    return Look(number, 3, spent=Spent(100 * number, money), low=0.2 - half, high=0.2 + half, **own, **more)


def test_every_look_is_there_and_the_range_that_counts_as_equal():
    equal = {"equal_bound": 1.7, "equal_low": 0.1, "equal_high": 0.18}
    looks = (look(1, 9.0, 1.0), look(2, 0.15, 2.0, ending=Ending.REACHED, **equal))
    found = path_section(GoalPath("which is better", looks, "money", 40.0, 0.2, 3.0))
    assert found.text[0] == "Goal: which is better."
    assert "would have cost 3.00 in money" in found.text[2]
    path, bounds = found.figures
    assert path.caption.finding == "Difference 0.200, 0.050 to 0.350, after 2.00 in money"
    assert [row["money"] for row in path.rows] == [1.0, 2.0]
    assert [row["equal_bound"] for row in bounds.rows] == [None, 1.7]
    spec = path.chart()
    assert [layer["mark"]["type"] for layer in spec["layer"]] == ["rule"] * 5 + ["line", "text"]
    lows = [row["low"] for rows in spec["datasets"].values() for row in rows if "low" in row]
    assert round(min(lows), 9) == -0.4
    assert "NaN" not in json.dumps(spec)


def test_without_prices_and_a_margin_there_are_calls_and_no_range():
    found = path_section(GoalPath("the mean", (look(1, 0.3, question="mean"),), "calls", 400.0))
    path, bounds = found.figures
    assert "money" not in path.rows[0]
    assert "equal_bound" not in bounds.rows[0]
    assert [layer["mark"]["type"] for layer in path.chart()["layer"]] == ["rule", "line", "text"]
    assert path_section(GoalPath("the mean", (), "calls", 400.0)).figures == ()


def test_two_stages_have_no_curve_and_say_what_was_kept():
    """Their two values are of different categories, and no level is spent on the first."""
    looks = (look(1, 0.5, note="the second stage asks of law"), look(2, 0.15, ending=Ending.REACHED))
    (path,) = path_section(GoalPath("which is preferred", looks, "calls", 400.0, stages=True)).figures
    assert path.chart is None
    assert path.caption.lines[1] == "The second stage asks of law."
    assert "margin of votes" in path.headers.values()


def test_pairs_of_several_systems_are_shown_as_they_were_when_one_dropped_out():
    xy, xz = Contest("x", "y", -0.1, 0.05, 20, 400, 0.01, 2.5), Contest("x", "z", 0.2, 0.05, 20, 400, 0.01, 2.5)
    later = Contest("x", "y", -0.08, 0.02, 90, 2500, 0.025, 2.1)
    looks = (
        look(1, 0.2, contests=(xy, xz), question="margin of votes for x against z"),
        look(2, 0.1, contests=(later,)),
    )
    found = path_section(GoalPath("which is best", looks, "calls", 400.0))
    pairs = found.figures[2]
    assert [(row["system"], row["against"], row["round"], row["statistic"]) for row in pairs.rows] == [
        ("x", "z", 1, 4.0),
        ("y", "x", 2, 4.0),
    ]
    assert [row["of"] for row in found.figures[0].rows] == ["margin of votes for x against z", "difference"]


def test_parts_have_a_table_of_their_own_and_no_common_curve():
    parts = tuple(
        replace(look(2, half, outcome=outcome), question=f"difference on {name}", level=0.975)
        for name, half, outcome in (("prose", 0.15, "better"), ("verse", 0.3, "undecided"))
    )
    looks = (look(1, 0.9, parts=parts), replace(look(2, 0.3), parts=parts, power=Power(0.5, 0.0, 0.8, 0.9)))
    found = path_section(GoalPath("which is better", looks, "calls", 400.0))
    path, each = found.figures
    assert path.chart is None
    assert each.caption.finding == "1 of 2 parts of the goal reached"
    assert each.caption.lines[0].startswith("Intervals at 97.5%, they hold together at that of the goal.")
    assert [(row["part"], row["shown"]) for row in each.rows] == [
        ("difference on prose", "better"),
        ("difference on verse", "undecided"),
    ]
    assert "At look 2, the budget buys a chance of 50% to decide (0% to 80%" in " ".join(found.text)
