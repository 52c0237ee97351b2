"""Arena-Hard: two games a question."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from mutants import mutants, reads_or_refuses

import quorate as q
from quorate.errors import InvalidData, InvalidInput
from quorate.table.pairs import TIE


def line(**changed):
    games = [{"score": "A>>B"}, {"score": "B>A"}]
    return {"uid": "q1", "judge": "j", "model": "m", "baseline": "base", "games": games} | changed


@pytest.fixture
def write(tmp_path):
    def writer(*lines):
        path = tmp_path / "m.jsonl"
        path.write_text("".join(json.dumps(one) + "\n" for one in lines))
        return path

    return writer


def test_game_by_game(write):
    """Game 0 shows the baseline first: A>>B is a win of the baseline; in game 1 B>A is one too."""
    votes = q.read(write(line()), announce=False)
    assert votes.wins("base", "m") == 2
    assert votes.facet("strength").levels == ("1", "2")
    assert votes.order is not None


@pytest.mark.parametrize("score", ["A=B", "B=A"])
def test_ties_and_what_is_missing(write, score):
    votes = q.read(write(line(games=[{"score": score}, {"score": None}]), line(uid="q2", games=[None])), announce=False)
    assert votes.outcome.tolist()[0] == TIE
    facts = votes.describe()
    assert facts.statuses == {"ok": 1, "unparsed": 1, "error": 1}


def test_a_file_without_a_baseline_wants_it_named(write):
    old = {key: value for key, value in line(question_id="q1").items() if key not in ("baseline", "uid")}
    with pytest.raises(InvalidInput, match=r'say which: part="gpt-4-0314"'):
        q.read(write(old), announce=False)
    assert q.read(write(old), part="old", announce=False).models == ("m", "old")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"games": [{"score": "A>C"}]}, 'line 2, game 1: verdict "A>C" is not known'),
        ({"games": [{"score": 7}]}, "line 2, game 1: 7 is a rating of one response"),
        ({"games": "x"}, "line 2: games must be a list"),
        ({"games": []}, "line 2: games must be a list"),
        ({"games": [1, 2, 3]}, "line 2: games must be a list"),
        ({"model": None}, "line 2: model is null; a name"),
        ({"judge": ["j"]}, r'line 2: judge is \["j"\]; a name'),
        ({"uid": None}, "line 2: uid or question_id is null"),
        ({"baseline": {}, "category": []}, r"line 2: category is \[\]"),
    ],
)
def test_what_is_not_understood_is_named_with_its_line(write, changed, said):
    with pytest.raises(InvalidData, match=said):
        q.read(write(line(), line(**changed)), announce=False)


def test_published_files(shared):
    folder = shared / "data" / "formats" / "arena-hard"
    old = q.read(folder / "v0.1-athene-v2-by-gpt-3.5-turbo.jsonl", part="gpt-4-0314", announce=False)
    assert (old.rows, old.n, old.describe().statuses["unparsed"]) == (216, 214, 2)
    won = old.wins("Nexusflow__Athene-V2-Chat", "gpt-4-0314")
    assert (won + 0.5 * int((old.outcome == TIE).sum())) / old.n == pytest.approx(0.035047, abs=5e-7)
    new = q.read(folder / "v2.0-llama3.1-8b-by-mock-judge.jsonl", announce=False)
    assert (new.rows, new.describe().statuses) == (120, {"ok": 115, "unparsed": 4, "error": 1})
    won = new.wins("llama3.1-8b-instruct", "o3-mini-2025-01-31")
    assert (won + 0.5 * int((new.outcome == TIE).sum())) / new.n == pytest.approx(0.430435, abs=5e-7)
    assert int(np.bincount(new.column("strength") + 1)[2]) == 34


def test_ratings_of_single_responses_are_scores(write):
    games = [[{"score": 7}], [{"score": None}], [None], [{"score": "8.5"}]]
    path = write(*(line(uid=f"q{i}", games=one, baseline=None) for i, one in enumerate(games[:3])))
    table = q.read(path, announce=False)
    assert [(one.name, one.rows) for one in table.describe().statuses] == [("ok", 1), ("unparsed", 1), ("error", 1)]
    assert (set(table.names), table.n_answers) == ({"item", "judge", "system"}, 1)
    with pytest.raises(InvalidInput, match=r"holds scores.*use quorate.read"):
        q.read_votes(path, announce=False)
    with pytest.raises(InvalidData, match=r'line 2, game 1: "8.5" is no rating'):
        q.read(write(line(games=games[0]), line(games=games[3])), announce=False)


def test_a_broken_file_is_one_line(shared, tmp_path):
    """Every line of it is broken in another way."""
    lines = (shared / "data" / "formats" / "malformed" / "arena-hard.jsonl").read_text().splitlines(keepends=True)
    said = {1: 'line 2, game 1: verdict "A>C" is not known', 3: 'line 2 has no "model", which Arena-Hard'}
    said |= {4: r"line 2 is not JSON \(.*\); the file is cut off: export it again"}
    path = tmp_path / "m.jsonl"
    for place, words in said.items():
        path.write_text(lines[0] + lines[place])
        with pytest.raises(InvalidData, match=words):
            q.read(path, announce=False)
    path.write_text(lines[0] + lines[2])
    votes = q.read(path, announce=False)
    assert votes.describe().statuses == {"ok": 2, "error": 1}
    assert "1 question with one game: kept" in votes.notes


@given(mutants([line(), line(uid="q2", category="math", games=[None, {"score": "A<<B"}])]))
@settings(max_examples=60)
def test_whatever_is_in_it(tmp_path_factory, block):
    reads_or_refuses(block, tmp_path_factory.getbasetemp() / "fuzz-arena-hard.jsonl", format="arena-hard")
