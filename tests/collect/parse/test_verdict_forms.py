"""Each form finds its own statements; see `test_parse.py` for how they are weighed."""

from __future__ import annotations

import pytest

from quorate.collect import forms
from quorate.collect.judge import Expects

PAIR = Expects(0, 1, labels={"A": 1, "tie": 0.5, "B": 0}, name="verdict")
ARENA = Expects(0, 4, labels={"A>>B": 4, "A>B": 3, "A=B": 2, "B>A": 1, "B>>A": 0}, name="verdict")
SAFE = Expects(0, 1, labels={"safe": 1, "unsafe": 0}, name="verdict")


@pytest.mark.parametrize(
    ("form", "expects", "text", "scores"),
    [
        (forms.json_verdicts, PAIR, '{"verdict": "A"} {"verdict": "C"}', [1, None]),
        (forms.boxed_verdicts, PAIR, r"[[A]] <winner>B</winner> \boxed{\text{tie}}", [1, 0, 0.5]),
        (forms.boxed_verdicts, ARENA, "[[A>>B]] [[A=B]] [[B>A]]", [4, 2, 1]),
        (forms.final_verdicts, PAIR, "Verdict: A. Final verdict: B", [0]),
        (forms.named_verdicts, PAIR, "Winner: Response A. The better one is B.", [1, 0]),
        (forms.named_verdicts, ARENA, "Verdict: A>>B", [4]),
        (forms.named_verdicts, SAFE, "Verdict: unsafe. Classification: safe", [0, 1]),
        (forms.named_verdicts, SAFE, "Verdict: safer", [None]),
        (forms.sentences, PAIR, "Response A is better. It's a tie. If so, B wins.", [1, 0.5]),
        (forms.sentences, SAFE, "Response A is better.", []),
    ],
)
def test_a_form_finds_its_statements(form, expects, text, scores):
    assert [hit.score for hit in form(text, expects)] == scores


def test_a_label_standing_alone():
    assert forms.label_alone(" (B). ", PAIR).score == 0
    assert forms.label_alone("B it is", PAIR) is None
