"""The expected score is a mean over what the judge might have said, or it is not given."""

from __future__ import annotations

import math

import numpy as np
import pytest

from quorate.collect.judge import Expects
from quorate.collect.parse import judged

TEN = Expects(1, 10, expected=True)
PAIR = Expects(0, 1, labels={"A": 1, "tie": 0.5, "B": 0}, expected=True)


def tokens(*pieces, alternatives):
    """Pieces of a reply; the one that is None is where the alternatives are, the first of them chosen."""
    listed = [{"token": token, "logprob": math.log(p)} for token, p in alternatives.items()]
    return [
        {"token": piece, "logprob": -0.01} if piece is not None else listed[0] | {"top_logprobs": listed}
        for piece in pieces
    ]


def test_a_mean_over_the_points():
    given = tokens('{"', "score", '": ', None, "}", alternatives={"7": 0.6, "8": 0.3, "9": 0.1})
    status, score, error = judged('{"score": 7}', TEN, tokens=given)
    assert (status, error) == ("ok", None)
    assert score == pytest.approx(0.6 * 7 + 0.3 * 8 + 0.1 * 9)


def test_spaces_and_quotes_belong_to_no_point_and_weights_are_scaled():
    given = tokens("Score:", None, alternatives={" 7": 0.5, "7": 0.2, " 9": 0.2, " high": 0.1})
    assert judged("Score: 7", TEN, tokens=given)[1] == pytest.approx((0.7 * 7 + 0.2 * 9) / 0.9)


def test_labels_and_their_beginnings():
    given = tokens(None, "ie", alternatives={"t": 0.5, "A": 0.4, "B": 0.1})
    assert judged("tie", PAIR, tokens=given)[1] == pytest.approx(0.65)


def test_swapped_candidates_are_turned_round():
    swapped = Expects(0, 1, labels={"A": 1, "tie": 0.5, "B": 0}, expected=True, swapped=True)
    given = tokens(None, alternatives={"A": 0.9, "B": 0.1})
    assert judged("A", swapped, tokens=given)[1] == pytest.approx(0.1)


def test_a_token_that_may_be_half_of_a_point_does_not_count():
    """Where 10 is a token of its own, 1 is 1; where it is not, nobody knows."""
    whole = tokens(None, alternatives={"10": 0.5, "1": 0.4, "9": 0.1})
    assert judged("10", TEN, tokens=whole)[1] == pytest.approx(5 + 0.4 + 0.9)
    split = tokens(None, "0", alternatives={"1": 0.9, "9": 0.1})
    assert judged("10", TEN, tokens=split)[:2] == ("unparsed", None)
    rare = tokens(None, alternatives={"9": 0.9, "1": 0.1})
    assert judged("9", TEN, tokens=rare)[1] == pytest.approx(9)


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
    status, score, error = judged("7", TEN, tokens=given)
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
