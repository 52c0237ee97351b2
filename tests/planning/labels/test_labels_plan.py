"""What a plan of labels says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import quorate as q


@pytest.fixture(scope="module")
def plan():
    rng = np.random.default_rng(1)
    truth = rng.normal(size=60)
    rows = [(i, "llm", truth[i] + 0.7 * rng.normal()) for i in range(60)]
    rows += [(i, who, truth[i] + 0.4 * rng.normal()) for who in ("ann", "bob") for i in range(60)]
    table = q.read(pl.DataFrame(rows, schema=["item", "judge", "score"], orient="row"), announce=False)
    return q.agreement.plan_labels(
        table, ["ann", "bob"], prices={"human": 2, "judge": {"llm": 0.05}, "item": 0.01}, budget=400
    )


def test_the_sentence_has_the_split_and_what_people_alone_would_get(plan):
    best, alone = plan.best, plan.people
    assert plan.sentence == (
        f"{best.labels} labels by people among {best.units:,} units that judges predict, for {best.cost:.6g}: "
        f"half-width {best.half_width:.3g}; people alone get {alone.half_width:.3g} for it, with {alone.labels} labels."
    )
    assert best.cost == pytest.approx(2 * best.labels + 0.06 * best.units)
    assert "no judge can correlate more than" in plan.says[-1]
    assert "Judges alone would be off by" in plan.says[-2]


def test_other_endings(plan):
    assert "alone people cannot be as precise" in replace(plan, people=None).sentence
    assert "and no predictions" in replace(plan, best=replace(plan.best, units=0)).sentence
    assert len(replace(plan, reliability=None).says) == 3
    assert replace(plan, reliability=None).unattenuated is None


def test_rows_and_plain_values(plan):
    assert plan.to_frame("polars")["way"].to_list() == ["people and judges", "people alone"]
    values = plan.to_dict()
    assert (values["saved"], values["best"]["labels"]) == (None, plan.best.labels)
    assert values["caveats"] == []
    assert replace(plan, goal="half_width").saved == pytest.approx(1 - plan.best.cost / plan.people.cost)
