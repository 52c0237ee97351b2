"""Logit and ordinal models, against R: glmer with nAGQ 0 and 1, and clmm.

`links_cases.py` has the cases, `links.R` the fits; `links.txt` is what it printed, and `links.json` what it wrote.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from reference.links_cases import CASES, REAL, SIMULATED

import quorate as q

REFERENCE = json.loads((Path(__file__).parent / "links.json").read_text(encoding="utf-8"))


def fitted(case, rows, method):
    rows = rows.select(*case.facets, "score").with_row_index("replicate")
    facets = {**{name: name for name in case.facets}, "replicate": "replicate"}
    options = {"nested": case.nested} if case.nested else {}
    table = q.read(rows, facets=facets, fixed=case.fixed, announce=False, **options)
    return q.decompose(table, link=case.link, random=case.random, method=method)


def agrees(case, fit, reference):
    """Deviance 1e-5, components 1e-3, or 1e-5 where R stops short of zero; the digits of R's own convergence."""
    assert fit.deviance == pytest.approx(reference["deviance"], rel=1e-5)
    for name, value in fit.variances.items():
        facets = case.facets if name == "cell" else tuple(name.split(":"))
        parts = {*facets, *(case.nested.get(facet, facet) for facet in facets)}
        (found,) = [v for term, v in reference["components"].items() if set(term.split(":")) == parts]
        assert value == pytest.approx(found, rel=1e-3, abs=1e-5), name
    thresholds = -fit.thresholds if case.link == "logit" else fit.thresholds
    assert [*thresholds, *fit.effects] == pytest.approx(list(reference["fixed"].values()), rel=2e-3, abs=1e-3)


@pytest.mark.wide(3)
@pytest.mark.parametrize("name", SIMULATED)
def test_simulated_designs(name):
    case = CASES[name]
    rows = case.rows()
    for method, reference in REFERENCE[name].items():
        agrees(case, fitted(case, rows, method), reference)


@pytest.mark.parametrize("name", REAL)
@pytest.mark.slow
def test_real_data(name, shared):
    case = CASES[name]
    rows = case.rows(shared)
    for method, reference in REFERENCE[name].items():
        agrees(case, fitted(case, rows, method), reference)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "rho"), [("llmbar", 1.0), ("picks", 1.0), ("ratings", 1.0), ("rewardbench", 0.9)])
def test_both_scales_put_components_in_much_the_same_order(name, rho, shared):
    case = CASES[name]
    assert fitted(case, case.rows(shared), "pirls").rank_correlation == pytest.approx(rho, abs=0.101)


ARCHIVED = {
    "safety": (
        {
            "item": 28.207196981054462, "category": 11.71947925671438, "prompt": 2.5860646576763907e-8,
            "item:judge": 31.644325848701964, "prompt:judge": 2.0664002604012794, "item:prompt": 4.0653865340359925,
            "item:temperature": 0.04773176308767603, "cell": 0.38193508398967235, "replicate": 3.289868133696453,
        },
        {"judge": 3.715527108656895, "temperature": 0.03537919102547388},
        {"items": 141, "prompts": 5, "judges": 3, "temperatures": 3, "replicates": 8},
        {"judge": 70.7, "item": 11.4, "prompt": 0.0, "item:judge": 4.3, "prompt:judge": 7.9, "category": 4.7},
    ),
    "pairwise": (
        {
            "item": 10.150394956171327, "category": 0.08571824779977666, "prompt": 0.00860284529261154,
            "item:judge": 4.112670747892564, "prompt:judge": 0.003045526474653386, "item:prompt": 1.1299068437118402,
            "cell": 0.8061729693249383, "replicate": 3.289868133696453,
        },
        {"judge": 0.7525879475998317, "position": 0.3225263501218279, "temperature": 2.652016718619084e-4},
        {"items": 150, "prompts": 5, "judges": 3, "temperatures": 3, "replicates": 3, "levels": {"position": 2}},
        {"judge": 50.9, "item": 13.7, "prompt": 0.4, "item:judge": 1.9, "prompt:judge": 0.0, "category": 0.1,
         "position": 32.7},
    ),
}  # fmt: skip
"""Components of log odds in the archive of Messing (2026), ``glmm_comparison_*.csv`` (CC BY 4.0), and Table 11.

The archive's file of MMLU is of another run than the table (its own shares are 71.4 and 7.6 for 23.4 and 27.4).
"""


@pytest.mark.parametrize("study", ARCHIVED)
def test_table_11_of_the_source_paper(study):
    random, sensitivity, design, printed = ARCHIVED[study]
    shares = q.project(q.components(random, sensitivity=sensitivity), **design).shares
    assert {name: 100 * shares[name] for name in printed} == pytest.approx(printed, abs=0.1)
