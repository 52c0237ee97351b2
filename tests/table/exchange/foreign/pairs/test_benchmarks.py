"""Pairs of Arena-Hard, two games a question; of JudgeBench, in both orders; of AlpacaEval; and a log of FastChat."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from logs import read, statuses
from mutants import mutants, reads_or_refuses

import quorate as q
from quorate.errors import InvalidData, InvalidInput, UnknownTerm
from quorate.table.pairs import TIE, A, B


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


def judged(*decisions, judge="j"):
    return [one if one is None else {"judgment": {"judge_model": judge}, "decision": one[0]} for one in decisions]


def line_of_judgebench(**changed):
    made = {"pair_id": "p1", "source": "mmlu-pro-law", "response_model": "m", "response_A": "...", "label": "A>B"}
    return made | {"judge_name": "vanilla", "judgments": judged(["A>B"], ["A>B"])} | changed


def test_decisions_are_by_position(write_lines):
    """The second judgment shows the responses exchanged: its A>B is for response_B."""
    votes = read(
        write_lines(
            line_of_judgebench(), line_of_judgebench(pair_id="p2", label="B>A", judgments=judged(["A=B"], None))
        )
    )
    assert votes.outcome.tolist()[:3] == [A, B, TIE]
    assert votes.order.tolist() == [A, B, A, B]
    assert statuses(votes) == {"ok": 3, "error": 1}
    assert votes.facet("gold").levels == ("response_A", "response_B")
    assert (votes.facet("method").levels, votes.facet("prompt_type").levels) == (("vanilla",), ("mmlu-pro-law",))


def test_a_judge_may_be_named_by_the_file_alone(write_lines):
    name = "dataset=judgebench,response_model=gpt-4o,judge_name=vanilla,judge_model=o1-mini.jsonl"
    votes = read(write_lines(line_of_judgebench(judgments=[None, {"decision": None}]), line_of_judgebench(), name=name))
    assert votes.facet("judge").levels == ("j", "o1-mini")
    assert statuses(votes) == {"ok": 2, "unparsed": 1, "error": 1}
    with pytest.raises(InvalidData, match="line 1: no judge_model in it"):
        read(write_lines(line_of_judgebench(judgments=[None])))
    with pytest.raises(InvalidInput, match="has no parts"):
        read(write_lines(line_of_judgebench()), part="votes")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"judgments": judged(["A>C"])}, 'line 2, judgment 1: decision "A>C" is not known; known are A>B, B>A, A=B'),
        ({"judgments": []}, "line 2: has 0 judgments"),
        ({"judgments": [3]}, "line 2: judgments is 3; an object is needed"),
        ({"label": "A=B"}, 'line 2: label "A=B" is not known'),
        ({"pair_id": None}, "line 2: pair_id is null"),
    ],
)
def test_what_is_not_understood_is_named_with_its_line_of_judgebench(write_lines, changed, said):
    with pytest.raises(InvalidData, match=said):
        read(write_lines(line_of_judgebench(), line_of_judgebench(**changed)))


def test_published_files_of_judgebench(shared):
    folder = shared / "data" / "formats" / "judgebench"
    figures = {
        "claude-3-5-sonnet-by-arena_hard-claude-3-haiku": (540, 13, 212, 123, 192, 135, 38),
        "gpt-4o-by-skywork-reward-llama-8b": (700, 0, 349, 351, 0, 349, 218),
    }
    for name, figure in figures.items():
        votes = read(folder / f"{name}.jsonl")
        first, second = ((votes.outcome == side).sum() for side in (votes.order, 1 - votes.order))
        prompt, outcome = votes.column("prompt"), votes.outcome
        both = np.array([outcome[prompt == code] for code in range(len(votes.facet("prompt").levels))])
        gold = np.array([votes.column("gold")[prompt == code][0] for code in range(len(both))])
        same = (both[:, 0] == both[:, 1]) & (both[:, 0] <= TIE)
        right = (both == gold[:, None]).all(axis=1)
        ties = (outcome == TIE).sum()
        found = (votes.rows, votes.rows - votes.n, first, second, ties, same.sum(), right.sum())
        assert found == figure


@given(mutants([line_of_judgebench(), line_of_judgebench(pair_id="p2", judgments=judged(["A=B"], [None]))], lines=True))
def test_whatever_is_in_it_of_judgebench(tmp_path_factory, block):
    reads_or_refuses(tmp_path_factory.getbasetemp() / "fuzz-judgebench.jsonl", block, format="judgebench")


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


@pytest.mark.slow
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
def test_published_files_of_alpaca_eval(shared):
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


@pytest.mark.parametrize(("preference", "kind"), [(1.25, "scores"), (1, "votes")])
def test_an_instruction_of_several_datasets_is_one_item(write_json, preference, kind):
    rows = [record(dataset=name, generator_2=name, preference=preference) for name in "xy"]
    table = read(write_json(rows), kind=kind)
    assert len(table.facet("item" if kind == "scores" else "prompt").levels) == 1
    assert not {"category", "prompt_type"} & {*table.names}
    assert any("dataset is left out" in note for note in table.notes)


def test_a_broken_file_is_one_line_of_alpaca_eval(shared, write_json):
    path = shared / "data" / "formats" / "malformed" / "alpaca.json"
    with pytest.raises(InvalidData, match=r"alpaca\.json: record 1: preference 3 "):
        read(path)
    votes = read(write_json(json.loads(path.read_text())[1:]))
    assert statuses(votes) == {"ok": 2, "missing": 1}


@given(mutants(RECORDS[:2]) | mutants([record(preference=1.25)]))
def test_whatever_is_in_it_of_alpaca_eval(tmp_path_factory, block):
    reads_or_refuses(tmp_path_factory.getbasetemp() / "fuzz-alpaca.json", block, format="alpaca-eval")


def event(kind="leftvote", **changed):
    states = [{"model_name": name, "messages": [["user", "Why?"], ["assistant", "So."]]} for name in ("gpt", "llama")]
    known = {"tstamp": 1.5, "type": kind, "models": ["", ""], "states": states, "ip": "192.0.2.1"}
    return known | changed


def test_events_of_votes_in_a_log_of_fastchat(write_lines):
    chat = {"tstamp": 1.0, "type": "chat", "model": "gpt", "state": {"model_name": "gpt"}, "ip": "192.0.2.1"}
    kinds = ("leftvote", "rightvote", "tievote", "bothbad_vote")
    votes = read(write_lines(chat, *map(event, kinds), chat))
    assert votes.models == ("gpt", "llama")  # which the conversations name where models are hidden
    assert votes.outcome.tolist()[:3] == [A, B, TIE]
    assert votes.facet("judge").levels != ("192.0.2.1",)
    assert "2 events of chats left out" in votes.notes
    with pytest.raises(InvalidData, match="none of 1 event is a vote"):
        read(write_lines(chat))
    with pytest.raises(InvalidData, match="line 2: a vote without the two conversations"):
        read(write_lines(event(), event(states=[])))


@given(mutants([event(), event("tievote")], lines=True))
def test_any_log_of_fastchat(tmp_path_factory, text):
    reads_or_refuses(tmp_path_factory.mktemp("m") / "conv.jsonl", text, format="fastchat")
