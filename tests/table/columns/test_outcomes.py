from __future__ import annotations

import numpy as np
import pytest

from quorate.errors import InvalidData, InvalidInput
from quorate.table.columns.labels import encode
from quorate.table.columns.languages import plain
from quorate.table.columns.outcomes import occurring, order_of, outcomes_of, shown

X, Y = np.array([0], dtype=np.int32), np.array([1], dtype=np.int32)


def coded(values):
    column = np.array(values, dtype=object)
    absent = np.array([value is None for value in values])
    if all(isinstance(value, (int, float)) for value in values):
        column = np.array(values)
    return encode(column, absent)


def read(values, outcomes=None, models=("x", "y"), column="winner", pair=None):
    n = len(values)
    first, second = pair or (np.tile(X, n), np.tile(Y, n))
    return outcomes_of(coded(values), column, (np.array(first), np.array(second)), models, outcomes)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["model_a", "model_b", "tie", "tie (bothbad)"], [0, 1, 2, 3]),
        (["A", "B", "C"], [0, 1, 2]),
        (["[[A]]", "[[B]]", "[[C]]"], [0, 1, 2]),
        (["Model A", "MODEL-B", " Tie "], [0, 1, 2]),
        (["left", "right", "both_bad"], [0, 1, 3]),
        ([1, 2, 0], [0, 1, 2]),
        ([1, 2], [0, 1]),
        (["1", "2", "0"], [0, 1, 2]),
        ([1.0, -1.0, 0.0], [0, 1, 2]),
        ([1, -1], [0, 1]),
        (["True", "False"], [0, 1]),
        (["x", "y", "tie"], [0, 1, 2]),
        (["a", None, "", "  "], [0, 4, 4, 4]),
        (["a", "nan", "N/A"], [0, 4, 4]),
    ],
)
def test_usual_labels(values, expected):
    assert read(values)[0].tolist() == expected


def test_words_for_a_failed_call_are_missing_never_ties():
    outcome, status, _ = read(["a", "refused", "error", "invalid", None])
    assert outcome.tolist() == [0, 4, 4, 4, 4]
    assert status.tolist() == [0, 2, 3, 1, 5]


@pytest.mark.parametrize(("column", "true"), [("winner", 0), ("a_wins", 0), ("model_b_won", 1), ("a_beats_b", 0)])
def test_true_is_for_the_model_that_the_column_names(column, true):
    values = np.array([True, False])
    coded_ = encode(values, np.array([False, False]))
    outcome, _, said = outcomes_of(coded_, column, (np.tile(X, 2), np.tile(Y, 2)), ("x", "y"), None)
    assert outcome.tolist() == [true, 1 - true]
    assert f'"true" is model_{"ab"[true]}' in said


@pytest.mark.parametrize("values", [[0, 1], [1], [0, 0.5, 1], [2, 1, 3], [-1, 0], [0, 1, 2, 7], [3, 4]])
def test_numbers_that_do_not_say_who_won(values):
    with pytest.raises(InvalidData, match=r'column "winner" has the numbers .* outcomes=\{"a": 1, "b": 0\}'):
        read(values)


def test_the_fix_that_is_named_works():
    assert read([0, 1, 1], {"a": 1, "b": 0})[0].tolist() == [1, 0, 0]
    assert read([0, 0.5, 1], {"a": 1, "b": 0, "tie": 0.5})[0].tolist() == [1, 2, 0]
    assert read(["1.0", "0"], {"a": 1, "b": 0})[0].tolist() == [0, 1]


def test_several_labels_and_keys_of_any_spelling():
    assert read(["nan", "A"], {"a": "A", "missing": "nan"})[0].tolist() == [4, 0]
    said = {"a": ("gut", "besser"), "B": "schlecht", "both_bad": ["beide"], "Missing": "?"}
    assert read(["besser", "schlecht", "Beide", "?", None], said)[0].tolist() == [0, 1, 3, 4, 4]


@pytest.mark.parametrize(
    ("outcomes", "message"),
    [
        ({"a": "x", "winner": "y"}, r'expects the keys a, b, tie, both bad, missing, got "winner"'),
        ({"a": "x", "b": "X"}, r'outcomes: "X" is given two meanings'),
        ("label", r'or "names", got "label"'),
        (7, r"got int"),
    ],
)
def test_outcomes_that_contradict_themselves(outcomes, message):
    with pytest.raises(InvalidInput, match=message):
        read(["x", "y"], outcomes)


def test_every_label_must_be_covered():
    with pytest.raises(InvalidData, match='has "draw", which outcomes does not cover'):
        read(["A", "B", "draw"], {"a": "A", "b": "B"})


def test_a_label_that_is_nothing():
    with pytest.raises(InvalidData, match=r'"q" in row 2 names neither model of its row .* \(2 rows like this\)'):
        read(["a", "q", "q"])
    with pytest.raises(InvalidData, match='"z" in row 1 names neither model'):
        read(["z"], models=("x", "y", "z"))


def test_a_models_name_that_also_means_a_position():
    pair = ([0, 1], [1, 0])
    with pytest.raises(
        InvalidData, match=r'"b" in row 2 is a model\'s name and also means model_b; .*outcomes="names"'
    ):
        read(["a", "b"], models=("a", "b"), pair=pair)
    assert read(["a", "b"], "names", models=("a", "b"), pair=pair)[0].tolist() == [0, 0]
    assert read(["a", "b"], {"a": "a", "b": "b"}, models=("a", "b"), pair=pair)[0].tolist() == [0, 1]
    assert read(["a", "b"], models=("a", "b"))[0].tolist() == [0, 1]


def test_models_that_are_numbers():
    pair = ([0, 1], [1, 2])
    assert read(["7", "9"], models=("7", "8", "9"), pair=pair)[0].tolist() == [0, 1]
    with pytest.raises(InvalidData, match="also means"):
        read(["1", "2"], models=("1", "2"), pair=([1, 1], [0, 0]))


def test_names_beat_blanks_only():
    assert read(["x", ""], "names")[0].tolist() == [0, 4]
    with pytest.raises(InvalidData, match='"tie" in row 1'):
        read(["tie"], "names")


def test_what_was_made_of_the_labels_is_said():
    assert read([1, 2, 0])[2] == 'winner: "0" is a tie, "1" is model_a, "2" is model_b'
    assert read(["x", "tie"])[2] == 'winner: "tie" is a tie, a model\'s own name is that model'
    assert read([None])[2] == "winner: empty everywhere"


def test_hostile_labels_stay_on_one_line():
    nasty = "<script>\nalert('x')\r\n</script>" + "y" * 500
    with pytest.raises(InvalidData) as caught:
        read([nasty])
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300
    assert shown("a\n b") == '"a b"'
    assert (len(shown("y" * 60)), shown("y" * 61)) == (62, f'"{"y" * 57}..."')
    assert plain("Tie (BothBad)") == "tie_both_bad"
    assert plain("RaterID") == plain("rater id") == "rater_id"


@pytest.mark.parametrize(
    ("values", "column", "expected"),
    [
        (["model_a", "b", None], "order", [0, 1, -1]),
        (["AB", "BA"], "order", [0, 1]),
        (["listed", "swapped"], "order", [0, 1]),
        (["x", "y"], "shown_first", [0, 1]),
        ([True, False], "swapped", [1, 0]),
        ([1, 0], "is_flipped", [1, 0]),
        ([1, 2], "order", [0, 1]),
    ],
)
def test_which_was_shown_first(values, column, expected):
    n = len(values)
    assert order_of(coded(values), column, (np.tile(X, n), np.tile(Y, n)), ("x", "y")).tolist() == expected


@pytest.mark.parametrize(
    ("values", "models"), [([0, 1], ("x", "y")), ([1, 2, 3], ("x", "y")), (["z"], ("x", "y")), (["b"], ("b", "a"))]
)
def test_an_order_that_says_nothing(values, models):
    n = len(values)
    with pytest.raises(InvalidData, match=r'does not say which model was shown first; .*order="" to leave it out'):
        order_of(coded(values), "order", (np.tile(X, n), np.tile(Y, n)), models)


def test_labels_of_some_rows():
    some = occurring(coded([3, 1, 2, 1]), np.array([True, False, True, False]))
    assert some.levels == ("2", "3")
    assert some.values.tolist() == [2, 3]
    assert some.codes.tolist() == [1, -1, 0, -1]
