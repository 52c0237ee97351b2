from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.analysis.votes import votes_view
from quorate.errors import InvalidInput
from quorate.reporting.pages.votes import page as votes
from quorate.reporting.paper.reproduce import Provenance
from quorate.reporting.print.files import specification, svg
from quorate.reporting.report import page_of, report
from quorate.table.read_votes import read_votes


@pytest.fixture(scope="module")
def view():
    """Three systems: x is far behind, y and z are nearly tied; votes of a prompt come in twos that agree."""
    rows = [
        (a, b, b if i // 2 % 10 < wins else a, f"p{i // 2}")
        for a, b, wins in (("x", "y", 8), ("y", "z", 5), ("x", "z", 8))
        for i in range(400)
    ]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "winner", "prompt"], orient="row")
    return votes_view(read_votes(frame, announce=False))


def section(view, name):
    return next(one for one in votes.sections(view) if one.name == name)


def drawn(figure):
    out = svg(figure, 720)
    assert "nan" not in out.lower()
    return out


def data_of(spec):
    return spec.get("datasets", {}).values() or [
        part["data"]["values"] for part in (spec, *spec["layer"]) if "data" in part
    ]


def test_sections_and_their_figures(view):
    found = {one.name: [figure.name for figure in one.figures] for one in votes.sections(view)}
    assert found == {
        "margins": ["margins", "pairs"],
        "decided": ["decided", "equal-budget"],
        "stability": ["stability"],
        "dependence": ["dependence"],
        "health": ["analyses"],
    }
    assert all(one.text for one in votes.sections(view))


@pytest.mark.parametrize("exhibit", [votes.margins, votes.decided, votes.equal_budget, votes.dependence])
def test_charts_are_drawn(view, exhibit):
    assert "<svg" in drawn(exhibit(view))


def test_quantiles_have_the_votes_they_need(view):
    figure = votes.margins(view)
    assert figure.caption.finding.startswith("Half of the pairs have a margin of 0.300 or less, which needs ")
    assert [row["share"] for row in figure.rows] == [0.1, 0.25, 0.5, 0.75, 0.9]
    assert [row["n"] for row in figure.rows] == list(view.quantiles.n)


def test_cumulative_shares_rise_to_one(view):
    rows = [row for data in data_of(specification(votes.margins(view))) for row in data if "law" in row]
    for law, margins in ((votes.ESTIMATED, 3), (votes.CORRECTED_LAW, 100)):
        shares = [row["share"] for row in rows if row["law"] == law]
        assert len(shares) == margins + 1
        assert shares[0] == 0
        assert shares == sorted(shares)
        assert shares[-1] == pytest.approx(1)
    steps = [row["margin"] for row in rows if row["law"] == votes.ESTIMATED]
    assert steps == pytest.approx([0, 0, 0.3, 0.3])


def test_the_closest_pair_comes_first(view):
    figure = votes.pairs(view)
    assert figure.caption.finding == "All 3 pairs, the closest first"
    first, *rest = figure.rows
    assert (first["pair"], first["votes"], first["margin"], first["needed"]) == ("y vs z", 400, 0, None)
    assert np.isinf(first["implied"])
    assert all(row["margin"] == pytest.approx(0.3) for row in rest)


def test_how_many_votes_decide_half_of_the_pairs(view):
    figure = votes.decided(view)
    assert "half of the pairs are decided by" in figure.caption.finding
    assert len(figure.rows) == len(view.found.budgets)
    assert all(row["low"] <= row["decided"] <= row["high"] for row in figure.rows)
    weak = replace(view, found=replace(view.found, corrected=view.found.corrected / 10))
    assert votes.decided(weak).caption.finding == "Even 5,000 votes each decide only 7% of the pairs"


def test_the_band_and_both_curves_are_there(view):
    spec = specification(votes.decided(view))
    assert [layer["mark"]["type"] for layer in spec["layer"]] == ["area", "line", "point"]
    assert max(len({row["law"] for row in data if "law" in row}) for data in data_of(spec)) == 2
    assert spec["layer"][0]["encoding"]["x"]["scale"]["type"] == "log"


def test_what_is_within_reach_is_said(view):
    (line,) = section(view, "decided").text
    assert line.startswith("Pairs that have power 0.9 or more at their estimated margin: 0% with 25, 67% with ")
    assert line.endswith("67% with 5,000 votes each.")


def test_votes_from_which_on_half_of_the_studies_are_clear(view):
    figure = votes.equal_budget(view)
    assert [row["votes"] for row in figure.rows] == [50, 100, 200, 500, 1000]
    assert all(row["low"] <= row["z"] <= row["high"] for row in figure.rows)
    assert [row["z"] for row in figure.rows] == sorted(row["z"] for row in figure.rows)
    found = figure.caption
    assert found.finding == "With 50 votes or fewer for each pair, half of the studies are clear of an even split"
    assert "From about 1.96 on (dashed), a test with level 0.05 finds a difference." in found.lines
    later = replace(view, equal=view.equal[:1] + tuple(replace(one, median=1.0) for one in view.equal[1:]))
    second = votes.equal_budget(replace(later, equal=(later.equal[1], view.equal[2]))).caption.finding
    assert second.startswith("With 200 votes for")
    never = votes.equal_budget(replace(later, equal=later.equal[1:])).caption.finding
    assert never == "Even with 1,000 votes for each pair, most studies cannot rule out an even split"


def test_studies_in_which_all_votes_agree_are_explained(view):
    assert "Unbounded: all votes of the study agree." not in votes.equal_budget(view).caption.lines
    certain = replace(view, equal=(replace(view.equal[0], high=np.inf),))
    assert votes.equal_budget(certain).caption.lines[-1] == "Unbounded: all votes of the study agree."


def test_early_votes_are_compared_with_what_noise_alone_does(view):
    figure = votes.stability(view.stability)
    assert [row["drift_p"] for row in figure.rows] == sorted(view.stability.drift_p.tolist())
    assert {row["others"] for row in figure.rows} == {350}
    found = figure.caption
    assert found.finding.startswith("Margins in the first 50 votes of each pair and in its others have a rank corr")
    assert "; noise alone leaves 0." in found.finding
    assert found.lines[1] == "Votes are in the order of their rows, which is time only if the file is in that order."
    assert found.lines[2].startswith("0% of 3 pairs changed at level 0.05; about 5% do by chance")
    timed = votes.stability(replace(view.stability, ordered_by="time"))
    assert "in the order of time" in timed.caption.lines[1]


def test_margins_that_cannot_be_ranked_have_no_correlation(view):
    alike = replace(view.stability, spearman=np.nan, expected=np.nan)
    assert votes.stability(alike).caption.finding == "Margins cannot be ranked: all pairs have the same"
    one = replace(view.stability, pairs=("x vs y",), drift_p=np.array([1e-9]))
    assert votes.stability(one).caption.finding.endswith("in the others (p < 0.0001 of no change)")


def test_early_and_later_margins_are_drawn_with_what_changed(view):
    figure = votes.stability(replace(view.stability, drift_p=np.array([0.001, 0.5, 0.5])))
    assert "<svg" in drawn(figure)
    (rows,) = [data for data in data_of(specification(figure)) if "which" in data[0]]
    assert [row["which"] for row in rows] == [votes.CHANGED, votes.SAME, votes.SAME]


def test_pairs_that_stay_near_ties_are_counted(view):
    said = "1 of 1 pair with a margin of 0.1 or less in the first votes has one in all votes."
    assert section(view, "stability").text == (said,)


def test_why_early_votes_are_not_compared_is_said(view):
    found = section(replace(view, stability=None, stability_reason="no order"), "stability")
    assert found.text == ("Early votes are not compared with later ones: no order.",)
    assert found.figures == ()


def test_votes_in_twos_that_agree_are_worth_half(view):
    figure = votes.dependence(view)
    (row,) = figure.rows
    assert (row["by"], row["repeated"], row["levels"]) == ("prompt", 1, 200)
    assert row["ratio"] == pytest.approx(2**0.5, abs=0.01)
    said = "By prompt, the standard error of the median pair is 1.42 times the independent one"
    assert figure.caption.finding == said


def test_no_ratio_is_said(view):
    alone = replace(view, dependence=())
    assert votes.dependence(alone).caption.finding == "No ratio of standard errors is known"
    assert section(alone, "dependence").figures == ()
    assert "taken as independent" in section(alone, "dependence").text[0]


def test_few_levels_are_not_to_be_trusted(view):
    assert len(votes.dependence(view).caption.lines) == 1
    frame = pl.DataFrame({"model_a": ["x"] * 400, "model_b": ["y"] * 400, "judge": ["p", "q"] * 200})
    few = votes_view(read_votes(frame.with_columns(winner=pl.Series(["x", "y", "x", "x"] * 100)), announce=False))
    assert votes.dependence(few).caption.lines[-1] == "Not to be trusted with fewer than 20: 2 judges."


def test_a_page_with_all_charts(view, tmp_path):
    text = report(view, tmp_path / "votes.html", note="simulated <b>").read_text(encoding="utf-8")
    drawn = ["margins", "decided", "equal-budget", "stability", "dependence"]
    assert re.findall('data-chart="([^"]*)"', text) == drawn
    assert "simulated &lt;b&gt;" in text
    assert "http://" not in text.split("<script>")[0]


def test_votes_are_analysed_first(view, tmp_path):
    text = q.report(view.votes, tmp_path / "votes.md", command="quorate analyze").read_text()
    for heading in ("How far apart the models are", "How many votes decide", "Data health", "Methods"):
        assert f"\n## {heading}\n" in text
    assert "| y vs z | 400 |" in text
    assert "- command: quorate analyze" in text
    assert json.loads(q.report(view.votes, tmp_path / "votes.json").read_text())["sentence"] == view.sentence


def test_what_is_said_around_the_figures(view):
    page = page_of(view, origin=Provenance("quorate analyze"))
    assert page.sentence == view.found.sentence
    assert page.tiles[0].value == "3"
    assert "for 3 pairs with 200 decisive votes or more" in page.methods
    assert page.provenance["seed"] == "0, the default of every bootstrap"


def test_every_chart_is_a_file_named_after_its_figure(view, tmp_path):
    report(view, tmp_path / "votes.md", charts=tmp_path / "charts")
    names = {"margins.svg", "decided.svg", "equal-budget.svg", "stability.svg", "dependence.svg"}
    assert {path.name for path in (tmp_path / "charts").iterdir()} == names


@pytest.mark.parametrize("name", ["votes.txt", "no-folder/votes.html"])
def test_places_that_cannot_be_written(view, tmp_path, name):
    with pytest.raises(InvalidInput, match="path"):
        report(view, tmp_path / name)
