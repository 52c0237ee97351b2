"""AlpacaEval: preferences as votes, and as chances."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from logs import read, statuses
from mutants import mutants, reads_or_refuses

import quorate as q
from quorate.errors import InvalidData, InvalidInput, UnknownTerm
from quorate.table.pairs import TIE


def record(**changed):
    made = {"instruction": "Who wrote Faust?", "output_1": "...", "generator_1": "base", "dataset": "koala"}
    return made | {"output_2": "...", "generator_2": "m", "annotator": "gpt4", "preference": 2.0} | changed


PREFERENCES = [1, 2.0, "2", 0, 1.5, None]
RECORDS = [record(instruction=f"Question {i}?", preference=value) for i, value in enumerate(PREFERENCES)]


def test_verdicts_are_votes_of_which_ratings_can_be_made(write_json):
    votes = read(write_json(RECORDS))
    assert (votes.wins("m", "base"), votes.wins("base", "m"), (votes.outcome == TIE).sum()) == (2, 1, 2)
    assert statuses(votes) == {"ok": 5, "missing": 1}
    assert votes.order is None
    table = read(write_json(RECORDS), part="ratings")
    assert sorted(table.mean[table.n > 0]) == [0, 0.5, 0.5, 1, 1]
    assert table.facet("system").levels == ("m",)
    assert {level[17:] for level in table.facet("item").levels} == {f"Question {i}?" for i in range(6)}


def test_chances_are_ratings_of_which_votes_can_be_made(write_json):
    path = write_json([*RECORDS, record(preference=1.25)])
    assert 0.25 in read(path).mean
    votes = read(path, part="votes")
    assert (votes.wins("m", "base"), votes.wins("base", "m")) == (2, 2)


def test_the_other_reading_is_proposed(write_json):
    with pytest.raises(InvalidInput, match=r'holds votes.*read it as scores with part="ratings"'):
        read(write_json(RECORDS), kind="scores")
    weighted = write_json([record(preference=1.25)])
    with pytest.raises(InvalidInput, match=r'holds scores.*read it as votes with part="votes"'):
        q.read_votes(weighted, announce=False)
    with pytest.raises(UnknownTerm, match="ratings"):
        read(weighted, part="rating")


def test_several_models_are_one_table(write_json, tmp_path):
    write_json(RECORDS, "one.json")
    write_json([one | {"generator_2": "other"} for one in RECORDS], "other.json")
    table = read(tmp_path, part="ratings")
    assert table.facet("system").levels == ("m", "other")
    write_json([record(preference=1.25, generator_2="third")], "third.json")
    with pytest.raises(InvalidData, match=r'one has scores, one votes; read all as one of the two: part="'):
        read(tmp_path, kind="votes")


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (record(preference=3), "record 2: preference 3 is not from 1"),
        (record(preference=0.3), r"record 2: preference 0\.3 is not from 1"),
        (record(generator_2=None), "record 2: generator_2 is null"),
        ({key: value for key, value in record().items() if key != "annotator"}, 'record 2 has no "annotator", which'),
        (3, "record 2 is not a JSON object"),
    ],
)
def test_what_is_not_understood_is_named_with_its_record(write_json, broken, said):
    with pytest.raises(InvalidData, match=said):
        read(write_json([record(), broken]))


@pytest.mark.slow
def test_published_files(shared):
    folder = shared / "data" / "formats" / "alpaca-eval"
    plain, weighted = folder / "v1-gpt35_turbo_instruct.json", folder / "v2-weighted-text_davinci_001.json"
    votes = read(plain)
    assert (votes.rows, votes.n, len(votes.facet("prompt_type").levels)) == (805, 801, 5)
    assert (votes.wins("text_davinci_003", "gpt35_turbo_instruct"), (votes.outcome == TIE).sum()) == (134, 25)
    rated = read(plain, kind="scores", part="ratings")
    assert rated.n_answers == 801
    assert (rated.mean * rated.n)[rated.n > 0].sum() / 801 == pytest.approx(0.81710362, abs=5e-9)
    rated = read(weighted, kind="scores")
    assert (rated.n_answers, rated.mean.mean()) == (803, pytest.approx(0.02764005, abs=5e-9))
    votes = q.read_votes(weighted, part="votes", announce=False)
    won = votes.wins("text_davinci_001", "gpt4_1106_preview")
    assert (won, votes.wins("gpt4_1106_preview", "text_davinci_001"), (votes.outcome == TIE).sum()) == (23, 777, 3)
    assert (won + 1.5) / 803 == pytest.approx(0.03051059, abs=5e-9)


def test_a_broken_file_is_one_line(shared, write_json):
    path = shared / "data" / "formats" / "malformed" / "alpaca.json"
    with pytest.raises(InvalidData, match=r"alpaca\.json: record 1: preference 3 "):
        read(path)
    votes = read(write_json(json.loads(path.read_text())[1:]))
    assert statuses(votes) == {"ok": 2, "missing": 1}


@given(mutants(RECORDS[:2]) | mutants([record(preference=1.25)]))
def test_whatever_is_in_it(tmp_path_factory, block):
    reads_or_refuses(tmp_path_factory.getbasetemp() / "fuzz-alpaca.json", block, format="alpaca-eval")
