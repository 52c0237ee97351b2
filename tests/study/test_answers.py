"""Answers of a study: scores, or votes where two systems are named."""

import pytest
from under_way import scored, voted

import quorate as q
from quorate.study.file import answers, load


@pytest.mark.parametrize(("make", "kind"), [(scored, q.Judgments), (voted, q.Votes)])
def test_answers_are_scores_or_votes(make, kind, tmp_path):
    assert isinstance(answers(load(make(tmp_path, calls=10))), kind)
