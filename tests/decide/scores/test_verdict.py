import json
from dataclasses import replace

import numpy as np
import pytest

from quorate.decide.outcome import Outcome
from quorate.decide.scores import verdict_of_scores
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm

SIZES = {"item": 30, "judge": 5, "prompt": 3, "system": 2}
A, B = "system0000", "system0001"
FEW = {"items": [30, 100, 300, 1000], "judges": [3, 5, 10, 20, 40], "prompts": [3, 6, 12], "replicates": [1]}
"""Sizes of a next study: a search within them is quick."""


def shifted(judgments, difference):
    """The same with the mean of the first system so much above that of the second."""
    first = judgments.column("system") == 0
    gap = judgments.mean[first].mean() - judgments.mean[~first].mean()
    return replace(judgments, mean=judgments.mean + np.where(first, difference - gap, 0.0))


@pytest.fixture(scope="module")
def apart(judged):
    """Two systems that clearly differ."""
    return shifted(judged(SIZES, fixed=(), sd={"judge:system": 0.1, "prompt:system": 0.1}), 3.0)


@pytest.fixture(scope="module")
def alike(judged):
    """Two systems that hardly differ, judged by few judges who favour one or the other."""
    return shifted(judged(SIZES, fixed=(), sd={"judge:system": 0.3, "prompt:system": 0.1}), 0.2)


def test_a_clear_difference_is_better_or_worse(apart):
    better, worse = verdict_of_scores(apart, A, B), verdict_of_scores(apart, B, A)
    assert (better.outcome, worse.outcome) == (Outcome.BETTER, Outcome.WORSE)
    assert (better.exit_code, worse.exit_code) == (0, 2)
    assert better.next_step is None
    assert better.sentence.startswith(f"{better.a} is better than {better.b}: {better.a} scores")
    assert "with these 5 judges and 3 prompts" in better.sentence
    assert "For judges and prompts like these: better" in better.sentence
    assert better.rankable
    assert better.difference.value == pytest.approx(-worse.difference.value)
    assert better.error_rate == pytest.approx(0.05)


def test_no_difference_is_undecided_with_a_next_step(alike):
    drawn = {"judge": "population", "prompt": "population"}
    found = verdict_of_scores(alike, A, B, limits=FEW, targets=drawn)
    assert found.outcome is Outcome.UNDECIDED
    assert found.exit_code == 2
    assert found.detectable > 3 * found.difference.se
    assert found.next_step.se < found.difference.se
    assert found.caveats[-1].code == "beyond-the-study"
    for part in ("Undecided whether", "no sign that they are alike", "A new study of", "Not rankable with more items"):
        assert part in found.sentence
    assert not found.rankable
    assert found.common_se < found.difference.se


def test_equivalence_needs_a_margin_and_is_said_with_its_interval(alike):
    found = verdict_of_scores(alike, A, B, margin=2.0)
    assert found.outcome is Outcome.EQUIVALENT
    assert found.exit_code == 0
    assert "This rests on the 90% interval" in found.sentence
    low, high = found.difference.equivalence_interval(0.05).ends
    assert -2.0 < low < high < 2.0
    said = found.to_dict()
    assert (said["equivalence_low"], said["equivalence_high"], said["outcome"]) == (low, high, "equivalent")


def test_a_small_difference_within_the_margin_is_equivalent_and_said_to_be_real(apart):
    found = verdict_of_scores(apart, A, B, margin=50.0)
    assert found.outcome is Outcome.EQUIVALENT
    assert "is real but that small" in found.sentence


def test_a_claim_decides_the_exit_code(alike, apart):
    assert verdict_of_scores(alike, A, B, margin=2.0, claim="better").exit_code == 2
    assert verdict_of_scores(alike, A, B, margin=2.0, claim="not worse").exit_code == 0
    assert verdict_of_scores(apart, B, A, margin=0.1, claim="not worse").exit_code == 2
    assert verdict_of_scores(apart, A, B, claim="better").exit_code == 0


def test_this_panel_is_said(judged):
    found = verdict_of_scores(shifted(judged(SIZES), 0.1), A, B)
    assert "with these 5 judges and 3 prompts" in found.sentence
    assert "For judges and prompts like these: " in found.sentence


def test_without_pairs_it_says_so(alike):
    item, system = alike.column("item"), alike.column("system")
    own = shifted(alike.keep((item < 15) == (system == 0)), 0.4)
    found = verdict_of_scores(own, A, B, limits=FEW)
    assert "30 items, not paired, with these 5 judges and 3 prompts" in found.sentence
    assert "for each system" in found.sentence
    assert "No study within the limits" in verdict_of_scores(own, A, B, limits={"items": [20, 40]}).sentence


def test_everything_as_plain_values(alike):
    said = verdict_of_scores(alike, A, B, margin=0.01, limits=FEW).to_dict()
    assert json.loads(json.dumps(said)) == said
    assert {"rankable", "common_se", "detectable", "next_step", "p_equivalence", "sentence"} <= said.keys()


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"margin": -0.5}, InvalidInput, "margin: .*above 0, in score units"),
        ({"margin": 0}, InvalidInput, "margin"),
        ({"level": 0.4}, InvalidInput, "level"),
        ({"power": 1.0}, InvalidInput, "power"),
        ({"claim": "equivalent"}, InvalidInput, "within a margin; state it"),
        ({"claim": "best"}, InvalidInput, "claim: one of"),
        ({"system": "model"}, UnknownTerm, 'no facet "model"'),
        ({"prices": {"cal": 1}}, InvalidInput, "prices: cal is unknown"),
        ({"targets": {"judge": "panels"}}, InvalidInput, "the target must be one of"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_line(alike, options, error, words):
    with pytest.raises(error, match=words) as caught:
        verdict_of_scores(alike, A, B, **options)
    assert "\n" not in str(caught.value)


def test_one_item_is_refused(alike):
    with pytest.raises(NotEstimable, match="1 item"):
        verdict_of_scores(alike.only("item", "item0003"), A, B, method="paired")
