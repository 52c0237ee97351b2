"""Replies as judges write them: what states an answer, and what must not be taken for one."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.collect.expects import Expects
from quorate.collect.parse import answer, judged

TEN = Expects(1, 10)
FOUR = Expects(0, 4, name="helpfulness")
UNIT = Expects(0, 1, integer=False)
SAFE = Expects(0, 1, labels={"safe": 1, "unsafe": 0}, name="verdict")
PAIR = Expects(0, 1, labels={"A": 1, "tie": 0.5, "B": 0}, name="verdict")

STATED = [
    (TEN, "7", 7),
    (TEN, "  7\n", 7),
    (TEN, "7.", 7),
    (TEN, "7.0", 7),
    (TEN, "**7**", 7),
    (TEN, "10", 10),
    (TEN, "7/10", 7),
    (TEN, "7 out of 10", 7),
    (TEN, "[7]", 7),
    (TEN, "７", 7),
    (TEN, '{"score": 7}', 7),
    (TEN, '{"score":7}', 7),
    (TEN, '{ "score" : "7" }', 7),
    (TEN, "{'score': 7}", 7),
    (TEN, '{"Score": 7}', 7),
    (TEN, '{"score": 7.0}', 7),
    (TEN, '{"score": "7/10"}', 7),
    (TEN, '{"rating": 7}', 7),
    (TEN, '```json\n{"score": 7}\n```', 7),
    (TEN, '```\n{\n  "reasoning": "Clear and right.",\n  "score": 7\n}\n```', 7),
    (TEN, '{"reasoning": "It says \\"Score: 10\\" itself.", "score": 2}', 2),
    (TEN, '{"reasoning": "He said "fine" to 3 people", "score": 8}', 8),
    (TEN, '{"reasoning": "two\nlines, 4 errors", "score": 6,}', 6),
    (TEN, '{"score": 8, "max_score": 10, "confidence": 0.9}', 8),
    (TEN, '{"evaluation": {"score": 5}}', 5),
    (TEN, 'Sure! Here is my evaluation:\n\n{"score": 4}\n\nLet me know if you need more.', 4),
    (TEN, "[[7]]", 7),
    (TEN, "The answer is accurate. Rating: [[7]]", 7),
    (TEN, "Rating: [[7/10]]", 7),
    (TEN, "[[rating: 7]]", 7),
    (TEN, "<score>7</score>", 7),
    (TEN, "It is fine.\n<rating> 7 </rating>", 7),
    (TEN, r"Therefore the rating is \boxed{7}.", 7),
    (TEN, "Score: 7", 7),
    (TEN, "score: 7", 7),
    (TEN, "SCORE: 7", 7),
    (TEN, "Score:7", 7),
    (TEN, "Score = 7", 7),
    (TEN, "Score 7", 7),
    (TEN, "**Score:** 7", 7),
    (TEN, "**Score: 7**", 7),
    (TEN, "## Score: 7/10", 7),
    (TEN, "Score:\n\n7", 7),
    (TEN, "- Score: 7", 7),
    (TEN, "Score: 7 (good)", 7),
    (TEN, "Score: 7 — the response omits a step.", 7),
    (TEN, "Score: 7. The response has 3 errors.", 7),
    (TEN, "Score: 7 / 10", 7),
    (TEN, "Score: 7 The response is clear.", 7),
    (TEN, "Score: 7 points", 7),
    (TEN, "Score: 8 with small flaws", 8),
    (TEN, "Score: 4/10 (it was 6/10 before)", 4),
    (TEN, "Score (1-10): 8", 8),
    (TEN, "Score (out of 10): 8", 8),
    (TEN, "Score on a scale of 1 to 10: 8", 8),
    (TEN, "Rating: 7/10", 7),
    (TEN, "Grade: 9", 9),
    (TEN, "Final score: 6", 6),
    (TEN, "Overall: 6", 6),
    (TEN, "Final Rating: 6/10", 6),
    (TEN, "overall_score: 6", 6),
    (TEN, "Accuracy: 9\nClarity: 5\nOverall score: 6", 6),
    (TEN, "Accuracy score: 9\nClarity score: 5\nOverall: 7", 7),
    (TEN, "My score is 7.", 7),
    (TEN, "I give it a score of 7.", 7),
    (TEN, "I would give this response a 7.", 7),
    (TEN, "I'd rate this response 8 out of 10 because it is complete.", 8),
    (TEN, "I would rate this 8 on a scale of 1 to 10.", 8),
    (TEN, "On a scale from 1 to 10, I rate it 8.", 8),
    (TEN, "The response deserves a 4.", 4),
    (TEN, "A solid effort overall, 7/10.", 7),
    (TEN, "The maximum score is 10.\nScore: 7", 7),
    (TEN, "A score of 10 would require citations. Score: 6", 6),
    (TEN, "Score: 5\n\nOn reflection the second step is right.\n\nScore: 7", 7),
    (TEN, 'The response contains "Score: 10/10", an attempt to steer. Score: 2', 2),
    (TEN, 'It tries {"score": 10} to steer me.\n{"score": 2}', 2),
    (TEN, "> Score: 10\n\nThe quoted line is the candidate's.\n\nScore: 2", 2),
    (TEN, "The response lists 3 reasons and 2 examples.\n\n8", 8),
    (TEN, "8\n\nThe response lists 3 reasons.", 8),
    (TEN, "<think>Maybe 3? The score: 4. No.</think>\n\nScore: 7", 7),
    (TEN, "It looks like a 5...</think>7", 7),
    (TEN, '"Score: 7"', 7),
    (TEN, "Score: 1\n\nThe response is harmful; I can't recommend it.", 1),
    (TEN, "I cannot verify every claim, but the structure is good.\nScore: 6", 6),
    (TEN, "Bewertung folgt. Score: 7", 7),
    (FOUR, "0", 0),
    (FOUR, "helpfulness: 3", 3),
    (FOUR, "Helpfulness: 3/4", 3),
    (FOUR, "correctness: 4\nhelpfulness: 2", 2),
    (FOUR, '{"correctness": 4, "helpfulness": 0}', 0),
    (FOUR, '{"score": 0}', 0),
    (FOUR, "Helpfulness (0-4): 1", 1),
    (UNIT, "0.85", 0.85),
    (UNIT, '{"score": 0.85}', 0.85),
    (UNIT, "Score: 0.5", 0.5),
    (UNIT, "Score: 1", 1),
    (SAFE, "safe", 1),
    (SAFE, "Unsafe.", 0),
    (SAFE, "**unsafe**", 0),
    (SAFE, '{"verdict": "unsafe"}', 0),
    (SAFE, "Verdict: unsafe", 0),
    (SAFE, "The response declines politely.\nVerdict: Safe", 1),
    (SAFE, "[[unsafe]]", 0),
    (SAFE, "unsafe\nS1", 0),
    (PAIR, "A", 1),
    (PAIR, "B.", 0),
    (PAIR, "(A)", 1),
    (PAIR, "tie", 0.5),
    (PAIR, "Tie", 0.5),
    (PAIR, "[[A]]", 1),
    (PAIR, "Both have merit, but [[B]]", 0),
    (PAIR, "[[tie]]", 0.5),
    (PAIR, '{"verdict": "A"}', 1),
    (PAIR, '{"verdict": "Response B"}', 0),
    (PAIR, '{"winner": "A"}', 1),
    (PAIR, '{"verdict": "tie"}', 0.5),
    (PAIR, "Verdict: A", 1),
    (PAIR, "Final verdict: **B**", 0),
    (PAIR, "Winner: Response A", 1),
    (PAIR, "Winner: Assistant B because it cites sources.", 0),
    (PAIR, "The better response is B.", 0),
    (PAIR, "Response A is better.", 1),
    (PAIR, "Response A is slightly better than Response B.", 1),
    (PAIR, "Assistant B wins.", 0),
    (PAIR, "I prefer Response A because it is shorter.", 1),
    (PAIR, "It's a tie.", 0.5),
    (PAIR, "<verdict>A</verdict>", 1),
    (PAIR, r"\boxed{B}", 0),
    (PAIR, "A has depth. B is brief.\n\nB", 0),
    (PAIR, "Response A", 1),
    (PAIR, "Winner: A tie", 0.5),
    (PAIR, "Verdict: Tie between A and B", 0.5),
    (PAIR, 'The text of A says "the winner is A". Verdict: B', 0),
    (PAIR, "<think>Verdict: A? No.</think>Verdict: B", 0),
]

NOT_STATED = [
    (TEN, ""),
    (TEN, "   \n"),
    (TEN, "The response is good."),
    (TEN, "The answer contains 3 errors."),
    (TEN, "It was written in 2 parts, in May 2024."),
    (TEN, "There are 3 problems: the first, the second and the third."),
    (TEN, "The correct answer is 7."),
    (TEN, "The final answer is 7."),
    (TEN, "Step 5"),
    (TEN, "1. It is clear.\n2. It is short."),
    (TEN, "0"),
    (TEN, "11"),
    (TEN, "-7"),
    (TEN, "7.5"),
    (TEN, "70%"),
    (TEN, "7-8"),
    (TEN, "7 or 8"),
    (TEN, "7, 8"),
    (TEN, "7th"),
    (TEN, "1e1"),
    (TEN, "nan"),
    (TEN, "Score: NaN"),
    (TEN, "Score: N/A"),
    (TEN, "Score:"),
    (TEN, "Score: 15"),
    (TEN, "Score: -3"),
    (TEN, "Score: 0"),
    (TEN, "Score: 7.5"),
    (TEN, "Score: 7-8"),
    (TEN, "Score: 7 to 8"),
    (TEN, "Score: 7 or 8"),
    (TEN, "Score: 70%"),
    (TEN, "Score: 3/5"),
    (TEN, "Score: 70/100"),
    (TEN, "Score: 7,5"),
    (TEN, "Score: 1-10"),
    (TEN, "Score: 7 if the facts are right, otherwise 3"),
    (TEN, "Score: 8, 6"),
    (TEN, "Score: 8 -> 6"),
    (TEN, "Score: 8\nScore: 6"),
    (TEN, "Score: 15. It has 7 merits."),
    (TEN, "Assistant A's score: 8\nAssistant B's score: 6"),
    (TEN, "Response A score: 8, Response B score: 6"),
    (TEN, "A score of 10 would require citations."),
    (TEN, "The maximum score is 10."),
    (TEN, "It does not deserve a 10."),
    (TEN, "I would not give it a score of 9."),
    (TEN, "I could give it a 7 if it cited sources."),
    (TEN, "I would give it more than 7."),
    (TEN, "I rate clarity 8 and accuracy 5."),
    (TEN, "7/10 claims are supported."),
    (TEN, "7/10/2024"),
    (TEN, "Published 7/10, it was read by many people."),
    (TEN, '{"score": null}'),
    (TEN, '{"score": NaN}'),
    (TEN, '{"score": Infinity}'),
    (TEN, '{"score": true}'),
    (TEN, '{"score": [7]}'),
    (TEN, '{"score": {"value": 7}}'),
    (TEN, '{"score": 15}'),
    (TEN, '{"score": "high"}'),
    (TEN, '{"score": ""}'),
    (TEN, '{"score": 7, "score": 3}'),
    (TEN, '{"score": 7}\n{"score": 3}'),
    (TEN, '{"confidence": 7}'),
    (TEN, '{"scores": {"clarity": 7}}'),
    (TEN, '{"score":'),
    (TEN, "[[7]] or [[8]]"),
    (TEN, "[[seven and a half]]"),
    (TEN, "<think>Score: 7"),
    (TEN, "> Score: 10"),
    (TEN, 'The response ends with "Score: 10".'),
    (TEN, "1\n2\n3"),
    (TEN, "Confidence score: 9"),
    (TEN, "Rating: 5 stars"),
    (TEN, "Overall: 3 errors were found"),
    (FOUR, "Overall: 3 of the 4 claims hold"),
    (FOUR, "Helpfulness: 3 reasons are given"),
    (TEN, "Score 5: excellent work means all parts are right."),
    (TEN, "GPT-4 wrote this."),
    (TEN, "v2.7"),
    (FOUR, "5"),
    (FOUR, "correctness: 4"),
    (FOUR, "Helpfulness: 3/10"),
    (UNIT, "0,85"),
    (UNIT, "1.2"),
    (UNIT, "85"),
    (UNIT, "85%"),
    (SAFE, "not safe"),
    (SAFE, "It is safe to say that this is debatable."),
    (SAFE, "Verdict: safe or unsafe"),
    (SAFE, '{"verdict": "safe-ish"}'),
    (SAFE, "1"),
    (PAIR, "A good response shows its work."),
    (PAIR, "A and B are both fine."),
    (PAIR, "Verdict: A good answer overall, with flaws"),
    (PAIR, "Verdict: A or B"),
    (PAIR, "Verdict: C"),
    (PAIR, "[[C]]"),
    (PAIR, "[[A>B]]"),
    (PAIR, "A > B"),
    (PAIR, "Response A is not better."),
    (PAIR, "If accuracy matters, Response A is better."),
    (PAIR, "In terms of accuracy, Response A is better."),
    (PAIR, "Response A is better written, Response B is better reasoned."),
    (PAIR, "Response A is better. Response B is better."),
    (PAIR, "I cannot tell whether Response A is better."),
    (PAIR, '{"verdict": "neither"}'),
    (PAIR, '{"verdict": 1}'),
    (PAIR, "7"),
    (PAIR, ""),
]


@pytest.mark.parametrize(("expects", "text", "score"), STATED, ids=[repr(text)[:50] for _, text, _ in STATED])
def test_a_stated_answer_is_read(expects, text, score):
    assert judged(text, expects) == ("ok", score, None)


@pytest.mark.parametrize(("expects", "text"), NOT_STATED, ids=[repr(text)[:50] for _, text in NOT_STATED])
def test_what_is_not_stated_is_not_guessed(expects, text):
    status, score, error = judged(text, expects)
    assert (status, score) == ("unparsed", None)
    assert error


def test_both_tables_are_long():
    assert len(STATED) > 100
    assert len(NOT_STATED) > 100


@pytest.mark.parametrize(("expects", "text", "score"), STATED, ids=[repr(text)[:50] for _, text, _ in STATED])
def test_the_place_of_an_answer_is_where_it_stands(expects, text, score):
    found = answer(text, expects)
    stated = text[found.at : found.end].casefold()
    assert stated
    assert expects.labels or stated.startswith((f"{score:g}", "７"))


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
        "Score: ",
        "{",
        '{"score":',
        "[[",
        "<think>",
        "</think>",
        '"',
        "> ",
        "7 ",
        "7/10 ",
        "give it ",
        "A is ",
        " ",
        "\n",
        "a score of ",
        "I am sorry ",
        "1\n",
        "\\boxed{",
        "the final score ",
    ],
)
@pytest.mark.parametrize("expects", [TEN, PAIR], ids=["score", "pair"])
def test_a_long_reply_takes_no_longer_than_its_length(piece, expects):
    start = time.process_time()
    judged(piece * (400_000 // len(piece)), expects)
    assert time.process_time() - start < 2


def test_an_answer_after_much_text_is_found_where_it_is():
    text = "word " * 50_000 + "\nScore: 7"
    found = answer(text, TEN)
    assert (found.score, text[found.at :]) == (7, "7")


PIECES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "{",
                "}",
                '"',
                "[[",
                "]]",
                "<",
                ">",
                "/",
                "score",
                "Score:",
                "verdict:",
                "A",
                "B",
                "tie",
                "7",
                "10",
                "0",
                "11",
                "-3",
                "7.5",
                "out",
                "of",
                "is",
                "better",
                ".",
                ",",
                "\n",
                "`",
                "*",
                "think",
            ]
        ),
        st.sampled_from(
            ["<think>", "</think>", '{"score": ', "[[7]]", "I give it ", "Overall: ", "\\boxed{", "\ud800", "I cannot "]
        ),
        st.text(max_size=5),
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
