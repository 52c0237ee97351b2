from __future__ import annotations

from dataclasses import replace

from quorate.analysis.agreement import AgreementView
from quorate.reporting.agreement_section import agreement_facts, agreement_sections


def names(view):
    return [(part.name, [figure.name for figure in part.figures]) for part in agreement_sections(view)]


def test_sections_of_all_that_was_asked(agreed):
    assert names(agreed()) == [
        ("agreement", ["agreement", "categories"]),
        ("differences", ["differences"]),
        ("ties", ["ties"]),
        ("positions", ["positions"]),
        ("cells", ["cells"]),
    ]
    assert agreement_facts(agreed()).rows[0] == {"what": "pipelines", "value": 3}


def test_sections_of_one_pipeline(agreed):
    found = agreed().found
    rates = tuple(one for one in found.rates if one.pipeline == "careful" and one.category == "all")
    alone = AgreementView(replace(found, rates=rates, differences=(), ties={"careful": found.ties["careful"]}))
    assert names(alone) == [("agreement", ["agreement"]), ("ties", ["ties"])]
