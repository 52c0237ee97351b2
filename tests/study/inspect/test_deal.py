from __future__ import annotations

from collections import Counter

import pytest

from quorate.errors import InvalidInput
from quorate.study.inspect.deal import Deal

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
