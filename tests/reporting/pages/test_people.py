from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from charts import image
from tables import votes_table
from tests.estimate.ratings.test_corrected_ratings import frame, labelled

import quorate as q
from quorate.estimate.regression.surrogate import Surrogate
from quorate.reporting.pages.people import agreement as pages
from quorate.reporting.pages.people.against import page
from quorate.reporting.pages.people.corrected import labels_page, ratings_page
from quorate.reporting.pages.people.corrected import page as corrected_page
from quorate.reporting.pages.people.regression import page as regression_page
from quorate.reporting.pages.people.regression import sign_flip_page, surrogate_page
from quorate.reporting.paper.reproduce import Provenance
from quorate.reporting.report import page_of


@pytest.fixture(scope="module")
def found():
    """Three judges under two prompts, asked twice, on 40 items."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 40)
    rows = [(f"i{i}", "ann", "p", 0, int(truth[i])) for i in range(40)]
    for judge, share in (("a", 0.9), ("b", 0.7), ("c", 0.5)):
        for i in range(40):
            for prompt in "pq":
                rows += [(f"i{i}", judge, prompt, k, int(abs(truth[i] - (rng.random() > share)))) for k in range(2)]
    names = ["item", "judge", "prompt", "replicate", "score"]
    table = q.read(pl.DataFrame(rows, schema=names, orient="row"), announce=False)
    return q.agreement.against(table, "ann", splits=20, resamples=50)


def test_every_part_has_its_figure(found):
    made = page(found)
    figures = {figure.name: figure for figure in made.figures}
    assert list(figures) == [
        "kappas", "rates", "gaps", "summary", "configurations", "tertiles", "flips", "stability", "drops",
    ]  # fmt: skip
    assert figures["summary"].rows[1]["value"] == found.majority.value
    assert [row["value"] for row in figures["configurations"].rows] == sorted(
        (one.value for one in found.configurations), reverse=True
    )
    assert [row["judge"] for row in figures["drops"].rows] == [one.judge for one in found.drops]
    assert figures["flips"].rows[1]["value"] == found.flips.rerun.value
    assert all(figure.chart() for figure in figures.values())
    assert made.sentence == found.sentence
    assert f"worth {found.worth.value:.1f} independent" in made.sentence
    assert {"labelled items": 40}.items() <= {row["what"]: row["value"] for row in made.facts.rows}.items()


@pytest.fixture(scope="module")
def view(agreed):
    """Three pipelines beside people, with cells and position bias."""
    return agreed()


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
    rates = tuple(one for one in view.rates if one.pipeline == "careful" and one.category == "all")
    only = {"cells": None, "positions": (), "differences": ()}
    alone = replace(view, rates=rates, ties={"careful": view.ties["careful"]}, **only)
    assert names(alone) == [("agreement", ["agreement"]), ("ties", ["ties"])]


@pytest.mark.parametrize("name", ["rates", "categories", "differences", "positions", "cells"])
def test_charts_are_drawn(view, name):
    assert "careful" in image(getattr(pages, name)(view))


def test_who_agrees_and_how_much(view):
    figure = pages.rates(view)
    assert figure.caption.finding == "careful decides 90% of 80 battles as people do"
    assert len(figure.rows) == 3 * 2
    assert {row["judged_by"] for row in figure.rows} == {"judges", "careful", "hasty"}
    best = next(row for row in figure.rows if row["judged_by"] == "careful")
    assert (best["battles"], best["agreement"], best["clusters"]) == (80, pytest.approx(0.9), None)


def test_clusters_are_said(view):
    rates = tuple(replace(one, clusters=7) for one in view.rates)
    clustered = replace(view, rates=rates, cluster="prompt")
    assert pages.rates(clustered).caption.finding.endswith("80 battles in 7 clusters by prompt as people do")


def test_categories(view):
    figure = pages.categories(view)
    assert figure.caption.finding.startswith("careful agrees in 8")
    assert len(figure.rows) == 3 * 2 * 2


def test_differences_are_in_points(view):
    figure = pages.differences(view)
    assert figure.caption.finding.startswith("careful agrees in ")
    assert "smallest of 3 p-values" in figure.caption.lines[-1]
    for row, one in zip(figure.rows, view.differences, strict=True):
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
    out = image(figure)
    assert all(f">{judge}, {order}<" in out for judge in ("careful", "hasty") for order in ("as listed", "swapped"))


def test_nothing_is_drawn_of_nothing(view):
    alone = replace(view, differences=(), cells=None, positions=())
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
    assert "Wilson's (1927) with Student's quantile" in said
    assert "exact sign-flip test" in said
    assert "Right judgments of 4 cells have such intervals by prompt" in said
    clustered = page_of(replace(view, cluster="prompt", positions=())).methods
    assert "clustered by prompt: intervals of agreement are Wilson's" in clustered
    assert "sign-flip" not in clustered


def test_an_agreement_alone_is_written(view, tmp_path):
    path = q.report(view, tmp_path / "page.json")
    assert json.loads(path.read_text())["ties"] == {"judges": 0.175, "careful": 0.0, "hasty": 0.6625}


@pytest.fixture(scope="module")
def corrected_found():
    """A judge on 200 battles, of which a person saw 60 and agreed with it on most."""
    rng = np.random.default_rng(2)
    person, alike = rng.random(200) < 0.6, rng.random(200) < 0.85
    said = {"judge": np.where(alike, person, ~person), "person": person}
    rows = [
        (f"p{i}", who, "x", "y", "x" if first[i] else "y")
        for who, first in said.items()
        for i in range(200 if who == "judge" else 60)
    ]
    return q.agreement.corrected(votes_table(rows, "prompt judge model_a model_b winner"), "person", "x", "y")


def test_the_corrected_mean_stands_beside_what_it_is_made_of(corrected_found):
    made = corrected_page(corrected_found)
    (figure,) = made.figures
    assert [(row["by"], row["value"], row["low"], row["high"]) for row in figure.rows] == [
        ("labels and predictions", corrected_found.value, *corrected_found.estimate.ends),
        ("labels alone", corrected_found.people, *corrected_found.alone.ends),
        ("judges, not corrected", corrected_found.judges, None, None),
    ]
    assert figure.caption.finding == f"The predictions make 60 labels worth {corrected_found.effective:.0f}"
    assert made.sentence.startswith(f"Win rate of x against y: {corrected_found.value:.3f}")
    assert len(figure.chart()["layer"]) >= 2
    facts = {row["what"]: row["value"] for row in made.facts.rows}
    assert (facts["labels"], facts["predictions without a label"]) == (60, 140)


@pytest.fixture(scope="module")
def corrected_ratings_found():
    votes = q.read_votes(labelled(frame(400), 120), announce=False)
    return q.agreement.corrected_ratings(votes, "person", strata="prompt_type")


def test_people_and_judges_stand_beside_the_board(corrected_ratings_found):
    made = ratings_page(corrected_ratings_found)
    figures = {figure.name: figure for figure in made.figures}
    assert list(figures)[:2] == ["sides", "judge-weights"]
    assert {"leaderboard", "ranks", "gaps"} <= set(figures)
    assert [row["people"] for row in figures["sides"].rows] == [row["people"] for row in corrected_ratings_found.rows()]
    assert (
        figures["sides"].caption.finding == f"The judges make 120 labels worth {corrected_ratings_found.effective:,.0f}"
    )
    assert [row["stratum"] for row in figures["judge-weights"].rows] == ["chat", "chat", "code", "code"]
    assert [row["labels"] for row in figures["gaps"].rows] == [
        one.labels for one in q.agreement.plan_board_labels(corrected_ratings_found).gaps
    ]
    assert len(figures["sides"].chart()["layer"]) >= 2
    assert "every prompt_type has its own weights" in made.methods
    assert made.sentence == corrected_ratings_found.sentence
    facts = {row["what"]: row["value"] for row in made.facts.rows}
    assert (facts["battles that people voted on"], facts["battles of judges alone"]) == (120, 280)


@pytest.fixture(scope="module")
def plan():
    rng = np.random.default_rng(2)
    truth = rng.normal(size=90)
    rows = [(i, f"c{i % 3}", "llm", truth[i] + 0.7 * rng.normal()) for i in range(90)]
    rows += [(i, f"c{i % 3}", "ann", truth[i]) for i in range(90)]
    frame = pl.DataFrame(rows, schema=["item", "category", "judge", "score"], orient="row")
    prices = {"human": 1.0, "call": 0.02}
    return q.agreement.plan_labels(
        q.read(frame, announce=False), "ann", prices=prices, half_width=0.1, strata="category"
    )


def test_the_split_stands_beside_people_alone_and_other_splits_of_its_price(plan):
    made = labels_page(plan)
    ways, same, strata = made.figures
    assert ways.rows == plan.rows()
    assert ways.caption.finding == f"The split saves {plan.saved:.0%} of the price of people alone"
    assert [row["labels"] for row in same.rows] == [way.labels for way in plan.same_price]
    assert len(same.chart()["layer"]) == 2
    assert [row["stratum"] for row in strata.rows] == ["c0", "c1", "c2"]
    assert made.sentence == plan.sentence
    assert made.sections[0].text == plan.says
    assert "within strata by Neyman's allocation" in made.methods
    assert {row["what"]: row["value"] for row in made.facts.rows}["labels of the pilot"] == 90


@pytest.fixture(scope="module")
def regression_found():
    """A judge that likes long answers, on 600 of which people labelled a fifth."""
    rng = np.random.default_rng(3)
    length, right = rng.normal(size=(2, 600))
    labels = np.where(rng.random(600) < 0.2, right, np.nan)
    author = rng.integers(40, size=600)
    return q.regress(right + 0.8 * length, {"length": length}, labels, 0.2, cluster={"author": author})


def test_the_page_shows_three_ways(regression_found):
    made, one = regression_page(regression_found), regression_found["length"]
    by_name, ways = made.figures
    assert [row["coefficient"] for row in by_name.rows] == ["intercept", "length"]
    assert by_name.caption.finding == "The judge's labels give 1 of 2 coefficients outside the corrected interval"
    assert [row["value"] for row in ways.rows] == [one.value, one.judged, one.labelled]
    assert made.sentence == regression_found.sentence
    assert "clustered by author" in made.methods
    assert {row["what"]: row["value"] for row in made.facts.rows}["levels of author"] == 40
    assert all(len(figure.chart()["layer"]) >= 2 for figure in made.figures)


def test_the_page_has_both_chances():
    made = sign_flip_page(q.scores.sign_flip(0.2, 0.1, ratio=0.5))
    (figure,) = made.figures
    assert [round(row["chance"], 4) for row in figure.rows] == [0.0023, 0.0228]
    assert figure.caption.finding == "Errors of labels move the coefficient by 0.0707, one standard deviation"
    assert "with chance 2.3%" in made.sentence


def test_the_page_has_every_component():
    draws = np.linspace(0.2, 0.4, 101)
    made = surrogate_page(Surrogate({"prompt": 0.1, "replicate": 0.2, "bias": 0.1}, 0.4, {"prompt": 3}, 2, 0.95, draws))
    (figure,) = made.figures
    assert [row["component"] for row in figure.rows] == ["prompt", "noise of one judgment, another asked again", "bias"]
    assert figure.caption.finding == "50.0% of the variance is noise of one judgment, another asked again"
    assert made.tiles[1].label == "its variance; 0.305 to 0.495"
