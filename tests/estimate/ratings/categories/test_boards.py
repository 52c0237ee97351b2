from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

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
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "winner", "language"], orient="row")
    return q.read_votes(frame, facets={"language": "language"}, announce=False)


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
