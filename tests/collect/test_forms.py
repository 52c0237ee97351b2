"""Each form finds its own statements; see `test_parse.py` for how they are weighed."""

from __future__ import annotations

import time

import pytest
from examples import any_text
from hypothesis import given
from hypothesis import strategies as st

from quorate.collect import forms
from quorate.collect.judge import Expects
from quorate.collect.parse import answer, judged

TEN = Expects(1, 10)


@pytest.mark.parametrize(
    ("form", "text", "scores"),
    [
        (forms.json_answers, '{"score": 7, "score": "8"}', [7, 8]),
        (forms.json_answers, '{"score": 12} {"rating": 3}', [None]),
        (forms.boxed_answers, "[[7]] <score>8</score> [[x]]", [7, 8, None]),
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


PAIR = Expects(0, 1, labels={"A": 1, "tie": 0.5, "B": 0}, name="verdict")
ARENA = Expects(0, 4, labels={"A>>B": 4, "A>B": 3, "A=B": 2, "B>A": 1, "B>>A": 0}, name="verdict")
SAFE = Expects(0, 1, labels={"safe": 1, "unsafe": 0}, name="verdict")


@pytest.mark.parametrize(
    ("form", "expects", "text", "scores"),
    [
        (forms.json_answers, PAIR, '{"verdict": "A"} {"verdict": "C"}', [1, None]),
        (forms.boxed_answers, PAIR, r"[[A]] <winner>B</winner> \boxed{\text{tie}}", [1, 0, 0.5]),
        (forms.boxed_answers, ARENA, "[[A>>B]] [[A=B]] [[B>A]]", [4, 2, 1]),
        (forms.final_verdicts, PAIR, "Verdict: A. Final verdict: B", [0]),
        (forms.named_verdicts, PAIR, "Winner: Response A. The better one is B.", [1, 0]),
        (forms.named_verdicts, ARENA, "Verdict: A>>B", [4]),
        (forms.named_verdicts, SAFE, "Verdict: unsafe. Classification: safe", [0, 1]),
        (forms.named_verdicts, SAFE, "Verdict: safer", [None]),
        (forms.sentences, PAIR, "Response A is better. It's a tie. If so, B wins.", [1, 0.5]),
        (forms.sentences, SAFE, "Response A is better.", []),
    ],
)
def test_a_form_finds_its_statements_of_verdict_forms(form, expects, text, scores):
    assert [hit.score for hit in form(text, expects)] == scores


def test_a_label_standing_alone():
    assert forms.label_alone(" (B). ", PAIR).score == 0
    assert forms.label_alone("B it is", PAIR) is None


FOUR = Expects(0, 4, name="helpfulness")
UNIT = Expects(0, 1, integer=False)


def test_swapped_candidates_are_turned_round():
    swapped = Expects(0, 1, labels={"A": 1, "tie": 0.5, "B": 0}, swapped=True)
    assert [judged(text, swapped)[1] for text in ("A", "tie", "B")] == [0, 0.5, 1]
    assert judged("2", Expects(1, 10, swapped=True))[1] == 9


@pytest.mark.parametrize("finish", ["length", "max_tokens"])
def test_a_reply_that_was_cut_off_is_truncated_whatever_it_holds(finish):
    assert judged("Score: 1", TEN, finish=finish)[:2] == ("truncated", None)


def test_a_filtered_reply_is_refused():
    assert judged("Score: 1", TEN, finish="content_filter")[:2] == ("refused", None)


def test_a_refusal_is_refused_and_a_score_beside_one_counts():
    assert judged("I'm sorry, but I can't help with that.", TEN)[:2] == ("refused", None)
    assert judged("I'm sorry, but I can't like it. Score: 2", TEN)[:2] == ("ok", 2)


@pytest.mark.parametrize(
    "piece",
    [
        *("Score: ", "{", '{"score":', "[[", "<think>", "</think>", '"', "> ", "7 ", "7/10 ", "give it ", "A is "),
        *(" ", "\n", "a score of ", "I am sorry ", "1\n", "\\boxed{", "the final score "),
    ],
)
@pytest.mark.parametrize("expects", [TEN, PAIR], ids=["score", "pair"])
@pytest.mark.slow
def test_a_long_reply_takes_no_longer_than_its_length(piece, expects):
    start = time.process_time()
    judged(piece * (60_000 // len(piece)), expects)
    assert time.process_time() - start < 1


def test_an_answer_after_much_text_is_found_where_it_is():
    text = "word " * 50_000 + "\nScore: 7"
    found = answer(text, TEN)
    assert (found.score, text[found.at :]) == (7, "7")


PIECES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                *("{", "}", '"', "[[", "]]", "<", ">", "/", "score", "Score:", "verdict:", "A", "B", "tie", "7", "10"),
                *("0", "11", "-3", "7.5", "out", "of", "is", "better", ".", ",", "\n", "`", "*", "think"),
            ]
        ),
        st.sampled_from(
            ["<think>", "</think>", '{"score": ', "[[7]]", "I give it ", "Overall: ", "\\boxed{", "\ud800", "I cannot "]
        ),
        any_text(max_size=5),
    ),
    max_size=30,
).map("".join)


@given(PIECES)
def test_whatever_is_said_becomes_a_status_and_only_points_of_the_scale_become_scores(text):
    for expects in (TEN, FOUR, UNIT, SAFE, PAIR):
        status, score, _ = judged(text, expects)
        assert status in {"ok", "unparsed", "refused"}
        assert (score is not None) == (status == "ok")
        assert score is None or (score in expects.points if expects.points else expects.allows(score))


@pytest.mark.parametrize(
    "form",
    ["{}", "Score: {}", "[[{}]]", '{{"score": {}}}', "{}/10", "It is fine.\n\nRating: **{}**", "<score>{}</score>"],
)
def test_every_point_of_the_scale_is_read(form):
    for point in range(-2, 14):
        status, score, _ = judged(form.format(point), TEN)
        assert (status, score) == (("ok", point) if 1 <= point <= 10 else ("unparsed", None))


@pytest.mark.parametrize("gap", ["\u200b", "\u2060\u2060", "\u00ad", "\ufeff"])
@pytest.mark.parametrize("reply", ["1{}0", "Score: 1{}0", "[[1{}0]]", '{{"score": 1{}0}}', "1{}.5", "7{}/10"])
def test_a_number_with_something_invisible_in_it_is_no_number(gap, reply):
    """1<zero width>0 was read as 1."""
    assert judged(reply.format(gap), Expects(1, 10))[:2] == ("unparsed", None)


def test_invisible_characters_beside_a_number_do_not_matter():
    assert judged("Score: 7\u200b", Expects(1, 10))[:2] == ("ok", 7)
