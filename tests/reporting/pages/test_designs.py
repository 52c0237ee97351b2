from __future__ import annotations

import json
from dataclasses import replace

import pytest
from charts import marks_of, spec

import quorate as q
from quorate.analysis.designs import Changes, sentence
from quorate.analysis.words import number
from quorate.reporting.pages import designs
from quorate.reporting.pages.designs import ON_THE_FRONTIER, frontier, within_reach
from quorate.reporting.report import page_of, write


@pytest.fixture(scope="module")
def best():
    """A budget for a published study, with a design at hand."""
    safety = q.components({"item": 0.0104, "item:judge": 0.0251, "replicate": 0.012}, sensitivity={"judge": 4.65e-4})
    limits = {"items": range(20, 141, 10), "judges": range(1, 4), "replicates": [1, 2]}
    prices = {"call": 0.5, "item": 1.0}
    return q.plan(safety, budget=150, limits=limits, prices=prices, own={"items": 100, "judges": 1})


def figure(page, name):
    return next(one for one in page.figures if one.name == name)


def test_the_best_design_stands_beside_the_one_at_hand(best):
    page = page_of(best)
    rows = {row["which"]: row for row in figure(page, "designs").rows}
    assert page.sentence == sentence(best)
    assert (rows["best"]["se"], rows["best"]["price"]) == (best.se, best.cost)
    assert rows["as it is"]["half"] == best.own.half_width
    assert [tile.value for tile in page.tiles] == [number(best.se, 4), f"±{number(best.plan.half_width, 4)}", "$150.00"]


def test_shares_come_largest_first(best):
    rows = figure(page_of(best), "shares").rows
    assert [row["best"] for row in rows] == sorted(
        (share for share in best.plan.shares.values() if share), reverse=True
    )
    assert figure(page_of(best), "shares").caption.finding.endswith(f"would come from {rows[0]['source']}")


def test_every_share_is_drawn_in_a_colour(best):
    chart = figure(page_of(best), "shares").chart()
    assert all(row["colour"].startswith("#") for rows in chart["datasets"].values() for row in rows)


def test_a_design_has_a_page(best):
    page = page_of(best.plan)
    assert page.sentence.startswith(f"{best.plan.design['item']} items × ")
    assert json.loads(json.dumps(page.content()))["se"] == best.se
    assert [row["which"] for row in figure(page, "designs").rows] == ["planned"]


def test_how_sure_the_choice_is_stands_on_the_page_where_it_is_known(simulate):
    fit = q.decompose(q.read(simulate({"item": 20, "judge": 3}, seed=1), announce=False))
    found = q.plan(fit, budget=120, limits={"items": range(10, 41, 10), "judges": [1, 2, 3]})
    view = replace(found, sure=found.ranking(100))
    [section] = [one for one in page_of(view).sections if one.name == "certainty"]
    assert section.text[0].startswith("Of 100 pilots redrawn from this fit")
    assert view.to_dict()["ranking"]["draws"] == 100
    assert not [one for one in designs.page(found).sections if one.name == "certainty"]


@pytest.mark.parametrize("ending", ["html", "md", "json"])
def test_every_format_prints_it(best, tmp_path, ending):
    for result in (best, best.plan):
        assert write(page_of(result), tmp_path / f"page.{ending}").stat().st_size > 1000


def test_changes_have_a_page(demo):
    page = page_of(Changes(demo.what_if))
    rows = figure(page, "changes").rows
    assert [row["change"] for row in rows] == [one.label for one in demo.what_if]
    assert rows[1]["half_width"] == demo.what_if[1].projection.half_width
    assert page.sentence.startswith("As it is: half a 95% interval ±")
    assert "takes off most" in page.sentence


SAFETY = {"item": 0.0104, "item:judge": 0.0251, "replicate": 0.012}
LIMITS = {"items": range(20, 141, 10), "judges": range(1, 4), "replicates": [1, 2]}


def optimum(**options):
    safety = q.components(SAFETY, sensitivity={"judge": 4.65e-4})
    return q.plan(safety, budget=150, limits=LIMITS, own={"items": 100, "judges": 1}, **options)


def test_designs_with_names_come_before_the_frontier():
    places = [row["place"] for row in within_reach(optimum())]
    assert places[0] == "as it is"
    assert ON_THE_FRONTIER not in places[: places.index(ON_THE_FRONTIER)]
    assert set(places[places.index(ON_THE_FRONTIER) :]) == {ON_THE_FRONTIER}


def test_the_frontier_is_drawn_with_the_designs_that_have_names():
    best = optimum(prices={"call": 0.5, "item": 1.0})
    found = frontier(best)
    assert {"as it is", "best for what was asked"} <= {row["place"] for row in found.rows}
    assert spec(found)["layer"][0]["encoding"]["x"]["title"] == "price, USD (log scale)"
    assert marks_of(found)[:3] == ["point", "line", "point"]
    assert spec(frontier(optimum()))["layer"][0]["encoding"]["x"]["title"] == "number of calls (log scale)"
