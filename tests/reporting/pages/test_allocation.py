from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from charts import image

import quorate as q
from quorate.analysis.allocation import allocation_view, view_of
from quorate.reporting.pages.allocation import (
    BIAS,
    IDEAL,
    MOST_POINTS,
    VARIANCE,
    curve,
    cycles,
    histogram,
    human,
    levels,
    means,
    policies,
    profile,
    sections,
    settings,
    variances,
)
from quorate.reporting.paper.reproduce import Provenance
from quorate.reporting.print.files import specification
from quorate.reporting.report import page_of
from quorate.simulate.allocation.cycles import sweep_allocation


@pytest.fixture(scope="module")
def view(replays):
    """One study with everything in it."""
    return allocation_view(replays, 2000, only={"dimension": "clear"}, human="human", cycle="judge", sweep=True, runs=6)


@pytest.fixture(scope="module")
def study(view):
    """Its only study."""
    return view.studies[0]


@pytest.fixture(scope="module")
def worse(study):
    """A study in which ROBIN-HOOD saves nothing."""
    outcomes = dict(study.allocation.outcomes)
    outcomes["robin-hood"] = replace(outcomes["robin-hood"], errors=3 * outcomes["uniform"].errors)
    return replace(study, allocation=replace(study.allocation, outcomes=outcomes))


@pytest.fixture(scope="module")
def alone():
    """Uniform allocation alone, in one run."""
    pool = np.random.default_rng(1).normal(0, 1, (20, 20))
    return view_of(q.scores.simulate_allocation(pool, 1000, runs=1, policies="uniform"))


@pytest.fixture(scope="module")
def many(replays):
    """Twenty runs, enough for intervals."""
    return allocation_view(replays, 2000, only={"dimension": "clear"}, human="human", runs=20)


def data_of(spec):
    own = [part["data"]["values"] for part in (spec, *spec["layer"]) if "values" in part.get("data", {})]
    return [*spec.get("datasets", {}).values(), *own]


@pytest.mark.slow
def test_one_study_by_subject(view):
    parts = sections(view)
    assert [part.name for part in parts] == ["saving", "arms", "human", "settings", "cycles"]
    names = [figure.name for part in parts for figure in part.figures]
    assert names == ["curve", "policies", "variances", "means", "profile", "human", "settings", "cycles"]
    assert parts[0].text[0].startswith("An arm is one item")
    found = view.studies[0].allocation
    assert {*found.why, *found.notes} < set(parts[0].text)
    assert found.notes[1].startswith("12 of 12 arms have a human score; correlations are of their means.")


def test_several_levels_each_with_its_section_and_names_of_its_own(replays):
    first, second = sections(allocation_view(replays, 1200, by="dimension", runs=3))
    assert first.text[0].startswith("No study of short: pool: every one")
    assert second.title == "dimension: clear"
    both = page_of(allocation_view(replays.only("dimension", "clear"), 600, by="judge", runs=20))
    assert both.sections[0].title == "Levels of judge"
    names = [figure.name for figure in both.figures]
    assert len(names) == len(set(names)) == 11
    assert [row["level"] for row in both.figures[0].rows] == ["x", "y"]
    assert image(both.figures[0])
    assert {row["what"]: row["value"] for row in both.facts.rows}["arms"] == "x 12; y 12"


def test_one_run_has_no_intervals(replays):
    one = allocation_view(replays.only("dimension", "clear"), 600, by="judge", runs=1)
    figure = levels(one)
    assert figure.rows[0]["low"] is None
    assert figure.chart is None
    assert image(curve(one.studies[0]))


def test_one_policy(alone):
    page = page_of(alone)
    assert [figure.name for figure in page.figures] == ["curve", "policies", "variances", "means"]
    assert page.facts.rows[0]["value"] == "1,000 calls in 1 run, seed 1"
    assert page.figures[0].caption.finding == alone.studies[0].allocation.sentence.rstrip(".")
    assert "every arm varies" in variances(alone.studies[0]).caption.finding


def test_policies_and_curve_are_those_of_the_replay(study):
    rows = {row["policy"]: row for row in policies(study).rows}
    assert list(rows) == ["uniform", "ROBIN-HOOD", "ROBIN"]
    errors = study.allocation.outcomes["robin-hood"].errors[:, -1]
    assert rows["ROBIN-HOOD"]["error"] == pytest.approx(errors.mean())
    assert rows["ROBIN-HOOD"]["sd"] == pytest.approx(errors.std(ddof=1))
    assert rows["ROBIN-HOOD"]["saved"] == pytest.approx(100 * study.saved.value)
    assert rows["uniform"]["saved"] is None
    last = [row for row in curve(study).rows if row["calls"] == study.allocation.budget]
    assert [row["error"] for row in last] == pytest.approx([row["error"] for row in rows.values()])
    assert last[0]["high"] - last[0]["low"] == pytest.approx(2 * rows["uniform"]["sd"])


def test_what_is_saved_is_a_line_at_the_final_error_of_uniform_allocation(study):
    figure, saved = curve(study), study.saved.value
    assert saved > 0
    assert figure.caption.finding.endswith(f"{saved:.0%} saved")
    assert f"needs {round(2000 * (1 - saved)):,} of 2,000 calls" in figure.caption.finding
    spec = specification(figure)
    assert [layer["mark"]["type"] for layer in spec["layer"]] == ["area", "line", "rule", "text"]
    (mark,) = next(data for data in data_of(spec) if "needed" in data[0])
    assert mark["at"] == pytest.approx(study.allocation.outcomes["uniform"].errors[:, -1].mean())
    assert mark["needed"] == pytest.approx(2000 * (1 - saved))
    assert mark["text"] == f"{saved:.0%} saved"


def test_no_line_where_nothing_is_saved(worse):
    figure = curve(worse)
    assert figure.caption.finding.startswith("ROBIN-HOOD saves nothing")
    assert "Thick line" not in " ".join(figure.caption.lines)
    assert [layer["mark"]["type"] for layer in specification(figure)["layer"]] == ["area", "line"]


def test_histograms_hold_every_arm(study):
    figure = variances(study)
    assert sum(row["arms"] for row in figure.rows) == 12
    assert "33.3% of arms do not vary at all" in figure.caption.finding
    assert means(study).caption.finding.startswith("Means of arms go from")
    assert histogram(np.full(5, 2.0)) == [{"from": 2.0, "to": 2.0, "arms": 5}]
    same = replace(study, allocation=replace(study.allocation, means=np.full(12, 0.5)))
    assert all(image(one) for one in (figure, means(same)))


def test_the_profile_shares_out_all_pulls(study):
    figure = profile(study)
    spread = [row["variance"] for row in figure.rows]
    assert spread == sorted(spread)
    for name in ("uniform", "ROBIN-HOOD", IDEAL):
        assert sum(row["arms"] * row[name] for row in figure.rows) == pytest.approx(1000)
    quarter = np.sort(study.allocation.ideal)[-3:].sum()
    assert f"would give them {quarter:.0%}" in figure.caption.finding
    assert image(figure)


def test_arms_are_taken_together_where_they_are_many(study):
    spread = np.linspace(0.1, 1, 100)
    outcomes = {name: replace(one, pulls=spread) for name, one in study.allocation.outcomes.items()}
    found = replace(study.allocation, variances=spread, outcomes=outcomes)
    rows = profile(replace(study, allocation=found)).rows
    assert len(rows) == MOST_POINTS
    assert sum(row["arms"] for row in rows) == 100


@pytest.mark.slow
def test_tiles_say_what_is_saved_and_how_large_errors_are(many):
    tiles = page_of(many).tiles
    assert tiles[0].value == f"{many.studies[0].saved.value:.0%}"
    assert tiles[0].label.startswith("of 2,000 calls saved by ROBIN-HOOD (")
    assert f"{tiles[0].value} saved (95% interval" in many.sentence
    labels = [tile.label.split("largest error, ")[-1] for tile in tiles[1:]]
    assert labels == ["uniform", "ROBIN-HOOD", "ROBIN, variances known"]
    assert tiles[1].label.startswith("± ")


def test_what_is_needed_to_do_it_again(many):
    page = page_of(many, origin=Provenance("quorate plan --adaptive x.csv --api-key abc", None, "made up <b>"))
    assert page.provenance["seed"] == "1"
    assert "abc" not in page.provenance["command"]
    assert page.title.startswith("Judgments from a ")
    assert page.caveats == tuple(many.cautions)


def test_the_methods_name_constants_runs_and_people(many, replays):
    text = page_of(many).methods
    assert "warm-up of 20 pulls per arm" in text
    assert "in 20 runs of 2,000 calls" in text
    assert "tau-b" in text
    assert "95% bootstrap interval" in text
    plain = page_of(allocation_view(replays, 2000, only={"dimension": "clear"}, runs=1, floor=False)).methods
    assert "in 1 run of" in plain
    assert "no floor" in plain
    assert not any(word in plain for word in ("tau-b", "interval"))


def test_an_array_has_no_source():
    page = page_of(q.scores.simulate_allocation(np.random.default_rng(1).normal(0, 1, (20, 9)), 600, runs=1))
    assert page.title == "Adaptive allocation, answers from an array"
    assert "input" not in page.provenance
    assert "±" not in page.tiles[1].label


@pytest.fixture(scope="module")
def replays_study(replays):
    """A study with human scores, other constants and whole cycles."""
    found = allocation_view(
        replays, 2000, only={"dimension": "clear"}, human="human", cycle="judge", sweep=True, runs=6
    )
    return found.studies[0]


def test_people(replays_study):
    figure = human(replays_study)
    assert len(figure.rows) == 3 * len(replays_study.allocation.spent)
    assert figure.rows[0]["spearman"] == pytest.approx(replays_study.allocation.outcomes["uniform"].correlations[1, 0])
    assert "by ROBIN-HOOD" in figure.caption.finding
    assert image(figure)


def test_uniform_allocation_is_drawn_wide_beneath_the_others(replays_study):
    marks = [layer["mark"] for layer in specification(human(replays_study))["layer"]]
    assert [mark["strokeWidth"] for mark in marks] == [6, 2, 2]


@pytest.mark.slow
def test_human_scores_that_do_not_vary_are_a_table_alone(replays):
    found = allocation_view(replays, 1200, only={"dimension": "clear"}, human="same", runs=2)
    figure = human(found.studies[0])
    assert figure.chart is None
    assert "not known" in figure.caption.finding


def test_other_constants(replays_study):
    figure = settings(replays_study.sweep)
    assert [row["warmup"] for row in figure.rows][:4] == [30, 20, 11, 5]
    assert "with delta" in figure.caption.finding
    names = {row["setting"] for data in data_of(specification(figure)) for row in data}
    assert names > {"uniform", "ROBIN", "delta 0.07"}
    assert "delta 0.07" in image(figure)


def test_constants_that_do_not_belong_together_are_uniform_allocation():
    pool = np.random.default_rng(1).normal(0, np.repeat([0.1, 2], [40, 10])[:, None], (50, 20))
    lines = settings(sweep_allocation(pool, 2000, runs=3)).caption.lines
    assert "so this is uniform allocation" in " ".join(lines)


def test_whole_cycles(replays_study):
    figure = cycles(replays_study.cycles)
    assert figure.rows[0]["design"] == "whole cycles"
    assert figure.rows[0]["off"] == pytest.approx(max(replays_study.cycles.rows[0].mse, 0) ** 0.5)
    assert figure.caption.finding.startswith("Means by whole cycles are off by")
    assert "whole cycles" in image(figure)
    parts = {row["part"] for data in data_of(specification(figure)) for row in data}
    assert parts == {BIAS, VARIANCE}
