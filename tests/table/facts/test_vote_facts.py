from __future__ import annotations

import json
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import votes_table

from quorate.table.facts.vote_facts import gathered, graph_of, joint
from quorate.table.read_votes import read_votes


def read(rows, *, columns=("model_a", "model_b", "winner", "prompt", "judge"), **options):
    return read_votes(pl.DataFrame(rows, schema=list(columns), orient="row"), announce=False, **options)


def test_votes_by_outcome_pair_and_judge():
    facts = read(
        [("x", "y", "a", 1, "j"), ("y", "x", "a", 1, "k"), ("x", "z", "tie", 2, "j"), ("x", "z", None, 2, "k")]
    )
    facts = facts.describe()
    assert (facts.rows, facts.votes, facts.decisive, facts.ties, facts.both_bad, facts.missing) == (4, 3, 2, 1, 0, 1)
    assert facts.pairs.labels == (("x", "y"), ("x", "z"))
    assert (facts.pairs.decisive, facts.pairs.ties, facts.pairs.missing) == ((2, 0), (0, 1), (0, 1))
    assert facts.levels["judge"].labels == ("j", "k")
    assert (facts.levels["judge"].decisive, facts.levels["judge"].missing) == ((1, 1), (0, 1))
    assert facts.roles == {"prompt": 2, "judge": 2}
    assert json.loads(json.dumps(facts.to_dict()))["pairs"]["labels"] == [["x", "y"], ["x", "z"]]


def test_how_votes_gather():
    rows = [("x", "y", "a", 1, "j")] * 3 + [
        ("x", "z", "a", 1, "j"),
        ("x", "y", "b", 2, "k"),
        ("x", "y", "b", None, "k"),
    ]
    prompt = read(rows).describe().grouping("prompt")
    assert (prompt.votes, prompt.unlabelled, prompt.groups, prompt.most, prompt.largest) == (5, 1, 2, 4, "1")
    assert prompt.mean == 2.5
    assert prompt.repeated == 4 / 5
    assert prompt.effective == pytest.approx(25 / 17)
    assert prompt.gathered == pytest.approx(17 / 5)
    assert prompt.gathered_in_pair == pytest.approx((9 + 1 + 1) / 5)
    assert read(rows).describe().grouping("cluster") is None


def test_counts_gather_like_rows():
    columns = ("model_a", "model_b", "winner", "prompt", "count")
    counted = read([("x", "y", "a", 1, 3), ("x", "y", "b", 2, 1)], columns=columns).describe()
    spelled = read([("x", "y", "a", 1, 1)] * 3 + [("x", "y", "b", 2, 1)], columns=columns).describe()
    assert counted.grouping("prompt") == spelled.grouping("prompt")
    assert counted.pairs == spelled.pairs


def test_a_judge_who_votes_again():
    again = read(
        [
            ("x", "y", "a", 1, "j"), ("y", "x", "a", 1, "j"),  # the other model
            ("x", "y", "a", 2, "j"), ("x", "y", "tie", 2, "j"),  # now a tie
            ("x", "y", "a", 3, "j"), ("x", "y", "a", 3, "j"),  # the same row again
            ("x", "y", "a", 4, "j"), ("x", "y", None, 4, "j"),  # no answer is no contradiction
            ("x", "y", "a", 5, "j"), ("x", "y", "b", 5, "k"),  # two judges may differ
            ("x", "y", "a", None, "j"), ("x", "y", "b", None, "j"),  # which prompt is not known
        ]
    ).describe()  # fmt: skip
    assert (again.repeats.asked_again, again.repeats.contradicted, again.repeats.reversed) == (3, 2, 1)
    assert again.repeats.rows == 1
    assert again.shared == 1


def test_rows_at_other_times_are_no_copies():
    columns = ("model_a", "model_b", "winner", "prompt", "judge", "time")
    rows = [("x", "y", "a", 1, "j", moment) for moment in (1.0, 2.0, 2.0, None, None)]
    assert read(rows, columns=columns).describe().repeats.rows == 2


def test_without_judge_or_prompt_nothing_is_said_of_repeats():
    facts = read([("x", "y", "a", 1)] * 2, columns=("model_a", "model_b", "winner", "prompt")).describe()
    assert facts.repeats is None
    assert facts.shared == 0


def test_the_side_that_won():
    rows = [("x", "y", "a", "x"), ("y", "x", "a", "x"), ("y", "x", "b", None), ("x", "y", "tie", "y")]
    facts = read(rows, columns=("model_a", "model_b", "winner", "shown_first")).describe()
    assert (facts.written.won, facts.written.decisive, facts.written.unknown) == (2, 3, 0)
    assert (facts.first.won, facts.first.decisive, facts.first.unknown) == (1, 2, 1)
    always = read(rows, columns=("model_a", "model_b", "winner", "x"), order="model_a").describe()
    assert always.first == always.written
    assert always.written == facts.written


def test_judges_who_always_choose_one_side():
    rows = [
        *[(*pair, "a", 1, "left") for pair in [("x", "y"), ("y", "x")] * 5],
        *[("x", "y", "tie" if i % 2 else "tie (bothbad)", 1, "tie") for i in range(10)],
        *[("x", "y", "a", 1, "nine") for _ in range(9)],
        *[("x", "y", "ab"[i % 2], 1, "fair") for i in range(10)],
        *[("x", "y", None, 1, "silent") for _ in range(10)],
        *[("x", "y", "a", 1, None) for _ in range(10)],
    ]
    facts = read(rows).describe()
    assert (facts.constant_judges, facts.constant_votes) == (("left", "tie"), 20)


def test_when_votes_were_given():
    columns = ("model_a", "model_b", "winner", "time")
    dated = read([("x", "y", "a", "2024-05-01T12:00:00"), ("x", "y", "a", None)], columns=columns).describe().span
    assert (dated.earliest, dated.latest) == ("2024-05-01T12:00:00+00:00",) * 2
    assert (dated.moments, dated.unknown) == (1, 1)
    numbers = read([("x", "y", "a", 20091008), ("x", "y", "a", 20100320)], columns=columns).describe().span
    assert (numbers.earliest, numbers.latest) == ("20091008", "20100320")
    none = read([("x", "y", "a", None)], columns=columns).describe().span
    assert (none.earliest, none.unknown) == (None, 1)


def test_nothing_but_missing_votes():
    facts = read([("x", "y", None, 1, "j")]).describe()
    assert (facts.votes, facts.missing, facts.groupings, facts.constant_votes) == (0, 1, (), 0)
    assert facts.graph.components == (("x",), ("y",))


@given(st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 2), st.integers(1, 4)), min_size=1, max_size=30))
def test_groups_by_the_definition(rows):
    first, second, weights = (np.array(column) for column in zip(*rows, strict=True))
    code = joint(first, second)
    assert len(set(code.tolist())) == len({row[:2] for row in rows}) == code.max() + 1
    n = Counter()
    for row in rows:
        n[row[:2]] += row[2]
    assert gathered(code, weights) == pytest.approx(sum(k * k for k in n.values()) / sum(n.values()))


@pytest.mark.slow
def test_wmt15(shared):
    facts = read_votes(shared / "data" / "wmt15_human_pairwise.parquet", announce=False).describe()
    assert (facts.models, len(facts.pairs.labels), len(facts.graph.components)) == (94, 693, 1)
    ranking = facts.grouping("cluster")
    assert ranking.groups == 28_197
    assert ranking.mean == pytest.approx(443_948 / 28_197)
    assert ranking.gathered == pytest.approx(23.45, abs=0.01)
    assert ranking.gathered_in_pair == 1
    assert (facts.repeats.asked_again, facts.repeats.contradicted, facts.repeats.reversed) == (26_128, 6_652, 2_487)
    assert (facts.written.decisive, facts.written.unknown) == (0, 367_124)  # no pair is written in both orders


def graph(*rows):
    return graph_of(votes_table(rows, "model_a model_b winner").pairs())


def test_models_that_no_vote_connects():
    found = graph(("x", "y", "a"), ("u", "v", "b"), ("v", "w", "tie"))
    assert found.components == (("u", "v", "w"), ("x", "y"))


def test_a_missing_vote_connects_nothing():
    assert graph(("x", "y", "a"), ("y", "z", None)).components == (("x", "y"), ("z",))


def test_a_circle_of_wins_has_one_side():
    assert graph(("x", "y", "a"), ("y", "z", "a"), ("z", "x", "a")).one_sided == (("x", "y", "z"),)


def test_a_model_that_never_lost_is_apart():
    found = graph(("x", "y", "a"), ("y", "z", "a"), ("z", "y", "a"))
    assert found.components == (("x", "y", "z"),)
    assert found.one_sided == (("y", "z"), ("x",))


def test_ties_connect_both_ways():
    assert graph(("x", "y", "tie"), ("y", "z", "tie (bothbad)")).one_sided == (("x", "y", "z"),)
