from __future__ import annotations

from dataclasses import replace

from quorate.analysis.agreement import AgreementView
from quorate.reporting import agreement_captions as captions


def test_findings_say_who_and_how_much(agreed):
    view = agreed()
    assert captions.rates(view).finding == "careful decides 90% of 80 battles as people do"
    assert captions.categories(view).finding.startswith("careful agrees in 8")
    assert captions.differences(view).finding.startswith("careful agrees in ")
    assert "smallest of 3 p-values" in captions.differences(view).lines[-1]
    assert captions.ties(view).finding == "careful calls 0% of the battles a tie, people 0%"
    assert captions.positions(view).finding == "1 of 2 judges surely prefer a position"
    assert captions.cells(view).finding.startswith("Judgments are right in ")
    assert captions.facts(view).finding.endswith("3 pipelines of judges with people")


def test_clusters_are_said(agreed):
    found = agreed().found
    rates = tuple(replace(one, clusters=7) for one in found.rates)
    clustered = AgreementView(replace(found, rates=rates, cluster="prompt"))
    assert captions.rates(clustered).finding.endswith("80 battles in 7 clusters by prompt as people do")


def test_nothing_to_compare_or_to_draw(agreed):
    view = AgreementView(replace(agreed().found, differences=()))
    assert captions.differences(view).finding == "No two pipelines can be compared"
    assert captions.cells(view).finding == "No cells"
