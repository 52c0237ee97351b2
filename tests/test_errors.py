import pickle

import pytest

from quorate import errors
from quorate.arguments import argument
from quorate.cli.spelling import in_options
from quorate.errors import (
    InvalidData,
    InvalidInput,
    NotConverged,
    NotEstimable,
    QuorateError,
    Unbalanced,
    UnknownColumn,
    UnknownTerm,
)

ONE_OF_EACH = [
    InvalidInput("level: must lie between 0 and 1, got 2; use for example 0.95"),
    UnknownColumn("score", "points", ["item", "grade"]),
    UnknownTerm("rater", ["item", "judge"]),
    InvalidData('column "score": 12 values are not numbers'),
    NotEstimable("judge: needs two judges", {"judge"}, (0.0, 0.5)),
    Unbalanced("some levels have more cells"),
    NotConverged("stopped after 100 steps", partial=[1.0]),
]
KIND = {"ids": lambda error: type(error).__name__}


def test_there_is_one_of_each():
    classes = {value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, QuorateError)}
    assert {type(error) for error in ONE_OF_EACH} | {QuorateError} == classes


@pytest.mark.parametrize("error", ONE_OF_EACH, **KIND)
def test_every_error_is_one_line_for_the_user(error):
    assert isinstance(error, QuorateError)
    assert str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("kind", "builtin"), [(InvalidInput, ValueError), (UnknownColumn, ValueError), (InvalidData, ValueError)]
)
def test_a_broken_rule_is_a_value_error_too(kind, builtin):
    assert issubclass(kind, InvalidInput)
    assert issubclass(kind, builtin)


def test_an_unknown_term_is_a_key_error_without_its_quotes():
    error = UnknownTerm("rater", ["item", "judge"])
    assert isinstance(error, KeyError)
    assert str(error) == 'no term "rater"; the model has "item", "judge"'
    assert (error.term, error.terms) == ("rater", ("item", "judge"))


def test_an_unknown_column_names_the_role_and_the_columns():
    error = UnknownColumn("score", "points", iter(["item", "grade"]))
    assert str(error) == 'score: no column "points"; the data have "item", "grade"'
    assert (error.role, error.column, error.columns) == ("score", "points", ("item", "grade"))


def test_long_lists_are_cut():
    assert str(UnknownTerm("x", [f"c{i}" for i in range(1025)])).endswith('"c9" and 1,015 more')
    assert str(UnknownTerm("x", [f"c{i}" for i in range(10)])).endswith('"c9"')
    assert str(UnknownColumn("score", "x", [f"c{i}" for i in range(25)])).endswith('"c19" and 5 more')


def test_what_was_meant_is_asked():
    assert str(UnknownTerm("Judge", ["item", "judge"])).endswith('"item", "judge"; did you mean "judge"?')
    assert str(UnknownTerm("gpt-4o", [f"c{i}" for i in range(99)] + ["gpt-4"])).endswith('more; did you mean "gpt-4"?')
    assert str(UnknownColumn("where", "sore", ["item", "score"])).endswith('; did you mean "score"?')
    named = UnknownColumn("score", "sore", ["item", "score"], "argument")
    assert str(named).endswith('; did you mean score="score"?')
    assert str(UnknownColumn("judge", "x", ["item"], "facets")).endswith('; name it with facets={"judge": ...}')
    assert in_options(UnknownColumn("judge", "x", ["item"], "roles").args[0]).endswith(
        "name it with --role judge=COLUMN"
    )


def test_what_kind_of_name_is_not_there_is_said():
    error = pickle.loads(pickle.dumps(UnknownTerm("gpt", ["gpt-4"], "system")))
    assert str(error) == 'no system "gpt"; there are "gpt-4"; did you mean "gpt-4"?'


def test_nothing_to_choose_from_is_said():
    assert str(UnknownTerm("judge", [])) == 'no term "judge"; the model has none'


def test_what_is_not_estimable_carries_names_and_bounds():
    error = NotEstimable("judge and prompt vary together", ["judge", "prompt"], (0.1, 0.4))
    assert error.names == frozenset({"judge", "prompt"})
    assert error.bounds == (0.1, 0.4)
    assert (NotEstimable("no").names, NotEstimable("no").bounds) == (frozenset(), None)


def test_an_early_stop_carries_the_partial_result():
    assert NotConverged("stopped", partial=3.5).partial == 3.5


@pytest.mark.parametrize("error", ONE_OF_EACH, **KIND)
def test_errors_travel_between_processes(error):
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_names_in_a_message_do_not_make_it_long_or_break_its_line():
    for error in (UnknownColumn("score", "y", ["n" * 70_000]), UnknownTerm("\x1b[2J\n", ["a\u202eb"])):
        assert str(error).isprintable()
        assert len(str(error)) <= 2000
    kept = InvalidInput("no such thing\n; give " + argument("partitions", True))
    assert [one.name for one in kept.arguments] == ["partitions"]
