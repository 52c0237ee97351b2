"""MT-Bench: pairs in both orders, ratings, and the human judgments."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from logs import read, statuses
from mutants import mutants, reads_or_refuses

import quorate as q
from quorate.errors import InvalidData, InvalidInput
from quorate.table.exchange.foreign.pairs import mt_bench
from quorate.table.exchange.glance import Glance
from quorate.table.pairs import TIE, A, B


def game(**changed):
    made = {"question_id": 81, "model_1": "a", "model_2": "b", "g1_winner": "model_1", "g2_winner": "model_1"}
    return made | {"judge": ["gpt-4", "pair-v2"], "g1_judgment": "...", "turn": 1, "tstamp": 1717231244.5} | changed


def rating(**changed):
    made = {"question_id": 81, "model": "m", "judge": ["gpt-4", "single-v1"], "user_prompt": "..."}
    return made | {"judgment": "...", "score": 7, "turn": 1, "tstamp": 1717231244.5} | changed


def person(**changed):
    made = {"question_id": 81, "model_a": "a", "model_b": "b", "winner": "model_a", "judge": "expert_1", "turn": 1}
    said = [{"content": "", "role": "user"}]
    return made | {"conversation_a": said, "conversation_b": said} | changed


def test_two_votes_of_a_line_with_the_model_shown_first(write_lines):
    """Winners name models of the pair, whatever the models are called."""
    votes = read(write_lines(game(), game(question_id=82, g1_winner="tie", g2_winner="error")))
    assert (votes.rows, votes.wins("a", "b"), votes.wins("b", "a")) == (4, 2, 0)
    assert votes.order.tolist() == [A, B, A, B]
    assert statuses(votes) == {"ok": 3, "unparsed": 1}
    assert votes.dated
    assert votes.facet("prompt_type").levels == ("writing",)


def test_the_first_of_two_runs_counts(write_lines):
    votes = read(write_lines(game(), game(g1_winner="model_2"), game(turn=2), game(judge="gpt-4")))
    assert votes.rows == 4
    assert "2 of 4 lines judge again what an earlier one did: left out" in votes.notes
    assert votes.facet("turn").levels == ("1", "2")


def test_ratings(write_lines):
    path = write_lines(
        rating(),
        rating(turn=2, score=-1, judge="gpt-4"),
        rating(question_id=3, score=7.5),
        rating(question_id=3, score=1),
    )
    table = read(path)
    assert statuses(table) == {"ok": 2, "unparsed": 1}
    assert set(table.names) == {"item", "judge", "system", "turn"}
    assert table.mean[table.n > 0].tolist() == [7.5, 7.0]
    with pytest.raises(InvalidInput, match=r"holds scores.*use quorate\.read"):
        q.read_votes(path, announce=False)
    with pytest.raises(InvalidInput, match="has no parts"):
        read(path, part="rating")


def test_people_in_lines_and_in_parquet(write_lines, tmp_path):
    people = [person(), person(winner="tie", judge="author_1"), person(winner="tie (inconsistent)", turn=2)]
    pl.DataFrame(people).write_parquet(tmp_path / "human.parquet")
    for path in (write_lines(*people), tmp_path / "human.parquet"):
        votes = read(path)
        assert statuses(votes) == {"ok": 2, "unparsed": 1}
        assert votes.order is None
        assert any(note.startswith('1 row "tie (inconsistent)"') for note in votes.notes)
        named = {"a": "model_a", "b": "model_b", "tie": ["tie", "tie (inconsistent)"]}
        assert (read(path, status="", outcomes=named).outcome == TIE).sum() == 2


def test_releases_of_an_arena_and_plain_tables_are_others(write_lines):
    one = Glance(write_lines(person(anony=True, tstamp=1.0)))
    other = Glance(write_lines({"question_id": 1, "model": "m", "judge": "j", "score": 2}))
    assert not mt_bench.claims(one)
    assert not mt_bench.claims(other)
    with pytest.raises(InvalidData, match="is none of MT-Bench's"):
        read(write_lines({"question_id": 1}), kind="votes", format="mt-bench")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            game(question_id=82, g2_winner="model_3"),
            'line 2: g2_winner "model_3" is not known; known are model_1, model_2, tie, error',
        ),
        (game(judge=[]), "line 2: judge is null"),
        (game(model_1=None), "line 2: model_1 is null"),
        (game(tstamp="now"), 'line 2: tstamp is "now"'),
        ({key: value for key, value in game().items() if key != "turn"}, 'line 2 has no "turn", which FastChat'),
    ],
)
def test_what_is_not_understood_is_named_with_its_line(write_lines, line, said):
    with pytest.raises(InvalidData, match=said):
        read(write_lines(game(), line))


@pytest.mark.slow
def test_published_files(shared):
    folder = shared / "data" / "formats" / "mt-bench"
    pair = read(folder / "gpt-4_pair.jsonl")
    assert (pair.rows, pair.n, statuses(pair)["unparsed"]) == (150, 147, 3)
    assert (pair.wins("phi-3-dpo", "phi-3"), pair.wins("phi-3", "phi-3-dpo")) == (62, 60)
    first, second = ((pair.outcome == side).sum() for side in (pair.order, 1 - pair.order))
    assert (first, second, (pair.outcome == TIE).sum()) == (79, 43, 25)
    people = read(folder / "human-judgments-shape.jsonl")
    assert (people.rows, statuses(people)["unparsed"]) == (73, 27)
    assert (people.wins("phi-3", "phi-3-dpo"), people.wins("phi-3-dpo", "phi-3")) == (18, 20)
    assert (people.outcome == TIE).sum() == 8
    single = read(folder / "gpt-4_single.jsonl")
    assert (single.n_answers, single.mean.mean()) == (160, pytest.approx(8.2))
    for turn, template, mean, n in (
        *((1, "single-v1", 9.2, 50), (1, "single-math-v1", 6.966667, 30)),
        *((2, "single-v1-multi-turn", 9.26, 50), (2, "single-math-v1-multi-turn", 6.0, 30)),
    ):
        part = f"turn = {turn} AND judge_template = '{template}'"
        some = read(folder / "gpt-4_single.jsonl", where=part)
        assert (some.n_answers, some.mean.mean()) == (n, pytest.approx(mean, abs=5e-7))


def test_a_broken_file_is_one_line(shared, tmp_path):
    lines = (shared / "data" / "formats" / "malformed" / "mt-pair.jsonl").read_text().splitlines(keepends=True)
    path = tmp_path / "m.jsonl"
    for kept, said in (((0, 1), 'line 1: g1_winner "model_3" is not known'), ((1, 2), 'line 2 has no "turn"')):
        path.write_text("".join(lines[place] for place in kept))
        with pytest.raises(InvalidData, match=said):
            read(path)
    path.write_text(lines[1])
    assert read(path).facet("judge").levels == ("gpt-4",)


@given(
    mutants([game(), game(question_id=82)], lines=True)
    | mutants([rating(), rating(turn=2, score=-1)], lines=True)
    | mutants([person(), person(winner="tie (inconsistent)")], lines=True)
)
def test_whatever_is_in_it(tmp_path_factory, block):
    reads_or_refuses(tmp_path_factory.getbasetemp() / "fuzz-mt-bench.jsonl", block, format="mt-bench")
