from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.planning.panel.panel import ALL
from quorate.simulate import panel_table


@pytest.fixture(scope="module")
def judgments():
    return q.read(pl.DataFrame(panel_table()))


@pytest.fixture(scope="module")
def found(judgments):
    return q.judges(judgments, resamples=200)


def scores(judges=4, items=12, sd=0.5, seed=3, **more):
    rng = np.random.default_rng(seed)
    effect, item = np.linspace(-1, 1, judges), rng.normal(size=items)
    return pl.DataFrame(
        [
            {"item": i, "judge": f"j{j}", "score": item[i] + effect[j] + sd * rng.normal(), **more}
            for i in range(items)
            for j in range(judges)
        ]
    )


def test_what_the_paper_reports(found):
    """Zhu et al. (2026), 4.2: GPT and Claude strict, Llama lenient; Qwen ranks itself first, against the panel."""
    assert set(found.bias.strict) == {"GPT", "Claude"}
    assert "Llama" in found.bias.lenient
    assert found.reversals.order == ("GPT", "Llama", "Qwen")
    assert {one.judge: one.order[0] for one in found.reversals.judges}["Qwen"] == "Qwen"
    assert [one.judge for one in found.reversals.judges if one.top_differs] == ["Qwen"]
    assert {row.judge for row in found.self_preference.sure} == {"Qwen", "GPT"}
    assert found.sentence == f"{found.bias.sentence} {found.self_preference.sentence} {found.reversals.sentence}"
    assert found.reasons == {}


def test_every_system_has_its_components_and_strategies(found):
    assert set(found.crossed) == set(found.fits) == set(found.strategies) == {"GPT", "Llama", "Qwen"}
    for name, strategies in found.strategies.items():
        five = strategies.at(5)
        assert five["cyclic"].se <= min(five["all judges"].se, five["random judge"].se)
        assert found.fits[name].judgments.facet("judge").fixed
    # Zhu et al., section 4.4: at 5 calls random judging is better than all judges for Llama, worse for GPT
    order = {name: one.at(5)["all judges"].se < one.at(5)["random judge"].se for name, one in found.strategies.items()}
    assert order["GPT"]
    assert not order["Llama"]


def test_ways_to_share_the_calls(found):
    ways = [one.projection for one in found.sharings["Qwen"]]
    assert [plan.calls for plan in ways] == [80 * 10 * 5, 80 * 10, 80 * 10, 400 * 10]
    crossed, random, cyclic, wide = (plan.se for plan in ways)
    assert wide < crossed < cyclic < random


def test_a_plain_table_of_items_and_judges():
    found = q.judges(q.read(scores()))
    assert found.means.systems == (ALL,)
    assert set(found.crossed) == {ALL}
    assert found.reversals is None
    assert found.self_preference is None
    assert found.strategies == {}
    assert set(found.reasons) == {"reversals", "self_preference", "strategies"}
    assert "generation" in found.reasons["strategies"]
    assert [one.projection.calls for one in found.sharings[ALL]] == [48, 12, 12, 48]
    assert {caveat.code for caveat in found.caveats} >= {"one-response"}


def test_more_judges_than_items_take_no_turns():
    found = q.judges(q.read(scores(judges=9, items=5)))
    assert found.sharings == {}
    assert "takes 9 turns to use everything and needs 9 items" in found.reasons["sharings"]


def test_gaps_are_said_and_judged_around():
    frame = scores(items=30).filter(~((pl.col("item") < 3) & (pl.col("judge") == "j1")))
    found = q.judges(q.read(frame))
    assert found.crossed[ALL].left_out == 3
    assert [one.judge for one in found.bias.overall] == ["j0", "j1", "j2", "j3"]
    assert {caveat.code for caveat in found.caveats} >= {"incomplete-scenarios"}


@pytest.mark.slow
def test_a_caveat_of_some_systems_names_them():
    frame = pl.DataFrame(panel_table())
    frame = frame.filter((pl.col("system") != "Qwen") | (pl.col("item") > 60))
    said = [str(caveat) for caveat in q.judges(q.read(frame), resamples=100).caveats if caveat.code == "few-items"]
    assert said == ["Qwen: 20 items: fewer than the 30 a pilot needs to show what varies"]


def test_another_facet_as_the_generation():
    frame = pl.concat([scores(seed=scale, scale=scale) for scale in (5, 10, 100)])
    judgments = q.read(frame, facets={"item": "item", "judge": "judge", "scale": "scale"})
    found = q.judges(judgments, generation="scale")
    assert found.crossed[ALL].m == 3
    assert found.strategies[ALL].budgets == (4, 8, 16)
    assert found.judgments.facet("generation").parent == "item"


@pytest.mark.slow
def test_prices_reach_the_projections(judgments):
    found = q.judges(judgments, prices={"call": 0.01, "generation": 0.1}, resamples=100)
    at = found.strategies["Qwen"].at(5)
    assert at["all judges"].cost == pytest.approx(80 * (5 * 0.01 + 0.1))
    assert at["cyclic"].cost == pytest.approx(80 * 5 * (0.01 + 0.1))
    assert found.sharings["Qwen"][0].projection.cost == pytest.approx(800 * (0.05 + 0.1))


@pytest.mark.slow
def test_identities_are_given_where_names_differ():
    names = {"Qwen": "system-1", "Llama": "system-2", "GPT": "system-3"}
    frame = pl.DataFrame(panel_table()).with_columns(pl.col("system").replace(names))
    judgments = q.read(frame)
    assert "say which by identities" in q.judges(judgments).reasons["self_preference"]
    found = q.judges(judgments, identities=names)
    assert {row.judge for row in found.self_preference.preferences} == set(names)
    with pytest.raises(UnknownTerm):
        q.judges(judgments, identities={"Mistral": "system-1"})


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"level": 1.0}, InvalidInput, "level: must lie between 0 and 1"),
        ({"resamples": 10}, InvalidInput, "resamples: must be a whole number from 100 to 1,000,000,000, got 10"),
        ({"resamples": "many"}, InvalidInput, "resamples: must be a whole number"),
        ({"generation": "judge"}, InvalidInput, 'generation: "judge" is no response'),
        ({"generation": "item"}, InvalidInput, 'generation: "item" is no response'),
        ({"generation": "system"}, InvalidInput, 'there is a facet "generation" already'),
        ({"generation": "colour"}, UnknownTerm, "colour"),
        ({"system": "judge"}, InvalidInput, "is the judge"),
    ],
)
def test_what_is_refused(judgments, options, error, message):
    with pytest.raises(error, match=message):
        q.judges(judgments, **options)


def test_one_judge_is_no_panel():
    with pytest.raises(NotEstimable, match="1 judge: at least 2"):
        q.judges(q.read(scores(judges=1)))
    with pytest.raises(InvalidInput, match="no such file"):
        q.judges("scores.csv")


def test_scores_that_do_not_vary_and_a_table_without_judges():
    flat = scores().with_columns(score=pl.lit(3.0))
    with pytest.raises(NotEstimable, match=r"all 48 scores are equal \(3\): nothing varies"):
        q.judges(q.read(flat))
    with pytest.raises(InvalidInput, match="no column is the judge; name it"):
        q.judges(q.read(scores().rename({"judge": "who"}), facets={"item": "item", "who": "who"}))
