from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from tables import votes_table

import quorate as q
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm


@pytest.fixture(scope="module")
def votes():
    """Votes in three languages: x is best in one, y in another, and in the third there is one vote."""
    rng = np.random.default_rng(4)
    rows = []
    for language, ratings in {"en": (1, 0, -1), "de": (0, 1, -1)}.items():
        for _ in range(600):
            i, j = rng.choice(3, 2, replace=False)
            won = rng.random() < 1 / (1 + np.exp(ratings[j] - ratings[i]))
            rows.append(("xyz"[i], "xyz"[j], "model_a" if won else "model_b", language))
    rows.append(("x", "y", "model_a", "fi"))
    return votes_table(rows, "model_a model_b winner language", facets={"language": "language"})


def test_a_board_for_every_level(votes):
    found = q.rank(votes, by="language", seed=3)
    assert set(found.boards) == {"en", "de"}
    assert (found["en"].systems[0], found["de"].systems[0]) == ("x", "y")
    alone = q.rank(votes.only("language", "en"), seed=3)
    assert found["en"].to_dict() == alone.to_dict()
    assert "won every vote" in found.refused["fi"]
    assert found.sentence.startswith("2 boards by language: on 2 of them one system is first, at 95%")
    assert "No board for fi (" in found.sentence
    more = replace(found, refused=dict.fromkeys(("fi", "sv", "da"), "why"))
    assert more.sentence.endswith("No board for fi, sv and da (fi: why).")
    frame = found.to_frame()
    assert frame.columns[:2] == ["language", "system"]
    assert len(frame) == 6
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["refused"].keys() == {"fi"}
    assert found.elo()["en"].rating.mean() == pytest.approx(1000)
    assert len(repr(found)) < 200


def test_a_caveat_of_many_boards_is_said_once(votes):
    found = q.rank(votes, by="language", seed=3)
    one = found["en"]
    many = {name: replace(one, caveats=(Caveat("rare", name), Caveat("same", "as ever"))) for name in ("a", "b", "c")}
    said = [caveat.sentence for caveat in replace(found, boards=many).caveats]
    assert said == ["as ever", "on 3 of 3 boards, such as that of a: a"]


def test_boards_of_scores(judged):
    table = judged({"item": 12, "judge": 3, "system": 3}, fixed=("judge",), seed=3)
    found = q.rank(table, by="judge")
    assert len(found) == 3
    assert found.elo().boards == found.boards
    assert found["judge0001"].rating == pytest.approx(q.rank(table.only("judge", "judge0001")).rating)


def test_what_cannot_be_asked_is_refused(votes):
    with pytest.raises(UnknownTerm, match="colour"):
        q.rank(votes, by="colour")
    with pytest.raises(InvalidInput, match="weights: not with by"):
        q.rank(votes, by="language", weights=np.ones(votes.rows))
    with pytest.raises(NotEstimable, match="by: no language can be ranked; the first: votes: "):
        q.rank(votes.only("language", "fi"), by="language")


def test_its_page(votes, tmp_path):
    path = q.report(q.rank(votes, by="language"), tmp_path / "boards.md")
    text = path.read_text(encoding="utf-8")
    assert "On 2 of 2 boards one system is first" in text
    assert "x is first of 3 systems" in text


SYSTEMS = "xyz"


def by_language(deviations, count=60, seed=3):
    """Votes of languages, in each of which systems are better or worse than overall."""
    rng, rows = np.random.default_rng(seed), []
    for number, off in enumerate(deviations):
        rating = np.array([0.6, 0.0, -0.6]) + off
        for i, j in ((0, 1), (0, 2), (1, 2)):
            won = rng.binomial(count, 1 / (1 + np.exp(rating[j] - rating[i])))
            rows.append((f"l{number}", SYSTEMS[i], SYSTEMS[j], won, count - won))
    return votes_table(rows, "language model_a model_b a b", wins=("a", "b"), facets={"language": "language"})


@pytest.fixture(scope="module")
def found():
    return q.rank(by_language(np.random.default_rng(5).normal(0, 0.4, (6, 3))), by="language", pooled=True)


def test_pooled_ratings_are_between_the_own_and_the_overall(found):
    for row in found.pooled.rows():
        ends = sorted((row["own"], row["overall"]))
        assert ends[0] - 0.02 <= row["pooled"] <= ends[1] + 0.02
        assert row["pooled_low"] < row["pooled"] < row["pooled_high"]
        assert 0 < row["shrunk"] < 1
    for level, board in found.boards.items():
        assert found.pooled.columns[level]["pooled"].sum() == pytest.approx(0, abs=1e-9)
        own = [row["own"] for row in found.pooled.rows() if row["language"] == level]
        assert own == pytest.approx(board.rating)


@pytest.mark.slow
def test_languages_that_do_not_differ_have_the_board_of_all_votes():
    table = by_language(np.zeros((8, 3)), 200)
    pooled = q.rank(table, by="language", pooled=True).pooled
    board = q.rank(table)
    overall = dict(zip(pooled.systems, pooled.overall.rating, strict=True))
    assert [overall[name] for name in board.systems] == pytest.approx(board.rating, abs=0.02)
    assert pooled.p_value > 0.05
    assert pooled.tau_low == 0.0
    assert min(row["shrunk"] for row in pooled.rows()) > 0.5


def test_what_is_said_and_kept(found):
    assert "Between 6 languages the rating of a system varies about its overall one" in found.pooled.sentence
    frame = found.to_frame()
    assert {"rating", "pooled", "pooled_low", "pooled_high", "overall", "shrunk"} <= set(frame.columns)
    kept = json.loads(json.dumps(found.to_dict(), allow_nan=False))["pooled"]
    assert (len(kept["pooled"]), kept["tau"]) == (18, pytest.approx(found.pooled.tau))
    points = found.elo().pooled
    assert points.columns["l0"]["pooled"].mean() == pytest.approx(1000)
    assert points.to_dict()["tau"] == pytest.approx(found.pooled.tau * 400 / np.log(10))
    assert not any(one.code == "few-categories" for one in found.caveats)


def test_few_languages_are_said_to_be_few():
    few = q.rank(by_language(np.zeros((3, 3))), by="language", pooled=True)
    assert [one.code for one in few.pooled.caveats] == ["few-categories"]
    assert few.pooled.caveats[0] in few.caveats


def test_what_cannot_be_pooled_is_refused(found, judged):
    table = by_language(np.zeros((1, 3)))
    with pytest.raises(NotEstimable, match="pooled: 1 board of 3 systems have too few"):
        q.rank(table, by="language", pooled=True)
    draw = np.random.default_rng(1)
    pairs = [(a, b) for _ in range(60) for a, b in (("x", "y"), ("y", "z"), ("z", "x"))]
    rows = [(a, b, draw.choice([a, b]), f"j{i % 4}", f"l{i % 2}") for i, (a, b) in enumerate(pairs)]
    few = votes_table(rows, "model_a model_b winner judge language", facets={"language": "language"})
    with pytest.raises(NotEstimable, match=r"pooled: the votes of l0 are worth .* clusters, too few for 3 systems"):
        q.rank(few, by="language", pooled=True, cluster="judge")
    with pytest.raises(InvalidInput, match="pooled: is of boards by a facet"):
        q.rank(table, pooled=True)
    with pytest.raises(InvalidInput, match="pooled: not with regularisation"):
        q.rank(table, by="language", pooled=True, regularisation=1)
    with pytest.raises(InvalidInput, match="pooled: is for votes"):
        q.rank(judged({"item": 6, "judge": 2, "system": 2}, seed=3), by="judge", pooled=True)
