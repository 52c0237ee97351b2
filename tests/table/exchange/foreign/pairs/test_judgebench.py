"""JudgeBench: verdicts by position on responses of which one is right."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from logs import read, statuses
from mutants import mutants, reads_or_refuses

from quorate.errors import InvalidData, InvalidInput
from quorate.table.pairs import TIE, A, B


def judged(*decisions, judge="j"):
    return [one if one is None else {"judgment": {"judge_model": judge}, "decision": one[0]} for one in decisions]


def line(**changed):
    made = {"pair_id": "p1", "source": "mmlu-pro-law", "response_model": "m", "response_A": "...", "label": "A>B"}
    return made | {"judge_name": "vanilla", "judgments": judged(["A>B"], ["A>B"])} | changed


def test_decisions_are_by_position(write_lines):
    """The second judgment shows the responses exchanged: its A>B is for response_B."""
    votes = read(write_lines(line(), line(pair_id="p2", label="B>A", judgments=judged(["A=B"], None))))
    assert votes.outcome.tolist()[:3] == [A, B, TIE]
    assert votes.order.tolist() == [A, B, A, B]
    assert statuses(votes) == {"ok": 3, "error": 1}
    assert votes.facet("gold").levels == ("response_A", "response_B")
    assert (votes.facet("method").levels, votes.facet("prompt_type").levels) == (("vanilla",), ("mmlu-pro-law",))


def test_a_judge_may_be_named_by_the_file_alone(write_lines):
    name = "dataset=judgebench,response_model=gpt-4o,judge_name=vanilla,judge_model=o1-mini.jsonl"
    votes = read(write_lines(line(judgments=[None, {"decision": None}]), line(), name=name))
    assert votes.facet("judge").levels == ("j", "o1-mini")
    assert statuses(votes) == {"ok": 2, "unparsed": 1, "error": 1}
    with pytest.raises(InvalidData, match="line 1: no judge_model in it"):
        read(write_lines(line(judgments=[None])))
    with pytest.raises(InvalidInput, match="has no parts"):
        read(write_lines(line()), part="votes")


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
def test_what_is_not_understood_is_named_with_its_line(write_lines, changed, said):
    with pytest.raises(InvalidData, match=said):
        read(write_lines(line(), line(**changed)))


def test_published_files(shared):
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


@given(mutants([line(), line(pair_id="p2", judgments=judged(["A=B"], [None]))], lines=True))
def test_whatever_is_in_it(tmp_path_factory, block):
    reads_or_refuses(tmp_path_factory.getbasetemp() / "fuzz-judgebench.jsonl", block, format="judgebench")
