import sys
from types import SimpleNamespace

import pytest
import typer

from quorate.cli.asking import confirmed, money_span, span
from quorate.errors import InvalidInput
from quorate.study.quote import Range


def test_amounts_that_are_not_known_are_said_to_be():
    assert span(Range(1000, 2000.4, None)) == "1,000 / 2,000 / ?"
    assert money_span(Range(0.5, 1, None)) == "0.5 / 1 / ?"
    assert money_span(Range(None, None, None)) == "unknown"


def test_a_yes_is_asked_of_somebody(monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: False))
    with pytest.raises(InvalidInput, match="add it to go ahead, or ask later"):
        confirmed(", or ask later")
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("typer.confirm", lambda *_, **__: True)
    assert confirmed()


def test_ctrl_c_at_the_question_ends_the_command_at_once(monkeypatch):
    def interrupted(*_, **__):
        raise typer.Abort

    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("typer.confirm", interrupted)
    with pytest.raises(KeyboardInterrupt):
        confirmed()
