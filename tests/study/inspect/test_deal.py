from __future__ import annotations

import json
import math
from collections import Counter

import pytest

import quorate as q
from quorate.errors import InvalidInput
from quorate.study.inspect.deal import Deal, Scored, Vote, mean_of, mean_with_error, metadata
from quorate.table.exchange.foreign.inspect.marks import given

JUDGES, PROMPTS = ("x", "y", "z"), ("s", "t")


@pytest.mark.parametrize(
    ("layout", "per_item", "each"),
    [
        ("factorial", None, 6),
        ("random", None, 2),
        ("cyclic", None, 2),
        ("latin", None, 1),
        ("latin", 2, 2),
        ("blocks", 2, 4),
    ],
)
def test_every_pair_gets_its_share(layout, per_item, each):
    deal = Deal(JUDGES, PROMPTS, layout, per_item)
    asked = [deal.calls(f"q{number}", 1) for number in range(1200)]
    assert {len(calls) for calls in asked} == {each}
    counts = Counter(pair for calls in asked for pair in calls)
    assert len(counts) == 6
    mean = 1200 * each / 6  # a pair's count is binomial
    assert all(abs(count - mean) < 5 * mean**0.5 for count in counts.values())


def test_a_sample_gets_the_same_turn_again_and_epochs_get_their_own():
    deal = Deal(JUDGES, PROMPTS, "latin", replicates=2)
    assert deal.calls("q1", 1) == Deal(JUDGES, PROMPTS, "latin", replicates=2).calls("q1", 1)
    assert deal.calls(1, 1) == deal.calls("1", 1)
    assert [number for *_, number in deal.calls("q1", 1)] == [1, 2]
    assert len({deal.calls("q1", epoch) for epoch in range(40)}) == 6
    assert [deal.calls(f"q{k}", 1) for k in range(9)] != [
        Deal(JUDGES, PROMPTS, "latin", replicates=2, seed=2).calls(f"q{k}", 1) for k in range(9)
    ]


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"judges": ["x", "x"]}, "judges"),
        ({"judges": []}, "judges: at least one"),
        ({"layout": "weighted"}, "layout: .weighted. needs"),
        ({"layout": "latn"}, "layout: one of"),
        ({"layout": "blocks"}, "per_item"),
        ({"replicates": 0}, "replicates"),
    ],
)
def test_what_does_not_fit_is_refused(options, match):
    with pytest.raises(InvalidInput, match=match):
        Deal(**{"judges": JUDGES, "prompts": PROMPTS, **options})


VOTES = [
    Vote("x", "s", 1, 7.0, "ok"),
    Vote("y", "s", 1, 4.0, "ok"),
    Vote("z", "s", 2, None, "truncated", "the reply was cut off"),
]


def test_the_mean_is_of_those_that_answered():
    assert mean_of(VOTES) == 5.5
    assert math.isnan(mean_of(VOTES[2:]))


def test_the_reader_finds_each_vote_again():
    found = given({"value": 5.5, "metadata": json.loads(json.dumps(metadata(VOTES)))}).votes
    assert [(vote.judge, vote.prompt, vote.replicate, vote.mark.status) for vote in found] == [
        (vote.judge, vote.prompt, vote.replicate, vote.status) for vote in VOTES
    ]
    assert [vote.mark.score for vote in found[:2]] == [7.0, 4.0]
    assert found[2].mark.absent


def scored(item: int, marks: dict[str, float]) -> Scored:
    votes = [Vote(judge, "s", 1, mark, "ok") for judge, mark in marks.items()]
    return Scored(f"q{item}", mean_of(votes), metadata(votes), {})


def test_the_figures_are_those_of_the_same_table(tmp_path):
    marks = [{"x": float(3 + k % 4), "y": float(5 + (k * k) % 3)} for k in range(12)]
    found = mean_with_error(scored(item, given) for item, given in enumerate(marks))
    lines = [f"q{item},{judge},{mark}\n" for item, given in enumerate(marks) for judge, mark in given.items()]
    (tmp_path / "table.csv").write_text("item,judge,score\n" + "".join(lines))
    estimate = q.decompose(q.read(tmp_path / "table.csv", announce=False)).mean
    assert (found["mean"], found["standard_error"]) == pytest.approx((estimate.value, estimate.se))
    assert (found["low"], found["high"]) == pytest.approx(estimate.ends)


def test_without_scores_or_with_one_no_error_is_known():
    assert all(map(math.isnan, mean_with_error([]).values()))
    assert all(map(math.isnan, mean_with_error([scored(1, {"x": 3.0})]).values()))
