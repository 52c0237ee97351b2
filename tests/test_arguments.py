from __future__ import annotations

import copy
import pickle
from dataclasses import asdict

import pytest

from quorate.arguments import Argument, Sentence, argument, joined
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm

FACETS = Argument("facets", {"judge": ...})
TOLD = "say which: " + argument("facets", {"judge": ...}) + ", or leave it out"


def named(one: Argument) -> str:
    return f"<{one.group or one.name}>"


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("facets", {"judge": ...}, 'facets={"judge": ...}'),
        ("facets", {...: ...}, "facets={...}"),
        ("nested", {"item": "category"}, 'nested={"item": "category"}'),
        ("fixed", (), "fixed=()"),
        ("status", "", 'status=""'),
        ("status", ..., 'status="..."'),
        ("margin", 0.05, "margin=0.05"),
        ("force", True, "force=True"),
        ("minimum", None, "minimum"),
    ],
)
def test_python_has_an_argument_as_a_call_does(name, value, text):
    assert argument(name, value) == text


def test_a_sentence_is_its_text_in_python_and_spelled_anew_elsewhere():
    assert TOLD == 'say which: facets={"judge": ...}, or leave it out'
    assert TOLD.spelled(named) == "say which: <facets>, or leave it out"
    assert TOLD.arguments == (FACETS,)


@pytest.mark.parametrize(
    "sentence",
    [
        f"{1} level: " + TOLD,
        TOLD + "; " + argument("by", "win rate"),
        TOLD[:1].upper() + TOLD[1:],
        joined("; ", ["first", TOLD, TOLD]),
        pickle.loads(pickle.dumps(TOLD)),
        copy.deepcopy(TOLD),
        str(TOLD),
        str(InvalidInput(TOLD)),
        str(NotEstimable(TOLD, ["judge"])),
        str(pickle.loads(pickle.dumps(InvalidInput(TOLD)))),
        str(Caveat("code", TOLD)),
        asdict(Caveat("code", TOLD))["sentence"],
    ],
)
def test_arguments_are_kept(sentence):
    assert isinstance(sentence, Sentence)
    assert FACETS in sentence.arguments
    assert "<facets>" in sentence.spelled(named)
    assert "facets={" not in sentence.spelled(named)


def test_what_is_cut_through_is_text():
    assert TOLD[:15].spelled(named) == "say which: face"
    assert TOLD[0] == "s"
    assert TOLD[::-1].arguments == ()
    assert TOLD[11:32].spelled(named) == "<facets>"


def test_a_keyword_of_the_reader_s_own_has_a_group():
    assert argument("judge", "panel", group="targets") == 'judge="panel"'
    assert argument("judge", "panel", group="targets").spelled(named) == "<targets>"


def test_errors_and_caveats_tell_their_arguments():
    assert InvalidInput(TOLD).arguments == Caveat("code", TOLD).arguments == (FACETS,)
    assert (
        InvalidInput("plain").arguments == UnknownTerm("a", ["b"]).arguments == Caveat("code", "plain").arguments == ()
    )
