"""Each form finds its own statements; see `test_parse.py` for how they are weighed."""

from __future__ import annotations

import pytest

from quorate.collect import forms
from quorate.collect.judge import Expects

TEN = Expects(1, 10)


@pytest.mark.parametrize(
    ("form", "text", "scores"),
    [
        (forms.json_scores, '{"score": 7, "score": "8"}', [7, 8]),
        (forms.json_scores, '{"score": 12} {"rating": 3}', [None]),
        (forms.boxed_scores, "[[7]] <score>8</score> [[x]]", [7, 8, None]),
        (forms.overall_scores, "Score: 3, overall: 7, final score: 8", [7, 8]),
        (forms.named_scores, "Score: 3. The rating is 4. Confidence score: 9", [3, 4]),
        (forms.fractions, "7/10, because; 8/9. 3/10 things", [7]),
        (forms.verbs, "I give it 7. I rated it 8! Would not give it 3.", [7, 8]),
    ],
)
def test_a_form_finds_its_statements(form, text, scores):
    assert [hit.score for hit in form(text, TEN)] == scores


def test_a_hit_says_where_it_is():
    (hit,) = forms.named_scores("My score: 7/10.", TEN)
    assert (hit.at, hit.end) == (10, 14)


@pytest.mark.parametrize(("text", "score"), [("7", 7), ("(7).", 7), ("7/10", 7), ("77", None), ("−7", None)])
def test_a_number_standing_alone(text, score):
    assert forms.number_alone(text, TEN).score == score


@pytest.mark.parametrize("text", ["", "x", "7 x", "x 7", "7a"])
def test_a_number_in_company(text):
    assert forms.number_alone(text, TEN) is None
