from __future__ import annotations

from quorate.report.summary import analyze
from quorate.report.words import number
from quorate.report.writeup import methods_paragraph


def test_a_methods_paragraph_states_design_model_result_and_source(demo):
    text = methods_paragraph(demo)
    assert "1,773 judgments of 60 items, 5 prompts, 3 judges and 12 categories; 27 of 1,800 rows had no usable" in text
    assert "restricted maximum likelihood" in text
    assert "fixed effects of judge" in text
    assert f"standard error {number(demo.population.se, 2)}, 95% interval 6.50 to 7.24" in text
    assert f"{demo.population.df:.1f} degrees of freedom" in text
    assert "generalising over items, prompts, judges and categories; 6.67 to 7.07 for this panel" in text
    assert "The largest share of its variance, 55%, comes from judge." in text


def test_what_stays_as_it_is_is_named(shape):
    assert "generalising over items and prompts and for the given judges." in methods_paragraph(shape("one judge"))


def test_the_estimator_is_named(shape):
    text = methods_paragraph(analyze(shape("balanced").judgments, method="anova"))
    assert "The balanced study" in text
    assert "expected mean squares" in text


def test_every_shape_has_a_paragraph(analysis):
    assert methods_paragraph(analysis).endswith(".")
