from __future__ import annotations

import pytest

from quorate.errors import InvalidInput, UnknownColumn
from quorate.table.columns.vote_roles import resolve_votes

PAIR = {"model_a": "model_a", "model_b": "model_b", "winner": "winner"}
MAIN = ["model_a", "model_b", "winner"]


def resolve(columns, *, pair=PAIR, wins=(), facets=None, **declared):
    return resolve_votes(columns, pair=pair, wins=wins, facets=facets or {}, declared=declared)


def test_usual_names_are_recognised():
    columns = [
        *MAIN,
        "Question_ID",
        "Language",
        "annotator id",
        "ranking",
        "tstamp",
        "swapped",
        "n_votes",
        "status",
        "x",
    ]
    roles = resolve(columns)
    assert dict(roles.facets) == {
        "prompt": "Question_ID",
        "prompt_type": "Language",
        "judge": "annotator id",
        "cluster": "ranking",
    }
    assert (roles.time, roles.order, roles.count, roles.status) == ("tstamp", "swapped", "n_votes", "status")
    assert roles.notes[-1] == "not used: x"
    assert "judge = column annotator id" in roles.notes


def test_the_columns_of_the_pair_have_other_usual_names():
    roles = resolve(["system_a", "system_b", "preference"])
    assert (roles.model_a, roles.model_b, roles.winner) == ("system_a", "system_b", "preference")
    with pytest.raises(UnknownColumn, match='model_a: no column "sys"'):
        resolve(["system_a", "system_b", "winner"], pair={**PAIR, "model_a": "sys"})


def test_declared_roles_win_and_empty_ones_are_left_out():
    roles = resolve([*MAIN, "question_id", "prompt", "judge"], prompt="prompt", judge="")
    assert dict(roles.facets) == {"prompt": "prompt"}
    assert roles.notes[-1] == "not used: question_id, judge"


def test_two_columns_for_one_role():
    with pytest.raises(
        InvalidInput, match='prompt: "question_id" and "prompt" could each be it; say which: prompt="qu'
    ):
        resolve([*MAIN, "question_id", "prompt"])


def test_the_order_may_be_a_column_of_models():
    assert resolve(MAIN, order="model_a").order == "model_a"
    with pytest.raises(InvalidInput, match='order: column "winner" is already winner'):
        resolve(MAIN, order="winner")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"promt": "q"}, 'roles: "promt" is not one of .*; did you mean prompt="..."'),
        ({"expanded": "q"}, r'for other columns: facets=\{"expanded"'),
        ({"judge": 3}, "judge: expects the name of a column, got int"),
        ({"judge": "who"}, 'judge: no column "who"'),
        ({"judge": "model_a"}, 'judge: column "model_a" is already model_a'),
        ({"facets": {"time": "q"}}, 'facets: "time" is no further role'),
        ({"facets": {"mine": ""}}, 'facets: "mine" is no further role'),
        ({"wins": "q"}, "wins: expects two columns of counts"),
        ({"wins": ["q"]}, "wins: expects two columns of counts"),
        ({"wins": ["q", "r"]}, r'wins \(r\): no column "r"'),
        ({"wins": ["q", "q"]}, 'wins: column "q" is already wins'),
    ],
)
def test_declarations_that_contradict_themselves(options, message):
    with pytest.raises(InvalidInput, match=message):
        resolve([*MAIN, "q"], **options)


def test_further_facets_and_wins():
    roles = resolve(["model_a", "model_b", "a", "b", "expanded"], wins=["a", "b"], facets={"expanded": "expanded"})
    assert (roles.winner, roles.wins, roles.numbers) == (None, ("a", "b"), ("a", "b"))
    assert roles.labels == ("model_a", "model_b", "expanded")
    assert "wins = columns a, b" in roles.notes
