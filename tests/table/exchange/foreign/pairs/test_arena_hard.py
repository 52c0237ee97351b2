"""Arena-Hard: two games a question."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from logs import read, statuses
from mutants import mutants, reads_or_refuses

import quorate as q
from quorate.errors import InvalidData, InvalidInput
from quorate.table.pairs import TIE


def line(**changed):
    games = [{"score": "A>>B"}, {"score": "B>A"}]
    return {"uid": "q1", "judge": "j", "model": "m", "baseline": "base", "games": games} | changed


def test_game_by_game(write_lines):
    """Game 0 shows the baseline first: A>>B is a win of the baseline; in game 1 B>A is one too."""
    votes = read(write_lines(line()))
    assert votes.wins("base", "m") == 2
    assert votes.facet("strength").levels == ("1", "2")
    assert votes.order is not None


@pytest.mark.parametrize("score", ["A=B", "B=A"])
def test_ties_and_what_is_missing(write_lines, score):
    votes = read(write_lines(line(games=[{"score": score}, {"score": None}]), line(uid="q2", games=[None])))
    assert votes.outcome.tolist()[0] == TIE
    facts = votes.describe()
    assert facts.statuses == {"ok": 1, "unparsed": 1, "error": 1}


def test_a_file_without_a_baseline_wants_it_named(write_lines):
    old = {key: value for key, value in line(question_id="q1").items() if key not in ("baseline", "uid")}
    with pytest.raises(InvalidInput, match=r'say which: part="gpt-4-0314"'):
        read(write_lines(old))
    assert read(write_lines(old), part="old").models == ("m", "old")


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
def test_what_is_not_understood_is_named_with_its_line(write_lines, changed, said):
    with pytest.raises(InvalidData, match=said):
        read(write_lines(line(), line(**changed)))


def test_published_files(shared):
    folder = shared / "data" / "formats" / "arena-hard"
    old = read(folder / "v0.1-athene-v2-by-gpt-3.5-turbo.jsonl", part="gpt-4-0314")
    assert (old.rows, old.n, statuses(old)["unparsed"]) == (216, 214, 2)
    won = old.wins("Nexusflow__Athene-V2-Chat", "gpt-4-0314")
    assert (won + 0.5 * int((old.outcome == TIE).sum())) / old.n == pytest.approx(0.035047, abs=5e-7)
    new = read(folder / "v2.0-llama3.1-8b-by-mock-judge.jsonl")
    assert (new.rows, statuses(new)) == (120, {"ok": 115, "unparsed": 4, "error": 1})
    won = new.wins("llama3.1-8b-instruct", "o3-mini-2025-01-31")
    assert (won + 0.5 * int((new.outcome == TIE).sum())) / new.n == pytest.approx(0.430435, abs=5e-7)
    assert int(np.bincount(new.column("strength") + 1)[2]) == 34


def test_ratings_of_single_responses_are_scores(write_lines):
    games = [[{"score": 7}], [{"score": None}], [None], [{"score": "8.5"}]]
    path = write_lines(*(line(uid=f"q{i}", games=one, baseline=None) for i, one in enumerate(games[:3])))
    table = read(path)
    assert statuses(table) == {"ok": 1, "unparsed": 1, "error": 1}
    assert (set(table.names), table.n_answers) == ({"item", "judge", "system"}, 1)
    with pytest.raises(InvalidInput, match=r"holds scores.*use quorate.read"):
        q.read_votes(path, announce=False)
    with pytest.raises(InvalidData, match=r'line 2, game 1: "8.5" is no rating'):
        read(write_lines(line(games=games[0]), line(games=games[3])))


def test_a_broken_file_is_one_line(shared, tmp_path):
    """Every line of it is broken in another way."""
    lines = (shared / "data" / "formats" / "malformed" / "arena-hard.jsonl").read_text().splitlines(keepends=True)
    said = {1: 'line 2, game 1: verdict "A>C" is not known', 3: 'line 2 has no "model", which Arena-Hard'}
    said |= {4: r"line 2 is not JSON \(.*\); the file is cut off: export it again"}
    path = tmp_path / "m.jsonl"
    for place, words in said.items():
        path.write_text(lines[0] + lines[place])
        with pytest.raises(InvalidData, match=words):
            read(path)
    path.write_text(lines[0] + lines[2])
    votes = read(path)
    assert statuses(votes) == {"ok": 2, "error": 1}
    assert "1 question with one game: kept" in votes.notes


@given(mutants([line(), line(uid="q2", category="math", games=[None, {"score": "A<<B"}])], lines=True))
def test_whatever_is_in_it(tmp_path_factory, block):
    reads_or_refuses(tmp_path_factory.getbasetemp() / "fuzz-arena-hard.jsonl", block, format="arena-hard")
