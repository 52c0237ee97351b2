"""Redrawn studies of crossed pilots."""

from __future__ import annotations

import numpy as np
import pytest
from closed_forms import proposition_1
from scipy import stats

import quorate as q
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.numerics.panel.crossed import mean_squares, sums
from quorate.planning.panel.strategies import ALL, CYCLIC, RANDOM
from quorate.simulate.strategies import LIMIT, Check, _notes, simulated_scores, validate_strategies

BIASES = (0.9, 0.4, 0.0, -0.4, -0.9)


@pytest.fixture(scope="module")
def pilot():
    return simulated_scores(80, 10, gamma=BIASES, alpha=2.0, beta=0.25, eps=1.0, interaction=0.49)


@pytest.fixture(scope="module")
def found(pilot):
    return validate_strategies(pilot)


def test_the_exact_variances_are_those_of_the_paper(pilot, found):
    """Eqs. 36 to 38, term by term."""
    x = pilot.x
    c_a = 5 * np.mean((x.mean(axis=2) - x.mean(axis=(1, 2))[:, None]) ** 2)
    c_b = np.mean((x - x.mean(axis=(1, 2), keepdims=True)) ** 2)
    c_c = np.mean((x - x.mean(axis=1, keepdims=True)) ** 2)
    assert found.per_call == pytest.approx({ALL: c_a, RANDOM: c_b, CYCLIC: c_c}, rel=1e-12)
    for check in found.checks:
        assert check.predicted == pytest.approx(found.per_call[check.strategy] / (80 * check.budget), rel=1e-12)


def test_redrawn_studies_agree(found):
    assert found.agrees
    assert len(found.checks) == 12
    assert {check.budget for check in found.checks} == {5, 10, 20, 40}
    assert abs(found.worst.z) == max(abs(check.z) for check in found.checks)
    assert "agree with the exact predictions" in found.sentence
    assert found.shape == (80, 10, 5)


@pytest.mark.slow
def test_errors_have_their_size(pilot):
    """Over 60 seeds the z of one check has mean 0 and standard deviation 1."""
    z = [
        {check.strategy: check.z for check in validate_strategies(pilot, budgets=[5], repetitions=200, rng=seed).checks}
        for seed in range(60)
    ]
    for name in (ALL, RANDOM, CYCLIC):
        values = [row[name] for row in z]
        assert abs(np.mean(values)) < 4 / np.sqrt(60)
        assert 0.65 < np.std(values) < 1.4


def test_a_wrong_prediction_would_be_seen(found):
    """The variance of cycling, taken for that of all judges, is far outside the Monte Carlo error."""
    right = next(check for check in found.checks if check.strategy == CYCLIC)
    wrong = Check(CYCLIC, 5, right.empirical, right.error, found.per_call[ALL] / 400)
    assert not wrong.agrees
    assert abs(wrong.z) > 5 * LIMIT


@pytest.mark.slow
def test_one_seed_one_result(pilot, found):
    assert validate_strategies(pilot).checks == found.checks
    assert validate_strategies(pilot, rng=3).checks != found.checks


def test_exact_variances_are_what_separated_components_promise(found):
    """Over fresh generations variances within columns are m / (m - 1) of the pilot's; a random judge's nearly so."""
    promised = found.promises[1].per_call
    assert promised[ALL] == pytest.approx(10 / 9 * found.per_call[ALL], rel=1e-9)
    assert promised[CYCLIC] == pytest.approx(10 / 9 * found.per_call[CYCLIC], rel=1e-9)
    assert found.per_call[RANDOM] < promised[RANDOM] < 10 / 9 * found.per_call[RANDOM]


def test_the_papers_components_promise_too_much_variance_for_cycling_alone(found):
    """The interaction in the residual is taken from s2_beta and s2_gamma, so that the other sums stay what they are."""
    paper, separated = found.promises
    assert paper.beta < 0.75 * separated.beta
    assert np.isnan(paper.interaction)
    assert paper.per_call[ALL] == pytest.approx(separated.per_call[ALL], rel=1e-12)
    assert paper.per_call[RANDOM] == pytest.approx(separated.per_call[RANDOM], rel=1e-12)
    excess = 10 * 79 / 799 * separated.interaction * 4 / 5
    assert paper.per_call[CYCLIC] - separated.per_call[CYCLIC] == pytest.approx(excess, rel=1e-12)


@pytest.mark.parametrize(("m", "judges"), [(1, 5), (4, 5), (10, 1), (10, 2), (10, 5)])
def test_both_models_give_crossed_designs_the_same_variance(found, m, judges):
    """Proposition 1 with all the pilot's judges, or its number of generations: the parts differ, the whole does not."""
    paper, separated = (
        proposition_1(
            promise.alpha, promise.beta, promise.gamma, promise.eps,
            n=80, m=m, judges=judges, pool=5, interaction=np.nan_to_num(promise.interaction),
        )
        for promise in found.promises
    )  # fmt: skip
    assert paper.variance == pytest.approx(separated.variance, rel=1e-12)
    assert paper.scenario > separated.scenario


def test_components_below_zero_count_as_zero():
    """Judges' own replicates in place of generations: the paper's s2_beta is far below 0, and V_A = V_C."""
    scores = simulated_scores(60, 4, gamma=BIASES, eps=0.3, interaction=1.0, rng=1)
    paper, separated = validate_strategies(scores, repetitions=100).promises
    assert paper.beta < 0
    assert paper.per_call[ALL] == paper.per_call[CYCLIC] == pytest.approx(paper.eps)
    assert separated.per_call[ALL] < 0.5 * paper.per_call[ALL]


def test_generations_that_judges_do_not_agree_on_are_noted():
    replicates = simulated_scores(300, 8, gamma=BIASES, alpha=1.0, eps=1.0, interaction=0.5, rng=2)
    (note,) = validate_strategies(replicates, repetitions=100).notes
    assert note.startswith("The judges do not agree on which generations")


def test_a_small_pilot_says_what_it_cannot_exclude():
    """F / F_.05 written out."""
    scores = simulated_scores(8, 3, gamma=BIASES, alpha=1.0, eps=1.0, rng=4)
    (note,) = validate_strategies(scores, repetitions=100).notes
    x = scores.x
    own = x.mean(axis=2, keepdims=True) - x.mean(axis=(1, 2), keepdims=True)
    rest = x - x.mean(axis=2, keepdims=True) - x.mean(axis=1, keepdims=True) + x.mean(axis=(1, 2), keepdims=True)
    error = np.sum(rest**2) / 64
    most = (5 * np.sum(own**2) / 16 / stats.f.ppf(0.05, 16, 64) - error) / 5
    assert note.startswith(
        f"No generation variance can be told from noise here; it may be up to {most:.3g} (95%), with which asking all "
        f"judges would be {(5 * most + error) / (most + error):.3g} times"
    )


@pytest.mark.slow
def test_small_pilots_of_generations_that_vary_rarely_deny_it():
    pilots = [simulated_scores(10, 3, gamma=(0.5, 0.0, -0.5), beta=0.15, eps=1.0, rng=seed) for seed in range(400)]
    notes = [note for pilot in pilots for note in _notes(pilot, mean_squares(sums(pilot.x)))]
    denied = sum(note.startswith("The judges do not agree") for note in notes)
    assert len(notes) == 0.73 * 400
    assert denied == 0.015 * 400


def test_what_stands_in_for_generations_is_noted(simulate):
    frame = simulate({"item": 12, "scale": 3, "judge": 4})
    judgments = q.read(frame, facets={name: name for name in ("item", "scale", "judge")}, announce=False)
    found = validate_strategies(judgments, generation="scale", repetitions=200)
    assert found.shape == (12, 3, 4)
    assert found.notes[0].startswith('"scale" stands in for the generations: every draw takes one of its 3 levels')


def test_scenarios_that_are_not_complete_are_left_out(simulate):
    frame = simulate({"item": 12, "generation": 3, "judge": 2}).slice(1)
    judgments = q.read(frame, facets={name: name for name in ("item", "generation", "judge")}, announce=False)
    found = validate_strategies(judgments, repetitions=100)
    assert found.shape == (11, 3, 2)
    assert found.left_out == 1


def test_scores_without_noise_agree():
    """All judges and cycles repeat themselves exactly; a random judge does not."""
    found = validate_strategies(simulated_scores(10, 3, gamma=(1.0, -1.0), alpha=1.0), repetitions=500)
    assert found.agrees
    assert {check.empirical for check in found.checks if check.strategy != RANDOM} == {0.0}
    assert found.per_call[RANDOM] == pytest.approx(1.0)


def test_results_as_values_and_as_a_frame(found):
    values = found.to_dict()
    assert values["agrees"] is True
    assert values["checks"][0]["z"] == found.checks[0].z
    assert [promise["model"] for promise in values["promises"]] == ["paper", "separated"]
    frame = found.to_frame()
    assert list(frame.columns) == ["strategy", "budget", "empirical", "error", "predicted", "z"]
    assert len(frame) == 12
    assert "agree" in repr(found)


def test_simulated_scores_have_their_components():
    x = simulated_scores(400, 20, gamma=BIASES, alpha=2.0, beta=0.5, eps=1.0, interaction=0.7).x
    assert x.mean(axis=(0, 1)) - x.mean() == pytest.approx(BIASES, abs=0.2)
    assert np.var(x.mean(axis=(1, 2))) == pytest.approx(2.0 + 0.7 / 5 + 0.5 / 20 + 1 / 100, rel=0.25)
    columns = x.mean(axis=1) - x.mean(axis=(1, 2))[:, None] - BIASES
    assert np.var(columns) == pytest.approx((0.7 + 1 / 20) * 0.8, rel=0.15)
    within = x.mean(axis=2) - x.mean(axis=(1, 2))[:, None]
    assert np.var(within) * 20 / 19 == pytest.approx(0.5 + 1 / 5, rel=0.15)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"budgets": [5, 7]}, "budgets: must be multiples of the 5 judges, got 7"),
        ({"budgets": []}, "budgets: at least one"),
        ({"budgets": [0]}, "budgets: must be multiples"),
        ({"repetitions": 99}, "repetitions: must be a whole number of at least 100, got 99"),
        ({"repetitions": 1e4}, "repetitions: must be a whole number"),
        ({"generation": "scale"}, 'generation: crossed scores have theirs already, got "scale"'),
    ],
)
def test_what_is_refused(pilot, options, message):
    with pytest.raises(InvalidInput, match=message):
        validate_strategies(pilot, **options)


def test_one_generation_is_not_enough(judged):
    judgments = judged({"item": 12, "judge": 2}, announce=False)
    with pytest.raises(NotEstimable, match="generation: redrawing needs at least 2 generations"):
        validate_strategies(judgments)
    with pytest.raises(UnknownTerm):
        validate_strategies(judgments, generation="scale")


@pytest.mark.parametrize(
    "given", [{"n": 1}, {"m": 0}, {"gamma": (0.5,)}, {"beta": -0.1}, {"interaction": -1.0}], ids=str
)
def test_scores_that_cannot_be_simulated(given):
    with pytest.raises(InvalidInput):
        simulated_scores(**{"n": 4, "m": 2, "gamma": (0.5, -0.5), **given})
