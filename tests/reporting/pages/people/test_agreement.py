from __future__ import annotations

import json
from dataclasses import replace

import pytest

import quorate as q
from quorate.analysis.agreement import AgreementAnalysis
from quorate.reporting.pages.people import agreement as pages
from quorate.reporting.paper.reproduce import Provenance
from quorate.reporting.print.files import svg
from quorate.reporting.report import page_of


@pytest.fixture(scope="module")
def view(agreed):
    """Three pipelines beside people, with cells and position bias."""
    return agreed()


def drawn(figure):
    out = svg(figure, 720)
    assert "nan" not in out.lower()
    return out


def names(view):
    return [(part.name, [figure.name for figure in part.figures]) for part in pages.page(view).sections]


def test_sections_of_all_that_was_asked(view):
    assert names(view) == [
        ("agreement", ["agreement", "categories"]),
        ("differences", ["differences"]),
        ("ties", ["ties"]),
        ("positions", ["positions"]),
        ("cells", ["cells"]),
    ]


def test_sections_of_one_pipeline(view):
    found = view.found
    rates = tuple(one for one in found.rates if one.pipeline == "careful" and one.category == "all")
    alone = AgreementAnalysis(replace(found, rates=rates, differences=(), ties={"careful": found.ties["careful"]}))
    assert names(alone) == [("agreement", ["agreement"]), ("ties", ["ties"])]


@pytest.mark.parametrize("name", ["rates", "categories", "differences", "positions", "cells"])
def test_charts_are_drawn(view, name):
    assert "careful" in drawn(getattr(pages, name)(view))


def test_who_agrees_and_how_much(view):
    figure = pages.rates(view)
    assert figure.caption.finding == "careful decides 90% of 80 battles as people do"
    assert len(figure.rows) == 3 * 2
    assert {row["judged_by"] for row in figure.rows} == {"judges", "careful", "hasty"}
    best = next(row for row in figure.rows if row["judged_by"] == "careful")
    assert (best["battles"], best["agreement"], best["clusters"]) == (80, pytest.approx(0.9), None)


def test_clusters_are_said(view):
    rates = tuple(replace(one, clusters=7) for one in view.found.rates)
    clustered = AgreementAnalysis(replace(view.found, rates=rates, cluster="prompt"))
    assert pages.rates(clustered).caption.finding.endswith("80 battles in 7 clusters by prompt as people do")


def test_categories(view):
    figure = pages.categories(view)
    assert figure.caption.finding.startswith("careful agrees in 8")
    assert len(figure.rows) == 3 * 2 * 2


def test_differences_are_in_points(view):
    figure = pages.differences(view)
    assert figure.caption.finding.startswith("careful agrees in ")
    assert "smallest of 3 p-values" in figure.caption.lines[-1]
    for row, one in zip(figure.rows, view.found.differences, strict=True):
        assert (row["points"], row["low"]) == pytest.approx((100 * one.value, 100 * one.low), nan_ok=True)


def test_ties_and_positions(view):
    ties, positions = pages.ties(view), pages.positions(view)
    assert ties.caption.finding == "careful calls 0% of the battles a tie, people 0%"
    assert [row["judged_by"] for row in ties.rows] == ["judges", "careful", "hasty"]
    assert positions.caption.finding == "1 of 2 judges surely prefer a position"
    assert [row["judge"] for row in positions.rows] == ["careful", "hasty"]
    assert positions.rows[1]["shown_first"] > 0.6


def test_cells_are_best_first(view):
    figure = pages.cells(view)
    shares = [row["right"] for row in figure.rows]
    assert shares == sorted(shares, reverse=True)
    assert figure.caption.finding.startswith("Judgments are right in ")
    out = drawn(figure)
    assert all(f">{judge}, {order}<" in out for judge in ("careful", "hasty") for order in ("as listed", "swapped"))


def test_nothing_is_drawn_of_nothing(view):
    alone = AgreementAnalysis(replace(view.found, differences=()))
    assert pages.differences(alone).caption.finding == "No two pipelines can be compared"
    assert pages.cells(alone).caption.finding == "No cells"
    assert pages.cells(alone).rows == []
    assert [pages.differences(alone).chart, pages.positions(alone).chart, pages.cells(alone).chart] == [None] * 3


def test_labels_are_told_apart(agreed, hostile):
    rows = pages.ties(agreed(hostile[:3])).rows
    assert len({row["judged_by"] for row in rows}) == 4


def test_what_is_said_around_the_figures(view):
    page = page_of(view, origin=Provenance("quorate judges --agree v.csv", 3, "simulated"))
    assert page.title == "Agreement with people"
    assert [tile.value for tile in page.tiles] == ["90%", "90%", "0%"]
    assert page.provenance["seed"] == "3"
    assert page.facts.caption.finding.endswith("3 pipelines of judges with people")
    assert page.facts.rows[0] == {"what": "pipelines", "value": 3}
    assert {"what": "categories", "value": 2} in page.facts.rows


def test_methods_say_how_intervals_were_made(view):
    said = page_of(view).methods
    assert "Clopper and Pearson" in said
    assert "exact sign-flip test" in said
    assert "Right judgments of 4 cells have intervals by prompt" in said
    clustered = page_of(replace(view.found, cluster="prompt")).methods
    assert "clustered by prompt: intervals of agreement are those of Korn and Graubard" in clustered
    assert "sign-flip" not in clustered


def test_agreement_is_written(agreed, hostile, tmp_path):
    found = agreed(hostile[:2], hostile[2:4])
    for name in ("page.html", "page.md", "page.json"):
        text = q.report(found, tmp_path / name, charts=tmp_path / "charts").read_text(encoding="utf-8")
        assert "as people do" in text
        assert "<script>alert" not in text or name.endswith(".json")
    written = {one.stem for one in (tmp_path / "charts").iterdir()}
    assert written == {"agreement", "categories", "differences", "positions", "cells"}


def test_an_agreement_alone_is_written(view, tmp_path):
    path = q.report(view.found, tmp_path / "page.json")
    assert json.loads(path.read_text())["ties"] == {"judges": 0.175, "careful": 0.0, "hasty": 0.6625}
