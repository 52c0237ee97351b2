from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from charts import image
from reference.style import votes
from tables import votes_table

import quorate as q
from quorate.cli import main
from quorate.estimate.ratings.contrast import Contrast
from quorate.reporting.pages.ratings.boards import page
from quorate.reporting.pages.ratings.page import (
    MOST_DRAWN,
    effect_words,
    groups,
    leaderboard,
    position_words,
    ranked,
    ranks,
    rates,
)
from quorate.reporting.pages.ratings.page import page as moves_page
from quorate.reporting.pages.ratings.page import pairs as page_pairs
from quorate.reporting.paper.reproduce import Provenance
from quorate.reporting.print.files import specification
from quorate.reporting.report import page_of


@pytest.fixture(scope="module")
def view(ballots):
    """Three systems, each surely better than the next."""
    return q.rank(ballots())


@pytest.fixture(scope="module")
def open_view(ballots):
    """Two systems that nobody can put in order."""
    return q.rank(ballots(("a", "b"), 10, 0.2))


@pytest.fixture(scope="module")
def scored(rated):
    """Three systems by scores."""
    return q.rank(rated())


@pytest.fixture(scope="module")
def unrankable(rated):
    """Three systems by scores of judges who differ more than the systems."""
    return q.rank(rated(gap=0.0, favour=0.6))


def rows_drawn(figure):
    spec = specification(figure)
    own = [part["data"]["values"] for part in (spec, *spec["layer"]) if "values" in part.get("data", {})]
    return max([*spec.get("datasets", {}).values(), *own], key=len)


def test_one_row_per_system(view):
    first, *_, last = leaderboard(view).rows
    assert (first["rank"], first["group"], first["system"]) == ("1", 1, "a")
    assert last["rank"] == "3"
    assert first["low"] < first["rating"] < first["high"]
    assert first["rating"] == pytest.approx(view.rating[0])
    assert first["share"] == view.best["a"]


def test_who_is_first(view, open_view, unrankable):
    assert leaderboard(view).caption.finding == "a is first of 3 systems"
    said = "a is ahead, at rank 1–2; 0 of 1 pair of systems are told apart"
    assert leaderboard(open_view).caption.finding == said
    assert leaderboard(unrankable).caption.finding.startswith("These 3 systems are not rankable")


def test_several_may_be_first():
    strength = np.array([1.0, 0.9, -1.0, -1.1])
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    wins = [round(100 / (1 + np.exp(strength[j] - strength[i]))) for i, j in pairs]
    rows = [("abcd"[i], "abcd"[j], won, 100 - won) for (i, j), won in zip(pairs, wins, strict=True)]
    view = q.rank(votes_table(rows, "model_a model_b a b", wins=("a", "b")))
    caption = leaderboard(view).caption
    assert caption.finding == "a is ahead, at rank 1–2; 4 of 6 pairs of systems are told apart"
    assert caption.lines[-1].startswith("Shaded and plain bands: cuts of the order")
    assert groups(view).caption.finding == "The order of 4 systems is cut in 1 place"
    assert page_pairs(view).caption.finding == "4 of 6 pairs of systems are told apart"
    said = "0 of 4 ranks are sure; the least sure, a, is anywhere from 1 to 2"
    assert ranks(view).caption.finding == said


@pytest.mark.slow
def test_the_estimand_is_said(ballots, scored):
    line = leaderboard(q.rank(ballots()).elo()).caption.lines[0]
    assert line == "Elo points about the mean of all systems, with 95% intervals for each; 3 systems, 180 votes."
    assert leaderboard(scored).caption.lines[0].startswith("Mean score, with 95% intervals")


def test_systems_that_are_not_drawn_are_said(ballots):
    names = tuple(f"s{i:03d}" for i in range(MOST_DRAWN + 1))
    view = q.rank(ballots(names, each=8, spread=0.5))
    board, order = leaderboard(view), ranks(view)
    assert "The first 120 are drawn; the table has all." in board.caption.lines
    assert not board.unfolded
    assert all('"orient": "top"' in json.dumps(figure.chart()) for figure in (board, order))  # the scale is in sight


@pytest.mark.wide(1)
@pytest.mark.parametrize("count", [2, 55])
def test_charts_of_few_and_of_many_systems(ballots, count):
    labels = tuple(f"model-{i:02d}" for i in range(count))
    view = q.rank(ballots(labels, each=40))
    for exhibit in (leaderboard, ranks):
        out = image(exhibit(view))
        assert all(f">{label}<" in out for label in labels)  # no label is dropped for room
    assert image(page_pairs(view))


def test_systems_stay_in_order_and_show_their_ranks(ballots):
    out = image(leaderboard(q.rank(ballots(tuple("cab"), each=60))))
    places = [out.index(f">{name}</text>") for name in "cab"]
    assert places == sorted(places)
    assert ">rank</text>" in out
    assert all(f">{rank}</text>" in out for rank in (1, 2, 3))


def test_rank_groups_are_bands(view, open_view):
    assert [row["side"] > 0 for row in rows_drawn(leaderboard(view))] == [True, False, True]
    assert "rect" not in json.dumps(specification(leaderboard(open_view))["layer"])


def test_what_cannot_be_ranked_is_grey(scored, unrankable):
    assert {row["colour"] for row in rows_drawn(leaderboard(scored))} == {"#0072B2"}
    assert {row["colour"] for row in rows_drawn(leaderboard(unrankable))} == {"#7F7F7F"}


def test_hostile_labels_are_drawn(ballots, hostile):
    view = q.rank(ballots(hostile, each=40))
    assert not any("<script>" in image(figure) for figure in page_of(view).figures if figure.chart)


def test_ranks_chosen_beforehand_are_never_wider(ballots):
    rows = ranks(q.rank(ballots(tuple("abcdefgh"), each=30))).rows
    assert [row["place"] for row in rows] == list(range(1, 9))
    assert all(row["low"] <= row["own_low"] <= row["own_high"] <= row["high"] for row in rows)
    assert any(row["low"] < row["high"] for row in rows)


def test_ranks_are_drawn_with_the_place_on_top(view):
    layers = specification(ranks(view))["layer"]
    drawn = [(layer["mark"]["type"], layer["encoding"]["x"]["field"]) for layer in layers]
    assert drawn == [("bar", "from"), ("bar", "shown_low"), ("tick", "place")]


def test_pairs_that_are_told_apart(view, open_view):
    assert page_pairs(view).rows == [
        {"better": "a", "worse": "b"},
        {"better": "a", "worse": "c"},
        {"better": "b", "worse": "c"},
    ]
    assert page_pairs(open_view).rows == []


def test_groups_name_their_systems(view):
    assert groups(view).rows == [
        {"group": number, "systems": 1, "told": 0, "which": name} for number, name in enumerate("abc", 1)
    ]


def test_what_was_ranked(view, scored):
    said = {row["what"]: row["value"] for row in ranked(view).rows}
    assert (said["systems"], said["votes"], said["of them told apart"]) == (3, 180, 3)
    scores = {row["what"]: row["value"] for row in ranked(scored).rows}
    assert (scores["scores"], scores["levels of judge"]) == (480, 4)


def test_the_leaderboard_comes_first(view, open_view, unrankable):
    first, second = page_of(view).sections
    assert [figure.name for figure in first.figures] == ["leaderboard"]
    assert [figure.name for figure in second.figures] == ["ranks", "groups", "pairs", "neighbours"]
    assert [row["told_apart"] for row in second.figures[-1].rows] == ["yes", "yes"]
    assert first.text == ()
    undecided = page_of(open_view).sections[1]
    assert [figure.name for figure in undecided.figures] == ["ranks"]
    assert page_of(open_view).next_step.command.startswith("quorate compare FILE ")
    assert page_of(unrankable).sentence.count("Not rankable") == 1
    assert "are not rankable" in page_of(unrankable).sections[0].figures[0].caption.finding


def test_what_is_said_around_the_figures(ballots):
    votes = ballots()
    page = page_of(q.rank(votes), source=votes, origin=Provenance("quorate rank v.csv", None, "simulated"))
    assert page.sentence.startswith("a is first of 3 systems")
    assert [tile.value for tile in page.tiles] == ["1", ">99%", "3"]
    assert page.provenance["command"] == "quorate rank v.csv"
    assert page.provenance["seed"] == "1"
    assert "for_a" in page.provenance["columns"]


def test_methods_say_how_votes_were_taken(ballots):
    votes = ballots()
    assert "sandwich intervals and take votes as independent" in page_of(q.rank(votes)).methods
    assert "with a ridge of 1" in page_of(q.rank(votes, regularisation=1)).methods
    assert "ties left out" in page_of(q.rank(votes, ties="drop")).methods


def test_methods_say_what_scores_stand_for(rated, scored):
    assert "(item: levels like these; judge: these levels only)" in page_of(scored).methods
    assert "these levels only" in page_of(q.rank(rated(), targets={"judge": "panel"})).methods


def test_a_record_is_refused(view, tmp_path):
    with pytest.raises(q.InvalidInput, match="has no checklist"):
        q.report(view, tmp_path / "page.html", record={})


def test_how_few_votes_decide_has_a_section_where_it_was_asked_for(view, ballots):
    asked = q.rank(ballots(("a", "b"), 10, 0.2), fragility=True)
    sections = {one.name: one for one in page_of(asked).sections}
    few = asked.fragility
    assert sections["fragility"].text == (few.sentence,)
    assert sum(row["votes"] for row in sections["fragility"].figures[0].rows) == few.dropped
    assert "fragility" not in {one.name for one in page_of(view).sections}


@pytest.fixture(scope="module")
def found():
    """x is far ahead in one language; in the other nothing is told apart, and in the third there is one vote."""
    rows = [("x", "y", 90, 10, "en"), ("x", "y", 10, 9, "de"), ("x", "y", 1, 0, "fi")]
    votes = votes_table(rows, "model_a model_b a b language", wins=("a", "b"), facets={"language": "language"})
    return q.rank(votes, by="language")


def test_one_row_per_board_and_one_leaderboard_each(found):
    made = page(found)
    first, *others = made.sections
    (overview,) = first.figures
    assert overview.caption.finding == "On 1 of 2 boards one system is first"
    rows = {row["level"]: row for row in overview.rows}
    assert (rows["en"]["first"], rows["de"]["first"], rows["en"]["votes"]) == ("x", "x and y", 100)
    assert [figure.name for section in others for figure in section.figures] == ["leaderboard-1", "leaderboard-2"]
    assert "No board for fi" in made.sentence


def test_pooled_ratings_have_a_section():
    rows = [(a, b, 30 + 5 * i, 30, f"l{i}") for i in range(5) for a, b in (("x", "y"), ("y", "z"), ("x", "z"))]
    votes = votes_table(rows, "model_a model_b a b language", wins=("a", "b"), facets={"language": "language"})
    made = page(q.rank(votes, by="language", pooled=True))
    assert [section.title for section in made.sections[:2]] == ["Who is first, by language", "Pooled over languages"]
    (figure,) = made.sections[1].figures
    assert len(figure.rows) == 15
    assert list(figure.rows[0])[:5] == ["level", "system", "own", "overall", "pooled"]
    assert "Assumed: deviations of a level from the overall ratings are normal" in figure.caption.lines[1]


def test_boards_say_how_few_votes_decide_and_whether_votes_are_taken_as_independent():
    rows = [("x", "y", "x" if i % 3 else "y", f"p{i // 2}", language) for language in ("en", "de") for i in range(60)]
    votes = votes_table(rows, "model_a model_b winner prompt language", facets={"language": "language"})
    made = page(q.rank(votes, by="language", fragility=True, cluster=()))
    assert "were votes independent, which they need not be" in made.sections[0].figures[0].caption.lines[0]
    assert all(section.text[1].startswith("Without ") for section in made.sections[1:])
    plain = page(q.rank(votes, by="language"))
    assert plain.sections[0].figures[0].caption.lines == ("Of each board for all ranks at once, with 95% confidence.",)
    assert all(len(section.text) == 1 for section in plain.sections[1:])


@pytest.fixture(scope="module")
def board():
    frame = pl.DataFrame(votes())
    return q.rank(q.read_votes(frame, covariates=["length", "lists"], announce=False), covariates=["length", "lists"])


def test_the_page_says_what_moves(board):
    shown = moves_page(board)
    section = next(one for one in shown.sections if one.name == "moves")
    assert section.title == "At equal length and lists"
    effects, moved = section.figures
    assert effects.caption.finding == "More length and lists helps"
    assert [row["covariate"] for row in effects.rows] == ["length", "lists"]
    assert [row["system"] for row in moved.rows] == list(board.systems)
    assert moved.caption.finding == "4 systems of 5 surely move, and 4 systems change place"
    assert moved.chart()["layer"]
    assert "at equal length and lists" in shown.methods
    assert next(effect_words(board)).startswith("Length: between equals, the one with ")


def test_the_command_reads_both_ways_to_write_a_covariate(tmp_path, monkeypatch, capsys, board):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(votes()).write_csv("votes.csv")
    main(["rank", "votes.csv", "--covariate", "length", "--covariate", "lists", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert [row["move"] for row in found["moves"]] == pytest.approx(board.moves.value.tolist())
    assert [one["value"] for one in found["covariates"]] == pytest.approx(
        [one.value for one in board.coefficients.values()]
    )
    assert main(["rank", "votes.csv", "--covariate", "width"]) == 1
    assert 'covariates: no column "width"' in capsys.readouterr().err


def test_rates_are_in_order_with_what_is_sure():
    found = {name: Contrast(name, value, 0.2, 50.0, 9) for name, value in (("a", -1.0), ("b", 1.0), ("c", 0.1))}
    figure = rates("slopes", "judge", found, 0.95, "slope")
    assert [row["level"] for row in figure.rows] == ["b", "c", "a"]
    assert figure.caption.finding == "2 judges of 3 surely differ from the mean"


def test_no_effect_of_order_was_estimated(ballots, rated):
    assert position_words(q.rank(ballots())) == ""
    assert position_words(q.rank(rated())) == ""


def test_labels_are_fit_to_be_shown_and_told_apart(ballots, hostile):
    names = [row["system"] for row in leaderboard(q.rank(ballots((*hostile, "x" * 4999)))).rows]
    assert len(set(names)) == len(hostile) + 1
    assert max(map(len, names)) <= 90
    assert not any("\n" in name or "\x00" in name for name in names)


def test_what_a_board_says_of_itself(ballots, rated):
    board = q.rank(ballots())
    assert (board.measure, board.counted_by, board.n, board.n_pairs) == ("rating, log odds", "vote", 180, 3)
    assert (board.told_apart, board.rankable, board.exit_code) == (3, True, 0)
    assert board.elo().measure == board.elo().to_dict()["unit"] == "Elo points"
    scores = q.analyze(rated())
    assert (scores.measure, scores.counted_by, scores.n) == ("mean score", "score", 480)
    assert scores.rankable
    assert not q.rank(rated(gap=0.0, favour=0.6)).rankable
