from __future__ import annotations

import json
import math

from quorate.study.inspect.deal import Vote, mean_of, metadata
from quorate.table.exchange.foreign.inspect.marks import given

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
