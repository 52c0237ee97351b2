from __future__ import annotations

import io

import pytest
from rich.console import Console

from quorate.analysis.votes import votes_view
from quorate.cli.look.votes import MOST_PAIRS, show
from quorate.table.read_votes import read_votes


@pytest.fixture
def counted(tmp_path):
    """Reads rows of counted votes: model_a, model_b, wins of each."""

    def read(*rows):
        path = tmp_path / "counted.csv"
        path.write_text("\n".join(["model_a,model_b,wins_a,wins_b", *rows]) + "\n")
        return read_votes(path, wins=("wins_a", "wins_b"), announce=False)

    return read


def shown(view):
    out = Console(file=io.StringIO(), width=80, highlight=False, markup=False)
    show(out, view)
    return out.file.getvalue()


def test_one_pair_has_no_quantiles_over_pairs(counted):
    said = shown(votes_view(counted("x,y,220,280")))
    assert "The only pair: votes for the second system" in said
    assert "Margins over pairs" not in said
    assert "x vs y       500  56.0%" in said


def test_millions_of_votes_and_a_margin_near_zero(counted):
    said = shown(votes_view(counted("x,y,5000000,5010000", "y,z,500,520")))
    assert "0.00050" in said
    assert "10,010,000 50.050% 50.019% to 50.081%" in " ".join(said.split())
    assert "10,528,449" in said


def test_why_early_votes_are_not_compared(counted):
    assert "  - not compared: count: rows that stand for several votes have no order" in shown(
        votes_view(counted("x,y,220,280"))
    )


def test_many_pairs_are_not_listed(counted):
    rows = [f"x,y{i},{200 + i},300" for i in range(MOST_PAIRS + 1)]
    assert "the closest first" not in shown(votes_view(counted(*rows)))
    assert "the closest first" in shown(votes_view(counted(*rows[1:])))


def test_all_pairs_are_clustered_by_what_repeats(run, battles):
    said = " ".join(run("analyze", battles).out.split())
    assert "clustered by prompt and judge as these are" in said or "clustered by judge as these are" in said
    assert "are worth one independent vote" in said
