"""Caveats of crossed panels."""

import numpy as np
import pytest

from quorate.estimate.panel.cautions import panel_cautions
from quorate.estimate.panel.components import PanelComponents
from quorate.estimate.panel.crossed import CrossedScores


def scores(n=30, m=2, left_out=0, generations_left_out=0, answers=(1, 1)):
    labels = tuple(str(i) for i in range(n))
    return CrossedScores(np.zeros((n, m, 3)), labels, ("a", "b", "c"), left_out, generations_left_out, None, answers)


def components(**changed):
    values = dict.fromkeys(("alpha", "beta", "gamma", "eps", "interaction"), 0.5) | changed
    return PanelComponents(**values, intervals=dict.fromkeys(values, (0.0, 1.0)))


def said(table, separated=None, paper=None):
    return list(panel_cautions(table, separated or components(), paper or components()))


def test_a_complete_panel_has_none():
    assert said(scores()) == []


@pytest.mark.parametrize(
    ("table", "code", "part"),
    [
        (scores(left_out=1), "incomplete-scenarios", "every scenario: 1 scenario;"),
        (scores(generations_left_out=4), "incomplete-scenarios", "every scenario: 4 generations;"),
        (scores(answers=(1, 8)), "averaged-answers", "the mean of its 1 to 8 answers"),
        (scores(answers=(8, 8)), "averaged-answers", "the mean of its 8 answers"),
        (scores(n=29), "few-items", "29 items"),
    ],
)
def test_one_reason_one_caveat(table, code, part):
    (found,) = said(table)
    assert found.code == code
    assert part in found.sentence
    assert "\n" not in found.sentence


def test_one_generation_leaves_two_sums():
    sentences = [one.sentence for one in said(scores(m=1))]
    assert any("generation + scenario" in sentence for sentence in sentences)
    assert any("residual + scenario:judge" in sentence for sentence in sentences)


def test_components_below_zero_are_named_with_their_model():
    (found,) = said(scores(), components(beta=-0.1), components(beta=-0.2, gamma=-0.1))
    assert found.code == "left-negative"
    assert "taken as zero" not in found.sentence
    assert "beta (generation), beta as published (generation), gamma as published (judge)" in found.sentence
