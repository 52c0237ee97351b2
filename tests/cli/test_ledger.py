import sqlite3
from contextlib import closing

import pytest
from ledgers import write_ledger

from quorate.cli import main

PAIRS = [("x", "y"), ("y", "z"), ("x", "z")]


@pytest.fixture
def said(tmp_path, monkeypatch, capsys):
    """A function that runs a command on a ledger of votes, of three systems or of two, and gives what it prints."""
    monkeypatch.chdir(tmp_path)
    for name, pairs in (("three.db", PAIRS), ("two.db", PAIRS[:1])):
        rows = ((f"q{n}", *pair, "j", 1, float(n % 4 > 0), "ok", 1e9 + n) for n in range(40) for pair in pairs)
        names = ("item", "system_a", "system_b", "judge", "replicate", "score", "status", "at")
        write_ledger(tmp_path / name, names, rows)

    def run(*words, code=0):
        found = main(words)
        text = " ".join("".join(capsys.readouterr()).split())
        assert found == code, text
        return text

    return run


@pytest.mark.slow
def test_two_systems_get_a_verdict_and_a_report(said, tmp_path):
    assert "x is better than y" in said("analyze", "two.db")
    assert "x is better than y" in (tmp_path / "two-quorate.html").read_text()
    assert '"cluster": []' in said("analyze", "two.db", "--json")


def test_several_systems_are_shown_pair_by_pair(said):
    assert "3 pairs" in said("analyze", "three.db", "--no-report")


@pytest.mark.wide(1)
@pytest.mark.parametrize("name", ["two.db", "three.db"])
def test_votes_that_are_not_there_yet_are_a_caveat(said, tmp_path, name):
    with closing(sqlite3.connect(tmp_path / name)) as connection, connection:
        connection.execute("INSERT INTO cells (key, judge, replicate) VALUES ('another', 0, 9)")
    planned = 121 if name == "three.db" else 41
    assert f"Caveat: 1 of {planned} planned cells are not answered (j: 1)" in said("analyze", name, "--no-report")
    assert f"warning 1 of {planned} planned cells are not answered" in said("doctor", name)


def test_votes_that_were_given_up_are_a_caveat_everywhere(said, tmp_path):
    with closing(sqlite3.connect(tmp_path / "two.db")) as connection, connection:
        connection.execute("DROP TRIGGER attempts_stay")
        connection.execute("UPDATE attempts SET score = NULL, status = 'refused' WHERE id <= 19")
    lost = "19 of 40 votes (47.5%) have no usable outcome"
    assert f"Caveat: {lost}" in said("analyze", "two.db")
    assert lost in (tmp_path / "two-quorate.html").read_text()
    assert lost in said("analyze", "two.db", "--json")


@pytest.mark.parametrize("option", [("--half-width", "1"), ("--method", "anova")])
def test_options_of_scores_are_refused(said, option):
    assert f"{option[0]}: for scores, and this file has votes" in said("analyze", "two.db", *option, code=1)


def test_an_option_of_reading_scores_says_what_the_ledger_holds(said):
    assert "two.db holds votes between two systems: leave out" in said("analyze", "two.db", "--fixed", "", code=1)
