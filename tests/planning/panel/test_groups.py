from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, UnknownTerm
from quorate.planning.panel.groups import ANY, EACH

TIERS = {"a": "open", "b": "open", "c": "open", "d": "closed", "e": "closed", "f": "alone"}


def scores(items=40, systems=1, seed=4):
    """Judges of three tiers, the closed ones less noisy and more lenient."""
    rng = np.random.default_rng(seed)
    item = rng.normal(size=(systems, items))
    noise = {"open": 0.8, "closed": 0.3, "alone": 0.5}
    return pl.DataFrame(
        [
            {"item": i, "system": f"s{s}", "judge": judge, "tier": tier, "score": item[s, i] + own + by}
            for judge, tier in TIERS.items()
            for by in [0.4 * (tier == "closed")]
            for s in range(systems)
            for i, own in enumerate(noise[tier] * rng.normal(size=items))
        ]
    )


@pytest.fixture(scope="module")
def table():
    return q.read(scores().drop("system"), nested={"judge": "tier"}, announce=False)


@pytest.fixture(scope="module")
def found(table):
    prices = {"judge": {name: 6.0 if tier == "closed" else 1.0 for name, tier in TIERS.items()}}
    return q.judges(table, group="tier", prices=prices, resamples=100)


def test_groups_beside_the_average_of_the_groups(found):
    mean = scores().group_by("tier", "item").agg(pl.col("score").mean()).pivot("tier", index="item", values="score")
    each = {row.judge: row for row in found.group_bias.overall}
    average = mean.select(pl.mean_horizontal("open", "closed", "alone")).to_series()
    for tier, row in each.items():
        apart = (mean[tier] - average).to_numpy()
        assert row.bias == pytest.approx(apart.mean())
        assert row.se == pytest.approx(apart.std(ddof=1) / np.sqrt(len(apart)))
    assert found.group_bias.means.judge == "tier"


def test_each_group_has_the_components_of_its_own_fit(table, found):
    groups = found.groups["all"]
    assert [one.group for one in groups.variances] == ["alone", "closed", "open"]
    own = q.read(scores().drop("system", "tier").filter(pl.col("judge").is_in(["a", "b", "c"])), announce=False)
    fit = q.decompose(own)
    like = q.project(fit, targets={"judge": "population"})
    variance = next(one for one in groups.variances if one.group == "open")
    assert variance.judges == ("a", "b", "c")
    assert variance.shares == pytest.approx(like.shares)
    assert (variance.se_population, variance.se) == pytest.approx((like.se, q.project(fit).se))
    assert np.isnan(groups.variances[0].se_population)


def test_panels_spend_the_price_of_the_study(found):
    groups = found.groups["all"]
    assert groups.cost == 40 * (4 + 2 * 6)
    panels = {one.label: one for one in groups.panels}
    assert list(panels) == [ANY, EACH, "alone", "closed", "open"]
    for label, one in panels.items():
        assert one.panel.cost <= groups.cost
        assert one.precision <= 1 + 1e-9
        assert one.low <= one.precision <= one.high
        assert label in (ANY, EACH) or {TIERS[name] for name in one.panel.judges} == {label}
        assert one.precision == pytest.approx((panels[ANY].panel.se / one.panel.se) ** 2, rel=0.03)
    assert sorted(TIERS[name] for name in panels[EACH].panel.judges) == ["alone", "closed", "open"]
    assert "For the price of this study (640)" in groups.sentence
    assert json.loads(json.dumps(q.judges(found.judgments).to_dict()))["groups"] == {}


def test_dearer_judges_are_worth_less_and_only_that(table):
    worth = {}
    for price in (1.0, 6.0):
        prices = {"judge": {name: price if tier == "closed" else 1.0 for name, tier in TIERS.items()}}
        panels = q.judges(table, group="tier", prices=prices, resamples=100).groups["all"].panels
        worth[price] = {one.label: one.precision for one in panels}
    assert worth[6.0]["closed"] < worth[1.0]["closed"]
    assert worth[6.0]["open"] > worth[1.0]["open"]


def test_a_facet_a_mapping_and_a_system_each(found):
    several = scores(systems=2)
    by_facet = q.judges(q.read(several, nested={"judge": "tier"}, announce=False), group="tier", resamples=100)
    by_name = q.judges(q.read(several.drop("tier"), announce=False), group=TIERS, resamples=100)
    assert set(by_facet.groups) == {"s0", "s1"}
    assert by_name.grouping.role == "group"
    for one, other in zip(by_facet.groups["s1"].panels, by_name.groups["s1"].panels, strict=True):
        assert one == other
    assert {row.system for row in by_name.group_bias.by_system} == {"s0", "s1"}
    makers = {"a": "gpt-4o", "b": "gpt-4.1", "c": "claude-4", "d": "claude-3", "e": "qwen-3", "f": "qwen-2"}
    named = scores(items=5).drop("system", "tier").with_columns(pl.col("judge").replace(makers))
    assert q.judges(q.read(named, announce=False), group="auto").grouping.members["openai"] == ("gpt-4.1", "gpt-4o")


def test_gaps_leave_the_components_and_say_why_there_are_no_panels():
    frame = scores(items=12).drop("system").filter((pl.col("item") < 6) | (pl.col("tier") == "open"))
    frame = frame.filter((pl.col("item") > 4) | (pl.col("judge") != "b"))
    groups = q.judges(q.read(frame, nested={"judge": "tier"}, announce=False), group="tier").groups["all"]
    assert len(groups.variances) == 3
    assert groups.panels == ()
    assert groups.sentence == ""
    assert "needs at least 2 that all 6 judges scored" in groups.reason


@pytest.mark.parametrize(
    ("group", "error", "says"),
    [
        ("colour", UnknownTerm, 'no facet "colour"'),
        ("judge", InvalidInput, 'group: "judge" is no group of judges'),
        ("part", InvalidInput, 'judge "a" is in several levels of part'),
        ({"z": "open"}, UnknownTerm, 'no judge "z"'),
        ({"a": "open"}, InvalidInput, "the 6 judges are in 6 of group"),
        ("auto", InvalidInput, "the 6 judges are in 6 of family"),
    ],
)
def test_what_is_refused(group, error, says):
    frame = scores(items=4).drop("system", "tier").with_columns(part=pl.col("item") % 2)
    facets = {name: name for name in ("item", "judge", "part")}
    with pytest.raises(error, match=says):
        q.judges(q.read(frame, facets=facets, announce=False), group=group)
