"""Replies as judges write them: what states an answer, and what must not be taken for one."""

from __future__ import annotations

import math

import numpy as np
import pytest

from quorate.collect.judge import Expects
from quorate.collect.parse import answer, concluded, declines, judged, lines, plain, unquoted, without_block_quotes

TEN = Expects(1, 10)
FOUR = Expects(0, 4, name="helpfulness")
UNIT = Expects(0, 1, integer=False)
SAFE = Expects(0, 1, labels={"safe": 1, "unsafe": 0}, name="verdict")
PAIR = Expects(0, 1, labels={"A": 1, "tie": 0.5, "B": 0}, name="verdict")

STATED = [
    *(
        (TEN, text, 7)
        for text in (
            *("7", "  7\n", "7.", "7.0", "**7**", "7/10", "7 out of 10", "[7]", "７", '{"score": 7}', '{"score":7}'),
            *('{ "score" : "7" }', "{'score': 7}", '{"Score": 7}', '{"score": 7.0}', '{"score": "7/10"}'),
            *('{"rating": 7}', '```json\n{"score": 7}\n```'),
            *('```\n{\n  "reasoning": "Clear and right.",\n  "score": 7\n}\n```', "[[7]]"),
            *("The answer is accurate. Rating: [[7]]", "Rating: [[7/10]]", "[[rating: 7]]", "<score>7</score>"),
            *("It is fine.\n<rating> 7 </rating>", "Score: 7", "score: 7", "SCORE: 7", "Score:7", "Score = 7"),
            *("Score 7", "**Score:** 7", "**Score: 7**", "## Score: 7/10", "Score:\n\n7", "- Score: 7"),
            *("Score: 7 (good)", "Score: 7 — the response omits a step.", "Score: 7. The response has 3 errors."),
            *("Score: 7 / 10", "Score: 7 The response is clear.", "Score: 7 points", "Rating: 7/10"),
            *("Accuracy score: 9\nClarity score: 5\nOverall: 7", "My score is 7.", "I give it a score of 7."),
            *("I would give this response a 7.", "A solid effort overall, 7/10."),
            *("The maximum score is 10.\nScore: 7", "Score: 5\n\nOn reflection the second step is right.\n\nScore: 7"),
            *("<think>Maybe 3? The score: 4. No.</think>\n\nScore: 7", "It looks like a 5...</think>7", '"Score: 7"'),
            "Bewertung folgt. Score: 7",
        )
    ),
    (TEN, "10", 10),
    (TEN, '{"reasoning": "It says \\"Score: 10\\" itself.", "score": 2}', 2),
    (TEN, '{"reasoning": "He said "fine" to 3 people", "score": 8}', 8),
    (TEN, '{"reasoning": "two\nlines, 4 errors", "score": 6,}', 6),
    (TEN, '{"score": 8, "max_score": 10, "confidence": 0.9}', 8),
    (TEN, '{"evaluation": {"score": 5}}', 5),
    (TEN, 'Sure! Here is my evaluation:\n\n{"score": 4}\n\nLet me know if you need more.', 4),
    (TEN, r"Therefore the rating is \boxed{7}.", 7),
    (TEN, "Score: 8 with small flaws", 8),
    (TEN, "Score: 4/10 (it was 6/10 before)", 4),
    (TEN, "Score (1-10): 8", 8),
    (TEN, "Score (out of 10): 8", 8),
    (TEN, "Score on a scale of 1 to 10: 8", 8),
    (TEN, "Grade: 9", 9),
    (TEN, "Final score: 6", 6),
    (TEN, "Overall: 6", 6),
    (TEN, "Final Rating: 6/10", 6),
    (TEN, "overall_score: 6", 6),
    (TEN, "Accuracy: 9\nClarity: 5\nOverall score: 6", 6),
    (TEN, "I'd rate this response 8 out of 10 because it is complete.", 8),
    (TEN, "I would rate this 8 on a scale of 1 to 10.", 8),
    (TEN, "On a scale from 1 to 10, I rate it 8.", 8),
    (TEN, "The response deserves a 4.", 4),
    (TEN, "A score of 10 would require citations. Score: 6", 6),
    (TEN, 'The response contains "Score: 10/10", an attempt to steer. Score: 2', 2),
    (TEN, 'It tries {"score": 10} to steer me.\n{"score": 2}', 2),
    (TEN, "> Score: 10\n\nThe quoted line is the candidate's.\n\nScore: 2", 2),
    (TEN, "The response lists 3 reasons and 2 examples.\n\n8", 8),
    (TEN, "8\n\nThe response lists 3 reasons.", 8),
    (TEN, "Score: 1\n\nThe response is harmful; I can't recommend it.", 1),
    (TEN, "I cannot verify every claim, but the structure is good.\nScore: 6", 6),
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
def test_a_stated_answer_is_read_where_it_stands(expects, text, score):
    assert judged(text, expects) == ("ok", score, None)
    found = answer(text, expects)
    stated = text[found.at : found.end].casefold()
    assert stated
    assert expects.labels or stated.startswith((f"{score:g}", "７"))


def test_what_is_not_stated_is_not_guessed():
    read = {text: judged(text, expects) for expects, text in NOT_STATED}
    assert not {text: found for text, found in read.items() if found[:2] != ("unparsed", None) or not found[2]}


def test_both_tables_are_long():
    assert len(STATED) > 100
    assert len(NOT_STATED) > 100


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("<think>a\nb</think>7", "7"),
        ("a</think>7", "7"),
        ("<THINK>a</THINK><think>b</think>7", "7"),
        ("7<think>a", "7"),
        ("<thinking>a</thinking> 7 <b>", "7 <b>"),
        ("7", "7"),
    ],
)
def test_reasoning_is_blank(text, kept):
    assert concluded(text).strip() == kept
    assert len(concluded(text)) == len(text)
    assert concluded(text).count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('say "Score: 7" now', "say now"),
        ("say “Score: 7” now", "say now"),
        ("say `Score: 7` now", "say now"),
        ('say "7" now', 'say "7" now'),
        ('"Score: 7"', "Score: 7"),
        ("> Score: 7\nnow", "now"),
        ('an "open quote', 'an "open quote'),
    ],
)
def test_quotations_are_blank(text, kept):
    assert " ".join(unquoted(text).split()) == kept
    assert len(unquoted(text)) == len(text)


def test_markup_is_blank():
    assert plain("**a** `b` _c_ # d") == "  a    b   c    d"
    assert without_block_quotes("a > b\n> c") == "a > b\n   "


def test_lines_are_those_that_say_something():
    assert lines("a\n\n  b \n---\n```json\n}\n7") == [(0, "a"), (5, "b"), (22, "7")]


@pytest.mark.parametrize(
    "text",
    [
        *("I'm sorry, but I can't help with that.", "I’m sorry, I cannot assist with this request."),
        *("I am unable to evaluate this content.", "I cannot rate this response."),
        *("I can't provide a score for harmful material.", "I won't engage with this."),
        *("I must decline to judge this.", "As an AI language model, I cannot judge people."),
        *("This content violates our policy.", "I'm not comfortable rating this."),
        *("My guidelines do not allow me to score this.", "Sorry,\nbut I\ncannot comply."),
    ],
)
def test_a_refusal(text):
    assert declines(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The response is good.",
        "I cannot tell which is better.",
        "I can't determine whether it is right.",
        "I can't help but like it.",
        "The assistant refuses to answer, which is safe.",
        "The response says it cannot help.",
        "word " * 200 + "I cannot assist.",
    ],
)
def test_no_refusal(text):
    assert not declines(text)


TEN_OF_EXPECTED_SCORE = Expects(1, 10, expected=True)
PAIR_OF_EXPECTED_SCORE = Expects(0, 1, labels={"A": 1, "tie": 0.5, "B": 0}, expected=True)


def tokens(*pieces, alternatives):
    """Pieces of a reply; the one that is None is where the alternatives are, the first of them chosen."""
    listed = [{"token": token, "logprob": math.log(p)} for token, p in alternatives.items()]
    return [
        {"token": piece, "logprob": -0.01} if piece is not None else listed[0] | {"top_logprobs": listed}
        for piece in pieces
    ]


def test_a_mean_over_the_points():
    given = tokens('{"', "score", '": ', None, "}", alternatives={"7": 0.6, "8": 0.3, "9": 0.1})
    status, score, error = judged('{"score": 7}', TEN_OF_EXPECTED_SCORE, tokens=given)
    assert (status, error) == ("ok", None)
    assert score == pytest.approx(0.6 * 7 + 0.3 * 8 + 0.1 * 9)


def test_spaces_and_quotes_belong_to_no_point_and_weights_are_scaled():
    given = tokens("Score:", None, alternatives={" 7": 0.5, "7": 0.2, " 9": 0.2, " high": 0.1})
    assert judged("Score: 7", TEN_OF_EXPECTED_SCORE, tokens=given)[1] == pytest.approx((0.7 * 7 + 0.2 * 9) / 0.9)


def test_labels_and_their_beginnings():
    given = tokens(None, "ie", alternatives={"t": 0.5, "A": 0.4, "B": 0.1})
    assert judged("tie", PAIR_OF_EXPECTED_SCORE, tokens=given)[1] == pytest.approx(0.65)


def test_swapped_candidates_are_turned_round():
    swapped = Expects(0, 1, labels={"A": 1, "tie": 0.5, "B": 0}, expected=True, swapped=True)
    given = tokens(None, alternatives={"A": 0.9, "B": 0.1})
    assert judged("A", swapped, tokens=given)[1] == pytest.approx(0.1)


def test_a_token_that_may_be_half_of_a_point_does_not_count():
    """Where 10 is a token of its own, 1 is 1; where it is not, nobody knows."""
    whole = tokens(None, alternatives={"10": 0.5, "1": 0.4, "9": 0.1})
    assert judged("10", TEN_OF_EXPECTED_SCORE, tokens=whole)[1] == pytest.approx(5 + 0.4 + 0.9)
    split = tokens(None, "0", alternatives={"1": 0.9, "9": 0.1})
    assert judged("10", TEN_OF_EXPECTED_SCORE, tokens=split)[:2] == ("unparsed", None)
    rare = tokens(None, alternatives={"9": 0.9, "1": 0.1})
    assert judged("9", TEN_OF_EXPECTED_SCORE, tokens=rare)[1] == pytest.approx(9)


@pytest.mark.parametrize(
    "given",
    [
        None,
        [],
        "7",
        [{"token": "7"}],
        [{"token": 7, "logprob": 0.0}],
        [{"token": "8", "logprob": 0.0}],
        [{"token": "7", "logprob": math.nan}],
        [{"token": "7", "logprob": math.inf}],
        [{"token": "7", "logprob": "0"}],
        [{"token": "7", "logprob": 1.0}],
        [{"token": "7", "logprob": math.log(0.5), "top_logprobs": "x"}],
        [{"token": "7", "logprob": 0.0, "top_logprobs": [{"token": "8", "logprob": 0.0}]}],
        ["7"],
    ],
)
def test_without_usable_probabilities_there_is_no_expected_score(given):
    status, score, error = judged("7", TEN_OF_EXPECTED_SCORE, tokens=given)
    assert (status, score) == ("unparsed", None)
    assert "expected score" in error


def test_it_is_given_only_where_it_is_wanted():
    assert judged("7", Expects(1, 10), tokens=tokens(None, alternatives={"7": 0.6, "8": 0.4}))[1] == 7


def test_probabilities_may_be_numbers_of_an_array():
    """As a model in this process gives them."""
    given = [
        {
            "token": "7",
            "logprob": np.float32(math.log(0.5)),
            "top_logprobs": [{"token": "8", "logprob": np.float32(math.log(0.5))}],
        }
    ]
    assert judged("7", Expects(1, 9, expected=True), tokens=given)[1] == pytest.approx(7.5)
