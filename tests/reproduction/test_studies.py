"""Every study that is computed at once, and every simulation with a few replicates: the papers' figures are hit."""

from __future__ import annotations

import json
import math
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import quorate as q
from quorate import reproduction
from quorate.reproduction import studies
from quorate.reproduction.reproduce import STUDIES
from quorate.reproduction.study import AnyStudy, MonteCarlo, Study, publication

LONG = ("mc.ambiguity", "mc.edge", "mc.staircase")
"""Simulations of which a tenth takes most of a minute."""
EXACT = [one.id for one in STUDIES if isinstance(one, Study)]


@pytest.fixture(scope="module")
def found():
    return q.reproduce(EXACT)


def test_no_figure_misses_without_a_reason(found):
    assert found.unexplained == ()
    assert {run.study for run in found.runs} == set(EXACT)
    assert found.counts["agrees"] >= 130
    assert found.counts["returned"] == 34


def test_every_known_error_of_a_paper_is_still_one(found):
    """An erratum whose figure agrees would be ours."""
    figures = {(study, one.what): one for study, every in publication().figures.items() for one in every}
    stale = [
        (one.study, one.what)
        for one in found.figures
        if one.verdict == "agrees" and figures[one.study, one.what].erratum
    ]
    assert stale == []


def test_what_cannot_be_computed_says_what_it_needs(found):
    needing = [one for one in found.figures if one.verdict == "cannot be recomputed"]
    assert needing
    assert all(one.why and math.isnan(one.ours) for one in needing)


@pytest.mark.parametrize(
    ("study", "what", "value", "tolerance"),
    [
        # Messing (2026), through Eq. 3: 3.54e-4 becomes 8.72e-4; by hand from the components of its archive
        ("tee.safety", "one judge, by Eq. 3, %", 146.6, 0.1),
        # the same archive: -14.1/-5.1 and -5.0/-.3 by Eq. 3, printed -31/-11.3 and -47.5/-2.7
        ("tee.pairwise", "twice the items, by Eq. 3, %", -5.04, 0.05),
        ("tee.likert", "two more prompts, by Eq. 3, %", -5.14, 0.05),
        # appendix E: (m - 1)/m of beta and eps over C_B, m = 10
        ("cyclic.fig2", "Qwen: cycling saves of random judges, by appendix E, %", 40.33, 0.01),
        ("cyclic.fig2", "Llama: cycling saves of random judges, by appendix E, %", 32.52, 0.01),
        ("tee.frontier", "standard error of prompts and judges in turn at that price", 0.0245, 5e-5),
        ("tee.gaming", "5 x 3 prompts and judges, Elo", 0.091333926 * 1.998269 * 173.7178, 1e-3),
        ("lee.tables", "images, power 0.95", 3.248656 / 0.045**2 + 1, 1),
        ("budget.bounds", "pulls of the large arm, 91.1 by proportion", 83, 0),
    ],
)
def test_values_by_hand(found, study, what, value, tolerance):
    [one] = [one for one in found.figures if (one.study, one.what) == (study, what)]
    assert one.ours == pytest.approx(value, abs=tolerance + 1e-12)


def test_drawings_have_their_columns(found):
    assert len(found.drawings) >= 12
    for drawing in found.drawings:
        assert drawing.study in EXACT
        assert all({drawing.x, drawing.y} <= row.keys() for row in drawing.rows), drawing.name
        assert not drawing.by or all(drawing.by in row for row in drawing.rows), drawing.name
    assert len({drawing.name for drawing in found.drawings}) == len(found.drawings)


def test_every_published_figure_belongs_to_a_study_and_every_study_has_some():
    assert set(publication().figures) == {one.id for one in STUDIES}
    assert {name.split(".")[0] for name in publication().figures} == set(publication().papers)


def test_errata_that_figures_name_are_explained():
    named = {one.erratum for every in publication().figures.values() for one in every if one.erratum}
    assert named <= set(publication().errata)


def test_every_study_of_every_file_is_listed():
    names = [module.name for module in walk_packages(studies.__path__, f"{studies.__name__}.")]
    made = {one.id for name in names for one in vars(import_module(name)).values() if isinstance(one, AnyStudy)}
    assert made == {one.id for one in STUDIES}


def test_figures_are_numbers_and_short_names():
    """Facts of the papers, none of their sentences."""
    content = json.loads((Path(reproduction.__file__).parent / "figures.json").read_text(encoding="utf-8"))
    for every in content["figures"].values():
        assert max(len(one["what"]) for one in every) < 80
        assert max(len(one["place"]) for one in every) < 60


@pytest.mark.calibration
@pytest.mark.parametrize(
    "study",
    [
        pytest.param(one.id, marks=pytest.mark.slow if one.id in LONG else ())
        for one in STUDIES
        if isinstance(one, MonteCarlo)
    ],
)
def test_a_tenth_of_the_replicates_hits_the_figures(study):
    found = q.reproduce([study], quick=True)
    assert found.unexplained == ()
    assert max(run.failed for run in found.runs) == 0
