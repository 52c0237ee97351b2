"""The page, the command and the file of a board at equal covariates."""

from __future__ import annotations

import json

import polars as pl
import pytest
from reference.style import votes

import quorate as q
from quorate.analysis.ratings import RatingsAnalysis
from quorate.cli import main
from quorate.reporting.pages.ratings.page import page


@pytest.fixture(scope="module")
def board():
    frame = pl.DataFrame(votes())
    return q.rank(q.read_votes(frame, covariates=["length", "lists"], announce=False), covariates=["length", "lists"])


def test_the_page_says_what_moves(board):
    shown = page(board)
    section = next(one for one in shown.sections if one.name == "moves")
    assert section.title == "At equal length and lists"
    effects, moved = section.figures
    assert effects.caption.finding == "More length and lists helps"
    assert [row["covariate"] for row in effects.rows] == ["length", "lists"]
    assert [row["system"] for row in moved.rows] == list(board.systems)
    assert moved.caption.finding == "4 systems of 5 surely move, and 4 systems change place"
    assert moved.chart()["layer"]
    assert "at equal length and lists" in shown.methods
    assert RatingsAnalysis(board).covariate_words[0].startswith("Length: between equals, the one with ")


def test_the_command_reads_both_ways_to_write_a_covariate(tmp_path, monkeypatch, capsys, board):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(votes()).write_csv("votes.csv")
    main(["rank", "votes.csv", "--covariate", "length", "--covariate", "lists", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert [row["move"] for row in found["moves"]] == pytest.approx(board.moves.value.tolist())
    assert [one["value"] for one in found["covariates"]] == pytest.approx(
        [one.value for one in board.coefficients.values()]
    )
    assert main(["rank", "votes.csv", "--covariate", "width"]) == 1
    assert 'covariates: no column "width"' in capsys.readouterr().err
